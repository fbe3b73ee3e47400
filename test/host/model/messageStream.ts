/**
 * One reply in the format of Anthropic's Messages API: server-sent events, with a block for the text and for each tool.
 */
import type { ServerResponse } from "node:http";
import type { Reply } from "@test/host/model/ScriptedModel";

let replies = 0;

export async function streamReply(response: ServerResponse, reply: Reply): Promise<void> {
  const { status, text = "", tokens = 10, tools = [], until } = reply;
  if (status !== undefined) {
    const error = { type: "invalid_request_error", message: `The script says ${status}.` };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "error", error }));
    return;
  }

  const stream = new MessageStream(response, tokens);
  const [first = "", ...words] = text.match(/\S+\s*/g) ?? [];
  if (first !== "") {
    stream.beginBlock({ type: "text", text: "" });
    stream.addText(first);
    await until;
    for (const word of words) stream.addText(word);
    stream.endBlock();
  }
  for (const { name, input } of tools) {
    stream.beginBlock({ type: "tool_use", id: stream.newToolId(), name, input: {} });
    stream.add({ type: "input_json_delta", partial_json: JSON.stringify(input) });
    stream.endBlock();
  }
  stream.end(tools.length > 0 ? "tool_use" : "end_turn");
}

class MessageStream {
  readonly #response: ServerResponse;
  readonly #number = replies++;
  #block = 0;

  constructor(response: ServerResponse, tokens: number) {
    this.#response = response;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const message = {
      id: `msg_${this.#number}`,
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: tokens, output_tokens: 1 },
    };
    this.#send("message_start", { message });
  }

  newToolId(): string {
    return `toolu_${this.#number}_${this.#block}`;
  }

  beginBlock(block: object): void {
    this.#send("content_block_start", { index: this.#block, content_block: block });
  }

  addText(text: string): void {
    this.add({ type: "text_delta", text });
  }

  add(delta: object): void {
    this.#send("content_block_delta", { index: this.#block, delta });
  }

  endBlock(): void {
    this.#send("content_block_stop", { index: this.#block++ });
  }

  end(reason: "tool_use" | "end_turn"): void {
    const delta = { stop_reason: reason, stop_sequence: null };
    this.#send("message_delta", { delta, usage: { output_tokens: 5 } });
    this.#send("message_stop", {});
    this.#response.end();
  }

  #send(type: string, fields: object): void {
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  }
}
