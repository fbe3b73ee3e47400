/** Parses the output of one hook: JSON, which decides, or text, which does not (H19). */
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { KEPT_OUTPUT_BYTES, MIB } from "@/common/limits";
import { plainText } from "@/common/text";
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
  /** For the user. */
  readonly warnings: readonly string[];
  /** For the record. */
  readonly notes: readonly string[];
}

const NOTHING: ParsedOutput = {
  endsTurn: false,
  suppressOutput: false,
  decides: false,
  warnings: [],
  notes: [],
};

/** Parses standard output: a JSON object if it begins with `{`, otherwise text, which decides nothing. */
export function readStdout(stdout: CapturedOutput, event: HookEventName): ParsedOutput {
  const text = stdout.text.trim(); // Also removes a byte-order mark.
  if (text === "") return NOTHING;
  if (text.startsWith("{") && stdout.truncated) {
    return { ...NOTHING, warnings: [jsonTruncated(`${KEPT_OUTPUT_BYTES / MIB} MiB`)] };
  }
  const parsed = parseJson(text);
  if (parsed.isErr()) return readText(text, parsed.error);
  if (isJsonObject(parsed.value)) return readObject(parsed.value, event);
  return { ...NOTHING, warnings: [JSON_NOT_OBJECT] };
}

function readText(text: string, problem: string): ParsedOutput {
  if (text.startsWith("{")) {
    return { ...NOTHING, warnings: [jsonInvalid(problem)] };
  }
  const hidden = text.split("\n").some((line) => line.startsWith("{") && parseJson(line).isOk());
  if (!hidden) return NOTHING;
  return { ...NOTHING, notes: [TEXT_BEFORE_JSON] };
}

/** Reads the object that a command printed or an in-process handler returned. */
export function readObject(output: JsonObject, event: HookEventName): ParsedOutput {
  const warnings: string[] = [];
  const notes: string[] = [];
  const field = fieldReader(output, warnings);

  const decision = field("decision");
  const continues = field("continue");
  const stopReason = text(field("stopReason"));
  const systemMessage = text(field("systemMessage"));
  const suppressOutput = field("suppressOutput") === true;
  const specific = readSpecific(output, event, warnings, notes);
  const reason = text(field("reason"));

  let blockReason: string | undefined;
  if (decision === "block") {
    if (reason === undefined) warnings.push(BLOCK_NEEDS_REASON);
    else blockReason = reason;
  } else if (decision !== undefined && decision !== "approve") {
    warnings.push(unknownDecision(decision));
  }
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
  warnings: string[],
  notes: string[]
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
  if ("decision" in specific) notes.push(DECISION_IN_SPECIFIC);
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
