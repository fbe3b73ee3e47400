/** The format of OpenAI's Responses API, which Codex uses. */
import * as wire from "@test/hosts/model/wireFormat";

interface Body {
  readonly input: readonly Item[];
  readonly tools?: readonly { readonly name?: string; readonly type: string }[];
}

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
}

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

export const responsesFormat: wire.WireFormat = {
  read: (path, body) => {
    if (!path.endsWith("/responses")) return undefined;
    const { input, tools = [] } = JSON.parse(body) as Body;
    const conversation = input.map(({ role, content }) => ({
      isUser: role === "user" || role === "developer",
      text: role === "user" ? wire.textOf(content) : "",
    }));
    const names = tools.map(({ name, type }) => name ?? type);
    return { said: wire.lastWords(conversation), tools: names, isAside: false, path, body };
  },
  reply: (response, { text, tools = [], isCut = false }) => {
    const id = wire.newCallId();
    const message = { type: "message", role: "assistant", id: `msg_${id}` };
    const items = [
      ...(text === undefined ? [] : [{ ...message, content: [{ type: "output_text", text }] }]),
      ...tools.map(({ name, input }) => ({
        type: "function_call",
        call_id: wire.newCallId(),
        name,
        arguments: JSON.stringify(input),
      })),
    ];
    const status = isCut ? "incomplete" : "completed";
    const details = isCut ? { incomplete_details: { reason: "max_output_tokens" } } : {};
    const end = { id, status, output: items, usage: USAGE, ...details };
    const events = [
      { type: "response.created", response: { id } },
      ...items.map((item, index) => ({
        type: "response.output_item.done",
        output_index: index,
        item,
      })),
      { type: `response.${status}`, response: end },
    ];
    wire.sendEvents(
      response,
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`)
    );
  },
};
