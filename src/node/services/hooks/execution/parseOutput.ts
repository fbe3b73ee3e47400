/**
 * Parses the output of one hook: JSON, which decides, or text, which does not (H19). Fields that cannot be used become
 * warnings. Also cleans and shortens texts of hooks for agents and users (H20).
 */
import { scanObjects } from "@/common/findJsonObjects";
import { isJsonObject, type JsonObject, parseJson } from "@/common/json";
import { KEPT_OUTPUT_BYTES, MIB } from "@/common/limits";
import { clip, firstLine, plainText } from "@/common/safeText";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";
import { hookOutputSchema } from "@/node/services/hooks/contract/inputOutputSchemas";
import type { HookEventName } from "@/node/services/hooks/contract/types";

/** The requests in a hook's output, regardless of its exit code. */
export interface ParsedOutput {
  readonly blockReason?: string;
  /** The reason of an object without a decision, which only exit 2 uses. */
  readonly reason?: string | undefined;
  readonly context?: string;
  readonly endsTurn: boolean;
  readonly stopReason?: string;
  readonly systemMessage?: string;
  readonly suppressOutput: boolean;
  /** Whether the object has a decision, `continue`, additional context or a system message. */
  readonly decides: boolean;
  /** Whether a part that could have blocked cannot be used, which is a failure for a hook with `failClosed` (H44). */
  readonly isUnclear: boolean;
  /** For the user. */
  readonly warnings: readonly string[];
  /** For the record. */
  readonly notes: readonly string[];
}

const NOTHING: ParsedOutput = {
  endsTurn: false,
  suppressOutput: false,
  decides: false,
  isUnclear: false,
  warnings: [],
  notes: [],
};

function unclear(warning: string): ParsedOutput {
  return { ...NOTHING, isUnclear: true, warnings: [warning] };
}

/** Parses standard output: a JSON object if it begins with `{`, otherwise text, which decides nothing. */
export function readStdout(stdout: CapturedOutput, event: HookEventName): ParsedOutput {
  const text = stdout.text.trim(); // Also removes a byte-order mark.
  if (text === "") return NOTHING;
  if (text.startsWith("{") && stdout.truncated) {
    return unclear(
      `the JSON output was truncated at ${KEPT_OUTPUT_BYTES / MIB} MiB, so it is treated as plain text, which contains no decision; print less`
    );
  }
  const parsed = parseJson(text);
  if (parsed.isErr()) return readText(text, parsed.error);
  if (isJsonObject(parsed.value)) return readObject(parsed.value, event);
  return unclear(
    "the output is JSON but not an object, so it is treated as plain text, which contains no decision"
  );
}

function readText(text: string, problem: string): ParsedOutput {
  if (text.startsWith("{"))
    return unclear(
      `the output begins with { but is not valid JSON (${problem}), so it is treated as plain text, which contains no decision; print one JSON object and nothing else`
    );
  for (const { kind, start, end } of scanObjects(text)) {
    if (kind === "broken" || text.charAt(start - 1) !== "\n") continue;
    const object = parseJson(text.slice(start, end)).unwrapOr(undefined);
    if (isJsonObject(object) && DECIDING_FIELDS.some((name) => name in object)) {
      return unclear(
        "text precedes the JSON, so the whole output is treated as plain text, which contains no decision; print one JSON object and nothing else"
      );
    }
  }
  return NOTHING;
}

const DECIDING_FIELDS: readonly (keyof Shape)[] = [
  "decision",
  "continue",
  "systemMessage",
  "hookSpecificOutput",
];

/** Reads the object that a command printed, a server sent or an in-process handler returned. */
export function readObject(output: JsonObject, event: HookEventName): ParsedOutput {
  const warnings: string[] = [];
  const notes: string[] = [];
  const specific = readSpecific(output, event, warnings);
  const field = fieldReader(output, warnings);

  const decision = field("decision");
  const continues = field("continue");
  if (decision !== undefined && decision !== "block" && decision !== "approve") {
    warnings.push(
      `unknown decision "${clip(decision, 60)}", which counts as absent; use "block" or "approve"`
    );
  }
  const isReadable = warnings.length === 0;
  const reason = text(field("reason"));
  const blockReason = decision === "block" ? reason : undefined;
  const lacksReason = decision === "block" && reason === undefined;
  if (lacksReason)
    warnings.push('decision "block" needs a reason; without one it counts as absent');
  const stopReason = text(field("stopReason"));
  const systemMessage = text(field("systemMessage"));
  const suppressOutput = field("suppressOutput") === true;
  const endsTurn = continues === false;
  if (endsTurn && decision === "block")
    notes.push('decision "block" ignored, because continue: false takes precedence');
  return {
    blockReason,
    reason: decision === undefined ? reason : undefined,
    context: specific,
    stopReason: endsTurn ? stopReason : undefined,
    systemMessage,
    endsTurn,
    suppressOutput,
    decides: [decision, continues, specific, systemMessage].some((found) => found !== undefined),
    isUnclear: !isReadable || lacksReason,
    warnings,
    notes,
  };
}

type Shape = typeof hookOutputSchema.shape;
type FieldName = Exclude<keyof Shape, "hookSpecificOutput">;

/** Returns a function that reads one field. A field of the wrong type counts as absent, with a warning. */
function fieldReader(output: JsonObject, warnings: string[]) {
  return <K extends FieldName>(name: K): Shape[K]["_zod"]["output"] | undefined => {
    const value = output[name];
    if (value === undefined || value === null) return undefined;
    const parsed = hookOutputSchema.shape[name].safeParse(value);
    if (parsed.success) return parsed.data;
    warnings.push(`the field "${name}" has the wrong type (${typeof value}) and counts as absent`);
    return undefined;
  };
}

function readSpecific(
  output: JsonObject,
  event: HookEventName,
  warnings: string[]
): string | undefined {
  const specific = output.hookSpecificOutput;
  if (specific === undefined || specific === null) return undefined;
  if (!isJsonObject(specific)) {
    warnings.push('the field "hookSpecificOutput" is not an object and counts as absent');
    return undefined;
  }
  const target = specific.hookEventName ?? event;
  if (target !== event) {
    const named = typeof target === "string" ? `is for "${target}"` : "has no valid hookEventName";
    warnings.push(
      `hookSpecificOutput ${named} and is ignored; its hookEventName must be "${event}"`
    );
    return undefined;
  }
  if ("decision" in specific)
    warnings.push("the decision inside hookSpecificOutput is ignored; put it at the top level");
  const context = specific.additionalContext;
  if (context !== undefined && context !== null && typeof context !== "string") {
    warnings.push("additionalContext is not a string and counts as absent");
  }
  return typeof context === "string" ? text(context) : undefined;
}

/**
 * Cleans text for an agent or a user: removes control characters, leading blank lines and trailing white space. Blank
 * text counts as absent (H20).
 */
export function text(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const clean = plainText(value)
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
  return clean === "" ? undefined : clean;
}

/** Returns the first line of foreign text, short enough for a message. */
export function shortLine(text: string): string {
  return clip(firstLine(plainText(text.slice(0, 4 * MAX_LINE_CHARS))), MAX_LINE_CHARS);
}

const MAX_LINE_CHARS = 300;
