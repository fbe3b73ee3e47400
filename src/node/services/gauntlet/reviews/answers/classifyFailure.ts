/** Classifies why a reviewer gave no answer, by its output (G13). */
import { clip, plainText } from "@/common/text";

/** `loggedOut` and `offline` are for the user to fix, as `rateLimited` is in time. */
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
  /\blog(?:ged)?[ -]?(?:in|out)\b/i,
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
 * Returns the last line that names an error, or else the last one, for a message. Prefers standard error. Codex ends with
 * its token count.
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
