/** Sends requests to the model and reads its streamed answer. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { Row } from "@test/host/bed/common/node/types";

export type ModelEvent =
  | { type: "usage"; tokens: number }
  | { type: "text"; text: string }
  | { type: "tool"; id: string; name: string; json: string };

export interface Question {
  url: string;
  model: string;
  thinkingLevel: string | undefined;
  rows: readonly Pick<Row, "role" | "parts">[];
  tools: readonly string[];
  signal: AbortSignal;
}

interface StreamLine {
  type: string;
  message?: { usage: { input_tokens: number } };
  content_block?: { type: string; id: string; name: string };
  delta?: { type: string; text?: string; partial_json?: string };
}

export async function* askModel(question: Question): AsyncGenerator<ModelEvent> {
  const { url, model, thinkingLevel, rows, tools, signal } = question;
  const response = await fetch(`${url}/messages`, {
    method: "POST",
    signal,
    body: JSON.stringify({
      model,
      stream: true,
      thinking: thinkingLevel,
      messages: rows.flatMap(messagesOf),
      tools: tools.map((name) => ({ name })),
    }),
  });
  if (!response.ok || response.body === null) {
    const { error } = (await response.json()) as { error: { message: string } };
    throw new Error(error.message);
  }
  const body = Readable.fromWeb(response.body, { signal });
  let tool = { id: "", name: "" };
  for await (const line of createInterface({ input: body })) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice("data: ".length)) as StreamLine;
    const { message, content_block: block, delta } = event;
    if (message !== undefined) yield { type: "usage", tokens: message.usage.input_tokens };
    if (block?.type === "tool_use") tool = block;
    if (delta?.text !== undefined) yield { type: "text", text: delta.text };
    if (delta?.partial_json !== undefined) {
      yield { type: "tool", ...tool, json: delta.partial_json };
    }
  }
}

interface Message {
  role: string;
  content: object[];
}

/** Converts a row to messages. The results of tools become messages of the user. */
function messagesOf({ role, parts }: Pick<Row, "role" | "parts">): Message[] {
  const messages: Message[] = [];
  const add = (speaker: string, block: object): void => {
    const last = messages.at(-1);
    if (last?.role === speaker) last.content.push(block);
    else messages.push({ role: speaker, content: [block] });
  };
  for (const part of parts) {
    if (part.type === "text") {
      add(role, { type: "text", text: part.text });
      continue;
    }
    add(role, { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input });
    const content = JSON.stringify(part.output);
    add("user", { type: "tool_result", tool_use_id: part.toolCallId, content });
  }
  return messages;
}
