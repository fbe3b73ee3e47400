/** The format of Anthropic's Messages API, which Claude Code uses. */
import { streamReply } from "@test/host/model/messageStream";
import { lastWords, textOf, type WireFormat } from "@test/hosts/model/wireFormat";

interface Body {
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly name: string }[];
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

export const messagesFormat: WireFormat = {
  read: (path, body) => {
    if (!/\/v1\/messages(\?|$)/.test(path)) return undefined;
    const { messages, tools = [] } = JSON.parse(body) as Body;
    const conversation = messages.map(({ role, content }) => ({
      isUser: role === "user" && !hasResult(content),
      text: textOf(content),
    }));
    const names = tools.map(({ name }) => name);
    const isAside = names.length === 0;
    return { said: lastWords(conversation), tools: names, isAside, path, body };
  },
  reply: (response, reply) => {
    void streamReply(response, reply);
  },
};

function hasResult(content: Message["content"]): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool_result");
}
