/**
 * The shapes that programs wrap a model's text in, where they are asked for JSON. Within them the text is a JSON string,
 * so nothing that a model says or quotes can pass for an envelope.
 */
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { scanObjects } from "@/node/services/gauntlet/reviews/answers/findJsonObjects";

/** The model's text; nothing where the output has another shape. */
export type Unwrap = (stdout: string) => string | undefined;

/** `{"type":"result","result":"…"}`, alone, as the last of streamed events, or in an array of them (claude, cursor). */
export const unwrapResult: Unwrap = (stdout) =>
  events(stdout, '"result"').findLast(({ type, result }) => type === "result" && isText(result))
    ?.result as string | undefined;

/** `{"response":"…","stats":{…}}` (gemini). */
export const unwrapResponse: Unwrap = (stdout) =>
  events(stdout, '"response"').findLast(({ response }) => isText(response))?.response as
    | string
    | undefined;

/** `{"type":"text","part":{"type":"text","text":"…"}}`, one a line and as many as there are (opencode). */
export const unwrapTextParts: Unwrap = (stdout) => {
  const texts = events(stdout, '"text"').flatMap(({ type, part }) =>
    type === "text" && isJsonObject(part) && isText(part.text) ? [part.text] : []
  );
  return texts.length === 0 ? undefined : texts.join("\n");
};

/** `{"type":"item.completed","item":{"type":"agent_message","text":"…"}}`, one a line (`codex exec --json`). */
const unwrapAgentMessages: Unwrap = (stdout) => {
  const texts = events(stdout, '"agent_message"').flatMap(({ type, item }) =>
    type === "item.completed" &&
    isJsonObject(item) &&
    item.type === "agent_message" &&
    isText(item.text)
      ? [item.text]
      : []
  );
  return texts.length === 0 ? undefined : texts.join("\n");
};

const ALL = [unwrapResult, unwrapResponse, unwrapTextParts, unwrapAgentMessages];

/**
 * Any of them, for a program that is not known. Only where the output is nothing but JSON objects: in plain text an
 * envelope may be something that the model quotes.
 */
export function unwrapAny(stdout: string): string {
  if (!isNothingButObjects(stdout)) return stdout;
  for (const unwrap of ALL) {
    const text = unwrap(stdout);
    if (text !== undefined) return text;
  }
  return stdout;
}

/**
 * The error that a program reports as JSON: `{"is_error":true,…}`, `{"type":"error",…}`, `{"error":{…}}` or a stop
 * reason `refusal`. Only where the output is nothing but JSON objects, so that a model cannot quote one (G13).
 */
export function unwrapError(stdout: string): string | undefined {
  if (!isNothingButObjects(stdout)) return undefined;
  const found = events(stdout, '"').findLast(
    ({ is_error: isError, type, error, stop_reason: reason }) =>
      isError === true || type === "error" || error != null || reason === "refusal"
  );
  return found && JSON.stringify(found);
}

function isNothingButObjects(stdout: string): boolean {
  let at = 0;
  for (const { kind, start, end } of scanObjects(stdout)) {
    if (kind === "broken" || stdout.slice(at, start).trim() !== "") return false;
    at = end;
  }
  return at > 0 && stdout.slice(at).trim() === "";
}

/** Every outermost object with this text in it. */
function events(stdout: string, mark: string): readonly JsonObject[] {
  const found: JsonObject[] = [];
  for (const { kind, start, end } of scanObjects(stdout)) {
    if (kind === "broken") continue;
    const piece = stdout.slice(start, end);
    if (!piece.includes(mark)) continue;
    const value = parseJson(piece).unwrapOr(undefined);
    if (isJsonObject(value)) found.push(value);
  }
  return found;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
