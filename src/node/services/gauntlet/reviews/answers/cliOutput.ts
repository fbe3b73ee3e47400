/**
 * Extracts the model's text, errors and token counts from the output of reviewers, and classifies failures, such as a
 * rate limit or a missing login (G13). In the JSON formats the model's text is a string, so it cannot forge the objects
 * around it by quoting them.
 */
import { isJsonObject, objectOf, parseJson, type JsonObject } from "@/common/json";
import { scanObjects } from "@/common/findJsonObjects";
import { clip, plainText } from "@/common/safeText";

/** A function that returns the model's text, or undefined if the output has another format. */
export type Unwrap = (stdout: string) => string | undefined;

/** Unwraps `{"type":"result","result":"…"}`, alone, as the last of streamed events, or in an array (claude, cursor). */
export const unwrapResult: Unwrap = (stdout) =>
  events(stdout, '"result"').findLast(({ type, result }) => type === "result" && isText(result))
    ?.result as string | undefined;

/** Unwraps `{"response":"…","stats":{…}}` (gemini). */
export const unwrapResponse: Unwrap = (stdout) =>
  events(stdout, '"response"').findLast(({ response }) => isText(response))?.response as
    | string
    | undefined;

/** Unwraps `{"type":"text","part":{"type":"text","text":"…"}}`, one per line, and joins the texts (opencode). */
export const unwrapTextParts: Unwrap = (stdout) =>
  joined(events(stdout, '"text"').map(({ type, part }) => (type === "text" ? part : undefined)));

/** Unwraps `{"type":"item.completed","item":{"type":"agent_message","text":"…"}}` lines (`codex exec --json`). */
const unwrapAgentMessages: Unwrap = (stdout) =>
  joined(
    events(stdout, '"agent_message"').map(({ type, item }) =>
      type === "item.completed" && objectOf(item).type === "agent_message" ? item : undefined
    )
  );

/** Joins the texts of these parts. Returns undefined if there is none. */
function joined(parts: readonly unknown[]): string | undefined {
  const texts = parts.map((part) => objectOf(part).text).filter(isText);
  return texts.length === 0 ? undefined : texts.join("\n");
}

const ALL = [unwrapResult, unwrapResponse, unwrapTextParts, unwrapAgentMessages];

/**
 * Unwraps any of the formats, for an unknown program. Returns output unchanged unless it consists of JSON objects
 * alone: in plain text, a wrapper may be a quotation by the model.
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
 * Returns the error that a program reports as JSON: `{"is_error":true,…}`, `{"subtype":"error_max_turns",…}`,
 * `{"type":"error",…}`, `{"error":{…}}`, or a stop reason such as `refusal`. Requires output that is JSON objects
 * alone, so that a model cannot quote an error (G13).
 */
export function unwrapError(stdout: string): string | undefined {
  if (!isNothingButObjects(stdout)) return undefined;
  const found = events(stdout, '"').findLast(isError);
  return found && JSON.stringify(found);
}

/** Returns whether a program reports an error with or after the model's last text, which may be incomplete (G12). */
export function endsInError(stdout: string): boolean {
  const all = events(stdout, '"');
  const failed = all.findLastIndex(isError);
  const isLater = ({ type, result, response, part, item }: JsonObject): boolean =>
    (type === "result" && isText(result)) ||
    isText(response) ||
    [part, item].some((inner) => isText(objectOf(inner).text));
  return failed !== -1 && !all.slice(failed + 1).some(isLater);
}

function isError({ is_error: flag, type, subtype, error, stop_reason: reason, part }: JsonObject) {
  const end = reason ?? objectOf(part).reason;
  return (
    flag === true ||
    type === "error" ||
    (isText(subtype) && subtype.startsWith("error")) ||
    error != null ||
    ["refusal", "max_tokens", "length"].some((known) => known === end)
  );
}

/** Returns how many tokens a program reports that its call used, or 0: claude, qwen and codex, gemini, opencode. */
export function usedTokens(stdout: string, stderr: string): number {
  const all = events(stdout, "tokens");
  const usage = all.findLast((event) => isJsonObject(event.usage))?.usage;
  if (isJsonObject(usage)) return numberOf(usage.total_tokens) || sumOf(usage, COUNTS);
  const models = all.flatMap(({ stats }) => Object.values(objectOf(objectOf(stats).models)));
  const parts = [...models, ...all.map(({ part }) => part)]
    .map((one) => objectOf(one).tokens)
    .filter(isJsonObject);
  if (parts.length > 0) {
    const used = parts.map((one) => numberOf(one.total) || sumOf(one, ["input", "output"]));
    return used.reduce((sum, count) => sum + count, 0);
  }
  const [, printed = "0"] = /tokens used:?\s*([\d,]+)\s*$/i.exec(stderr) ?? [];
  return Number(printed.replaceAll(",", ""));
}

const COUNTS = [
  "input_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "output_tokens",
];

const sumOf = (values: JsonObject, keys: readonly string[]): number =>
  keys.reduce((sum, key) => sum + numberOf(values[key]), 0);

const numberOf = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

function isNothingButObjects(stdout: string): boolean {
  let at = 0;
  for (const { kind, start, end } of scanObjects(stdout)) {
    if (kind === "broken" || stdout.slice(at, start).trim() !== "") return false;
    at = end;
  }
  return at > 0 && stdout.slice(at).trim() === "";
}

/** Returns every outermost object whose text contains `mark`. */
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

/** The kind of a failure. The user has to fix `loggedOut` and `offline`; `rateLimited` ends after some time. */
export type ReviewerFailure = "rateLimited" | "refused" | "loggedOut" | "offline" | "unknown";

/** Longer standard output is a review, which may itself mention rate limits. */
const MAX_NOTICE_CHARS = 2_000;
/** Standard error may hold a whole session. The reason for its end is in the last lines. */
const LAST_LINES = 20;
const MAX_LINE_CHARS = 1_000;

const RATE_LIMIT = [
  /\brate[ _-]?limit/i,
  /\b(?:usage|session|weekly|daily|monthly|hourly|request|spending) limit\b/i,
  /\b(?:hit|reached|exceeded) (?:your|the) .{0,40}\b(?:limit|quota)\b/i,
  /\blimit (?:reached|exceeded)\b/i,
  /\b(?:status|code|error|http)\W{0,4}(?:429|529)\b/i,
  /^\W*(?:429|529)\b/,
  /\btoo many requests\b/i,
  /\bquota\b/i,
  /\boverloaded(?:_error)?\b|\bat capacity\b|\bupgrade to (?:plus|pro)\b/i,
  /\bresource(?:_| has been | )exhausted\b/i,
  /\bcredit balance is too low\b|\b(?:insufficient|out of) credits\b/i,
];

const LOGGED_OUT = [
  // Not `logged in /tmp/x.log`, nor `the log in x.log`.
  /\b(?<!\bthe (?=log ))log(?:ged)?[ -]?(?:in|out)\b(?! ["'`]?[.~]{0,2}\/)/i,
  /\bsign(?:ed)?[ -]?in\b|\brun \/auth\b/i,
  /\b(?:invalid|incorrect|missing|no|expired) (?:\w+ )?(?:api[ _-]?key|token|credentials?|authentication)\b/i,
  /(?:api[ _-]?key|\bcredentials?) (?:\w+ ){0,3}(?:missing|invalid|incorrect|expired)\b|\btoken has expired\b/i,
  /\b(?:provide an|missing environment variable:|must specify the) \W?\w*api[ _]key\b/i,
  /\b(?:unauthori[sz]ed|unauthenticated|(?:not|must be) authenticated)\b/i,
  /\bauth(?:entication|orization)? (?:error|failed|required|expired|method|type)\b/i,
  /\b(?:status|code|error|http)\W{0,4}40[13]\b/i,
  /\bauthentication_error\b/i,
];

const OFFLINE = [
  /\b(?:ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)\b/,
  /\b(?:network|connection|socket|fetch|dns|stream)\b.{0,40}\b(?:error|failed|refused|reset|closed|lost|timed out|unreachable)\b/i,
  /\b(?:could not|couldn't|cannot|can't|unable to|failed to) (?:connect|reach|resolve)\b/i,
];

const REFUSAL = [
  /\bI(?:['’]m| am) (?:not able|unable) to (?:help|assist|comply|review|provide|continue|complete)/i,
  /\bI (?:can(?:not|['’]t| not)|won['’]t|will not|must decline to) (?:\w+ )?(?:help|assist|comply|review|provide|continue|complete|fulfil)/i,
  /\b(?:usage|content|acceptable use|safety) polic(?:y|ies)\b/i,
  /"stop_reason"\s*:\s*"refusal"/,
];

/**
 * Classifies a failure. The caller has removed the change that the reviewer was shown from both outputs, but not from a
 * JSON error.
 *
 * @param stdout standard output, or the JSON error in it
 * @param stderr standard error
 */
export function classifyFailure(stdout: string, stderr: string): ReviewerFailure {
  const notice = stdout.length <= MAX_NOTICE_CHARS ? stdout : "";
  const lines = [...lastLines(notice), ...lastLines(stderr)];
  const shows = (signs: readonly RegExp[]): boolean =>
    lines.some((line) => signs.some((sign) => sign.test(line)));
  if (shows(RATE_LIMIT)) return "rateLimited";
  if (shows(LOGGED_OUT)) return "loggedOut";
  if (shows(OFFLINE)) return "offline";
  if (REFUSAL.some((sign) => sign.test(notice))) return "refused";
  return "unknown";
}

/**
 * Returns the last line that names an error, or else the last one, for a message. Prefers standard error. Ignores the
 * token count at the end of Codex's output.
 */
export function lastWords(stdout: string, stderr: string): string {
  const lines = [...lastLines(stdout), ...lastLines(stderr)].filter((line) => !COUNT.test(line));
  return clip(lines.findLast((line) => ERROR.test(line)) ?? lines.at(-1) ?? "", 300);
}

const COUNT = /^(?:tokens? used\b.*|[\d.,\s]+)$/i;
const ERROR = /(?:error|fatal)\]?:/i;

function lastLines(text: string): readonly string[] {
  return plainText(text.slice(-LAST_LINES * MAX_LINE_CHARS))
    .split("\n")
    .map((line) => line.trim().slice(0, MAX_LINE_CHARS))
    .filter((line) => line !== "")
    .slice(-LAST_LINES);
}
