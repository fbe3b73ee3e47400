/** The format of Gemini's `generateContent` with streaming, which Gemini CLI uses. */
import { lastWords, sendEvents, textOf, type WireFormat } from "@test/hosts/model/wireFormat";

interface Body {
  readonly contents: readonly Content[];
  readonly tools?: readonly {
    readonly functionDeclarations?: readonly { readonly name: string }[];
  }[];
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly { readonly text?: string; readonly functionResponse?: unknown }[];
}

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

export const geminiFormat: WireFormat = {
  read: (path, body) => {
    if (!/:(streamG|g)enerateContent\b/.test(path)) return undefined;
    const { contents, tools = [] } = JSON.parse(body) as Body;
    const conversation = contents.map(({ role, parts }) => ({
      isUser: role === "user" && parts?.some((part) => "functionResponse" in part) !== true,
      text: textOf(parts),
    }));
    const names = tools.flatMap(({ functionDeclarations: functions = [] }) =>
      functions.map(({ name }) => name)
    );
    return { said: lastWords(conversation), tools: names, isAside: names.length === 0, path, body };
  },
  reply: (response, { text = "", tools = [], isCut = false }, { path }) => {
    const parts = [
      ...(text === "" ? [] : [{ text }]),
      ...tools.map(({ name, input }) => ({ functionCall: { name, args: input } })),
    ];
    const finishReason = isCut ? "MAX_TOKENS" : "STOP";
    const candidate = { index: 0, content: { role: "model", parts }, finishReason };
    const reply = { candidates: [candidate], usageMetadata: USAGE, modelVersion: "scripted" };
    if (path.includes(":stream")) sendEvents(response, [`data: ${JSON.stringify(reply)}`]);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  },
};
