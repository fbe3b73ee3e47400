/** Parses the output of one hook: JSON, which decides, or text, which does not (H19). */
import { scanObjects } from "@/common/findJsonObjects";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { KEPT_OUTPUT_BYTES, MIB } from "@/common/limits";
import { clip, firstLine, plainText } from "@/common/text";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";
import { hookOutputSchema } from "@/node/services/hooks/contract/outputSchema";
import type { HookEventName } from "@/node/services/hooks/contract/types";
import {
  BLOCK_NEEDS_REASON,
  CONTEXT_NOT_STRING,
  DECISION_IN_SPECIFIC,
  END_OVERRIDES_BLOCK,
  fieldInvalid,
  JSON_NOT_OBJECT,
  jsonInvalid,
  jsonTruncated,
  otherEvent,
  SPECIFIC_NOT_OBJECT,
  TEXT_BEFORE_JSON,
  unknownDecision,
} from "@/node/services/hooks/messages/execution";

/** The requests in a hook's output, regardless of its exit code. */
export interface ParsedOutput {
  readonly blockReason?: string;
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
    return unclear(jsonTruncated(`${KEPT_OUTPUT_BYTES / MIB} MiB`));
  }
  const parsed = parseJson(text);
  if (parsed.isErr()) return readText(text, parsed.error);
  if (isJsonObject(parsed.value)) return readObject(parsed.value, event);
  return unclear(JSON_NOT_OBJECT);
}

function readText(text: string, problem: string): ParsedOutput {
  if (text.startsWith("{")) return unclear(jsonInvalid(problem));
  for (const { kind, start, end } of scanObjects(text)) {
    if (kind === "broken" || !beginsLine(text, start)) continue;
    const object = parseJson(text.slice(start, end)).unwrapOr(undefined);
    if (isJsonObject(object) && DECIDING_FIELDS.some((name) => name in object)) {
      return unclear(TEXT_BEFORE_JSON);
    }
  }
  return NOTHING;
}

function beginsLine(text: string, at: number): boolean {
  return text.charAt(at - 1) === "\n";
}

const DECIDING_FIELDS: readonly (keyof Shape)[] = [
  "decision",
  "continue",
  "systemMessage",
  "hookSpecificOutput",
];

/** Reads the object that a command printed or an in-process handler returned. */
export function readObject(output: JsonObject, event: HookEventName): ParsedOutput {
  const warnings: string[] = [];
  const notes: string[] = [];
  const specific = readSpecific(output, event, warnings);
  const field = fieldReader(output, warnings);

  const decision = field("decision");
  const continues = field("continue");
  if (decision !== undefined && decision !== "block" && decision !== "approve") {
    warnings.push(unknownDecision(decision));
  }
  const isReadable = warnings.length === 0;
  const reason = text(field("reason"));
  const blockReason = decision === "block" ? reason : undefined;
  const lacksReason = decision === "block" && reason === undefined;
  if (lacksReason) warnings.push(BLOCK_NEEDS_REASON);
  const stopReason = text(field("stopReason"));
  const systemMessage = text(field("systemMessage"));
  const suppressOutput = field("suppressOutput") === true;
  const endsTurn = continues === false;
  if (endsTurn && decision === "block") notes.push(END_OVERRIDES_BLOCK);
  return {
    ...(blockReason === undefined ? {} : { blockReason }),
    ...(specific === undefined ? {} : { context: specific }),
    ...(endsTurn && stopReason !== undefined ? { stopReason } : {}),
    ...(systemMessage === undefined ? {} : { systemMessage }),
    endsTurn,
    suppressOutput,
    decides:
      decision !== undefined ||
      continues !== undefined ||
      specific !== undefined ||
      systemMessage !== undefined,
    isUnclear: !isReadable || lacksReason,
    warnings,
    notes,
  };
}

type Shape = typeof hookOutputSchema.shape;
type FieldName = Exclude<keyof Shape, "hookSpecificOutput">;
type FieldValue<K extends FieldName> = Shape[K]["_zod"]["output"] | undefined;

/** Returns a function that reads one field. A field of the wrong type counts as absent, with a warning. */
function fieldReader(output: JsonObject, warnings: string[]) {
  return <K extends FieldName>(name: K): FieldValue<K> => {
    const value = output[name];
    if (value === undefined || value === null) return undefined;
    const parsed = hookOutputSchema.shape[name].safeParse(value);
    if (parsed.success) return parsed.data;
    warnings.push(fieldInvalid(name, typeof value));
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
    warnings.push(SPECIFIC_NOT_OBJECT);
    return undefined;
  }
  const target = specific.hookEventName ?? event;
  if (target !== event) {
    warnings.push(otherEvent(typeof target === "string" ? target : undefined, event));
    return undefined;
  }
  if ("decision" in specific) warnings.push(DECISION_IN_SPECIFIC);
  const context = specific.additionalContext;
  if (context !== undefined && context !== null && typeof context !== "string") {
    warnings.push(CONTEXT_NOT_STRING);
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
