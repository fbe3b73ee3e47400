/** The format of OpenAI's chat completions, which Qwen Code uses, and opencode with most providers. */
import {
  lastWords,
  newCallId,
  sendEvents,
  textOf,
  type WireFormat,
} from "@test/hosts/model/wireFormat";

interface Body {
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const chatFormat: WireFormat = {
  read: (path, body) => {
    if (!path.endsWith("/chat/completions")) return undefined;
    const { messages, tools = [] } = JSON.parse(body) as Body;
    const conversation = messages.map(({ role, content }) => ({
      isUser: role === "user",
      text: textOf(content),
    }));
    const names = tools.map((tool) => tool.function.name);
    return { said: lastWords(conversation), tools: names, isAside: names.length === 0, path, body };
  },
  reply: (response, { text = "", tools = [], isCut = false }) => {
    const id = newCallId();
    const chunk = (delta: object, reason: string | null): string => {
      const choices = [{ index: 0, delta, finish_reason: reason }];
      const fields = { id, object: "chat.completion.chunk", created: 1, model: "scripted" };
      return `data: ${JSON.stringify({ ...fields, choices })}`;
    };
    const calls = tools.map(({ name, input }, index) => ({
      index,
      id: newCallId(),
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    }));
    const usage = { id, object: "chat.completion.chunk", created: 1, model: "scripted" };
    sendEvents(response, [
      ...(text === "" ? [] : [chunk({ role: "assistant", content: text }, null)]),
      ...(calls.length === 0 ? [] : [chunk({ role: "assistant", tool_calls: calls }, null)]),
      chunk({}, isCut ? "length" : calls.length === 0 ? "stop" : "tool_calls"),
      `data: ${JSON.stringify({ ...usage, choices: [], usage: USAGE })}`,
      "data: [DONE]",
    ]);
  },
};
