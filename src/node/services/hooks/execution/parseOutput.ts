/** Parses the output of one hook: JSON, which decides, or text, which does not (§4, H19). */
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { plainText } from "@/common/text";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";
import { hookOutputSchema } from "@/node/services/hooks/contract/outputSchema";
import type { HookEventName } from "@/node/services/hooks/contract/types";

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
    return { ...NOTHING, warnings: ["its JSON is longer than what is kept, so it counts as text"] };
  }
  const parsed = parseJson(text);
  if (parsed.isErr()) return readText(text, parsed.error);
  if (isJsonObject(parsed.value)) return readObject(parsed.value, event);
  return { ...NOTHING, warnings: ["its output is JSON but no object, so it counts as text"] };
}

function readText(text: string, problem: string): ParsedOutput {
  if (text.startsWith("{")) {
    const warning = `its output begins like JSON but does not parse (${problem}), so it counts as text; print one JSON object and nothing else`;
    return { ...NOTHING, warnings: [warning] };
  }
  const hidden = text.split("\n").some((line) => line.startsWith("{") && parseJson(line).isOk());
  if (!hidden) return NOTHING;
  return { ...NOTHING, notes: ["text stands before its JSON, so all of it counts as text"] };
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
    if (reason === undefined) warnings.push("it blocks without a reason, which counts as no block");
    else blockReason = reason;
  } else if (decision !== undefined && decision !== "approve") {
    warnings.push(`its decision "${decision}" is not known (block, approve), so it does not block`);
  }
  const endsTurn = continues === false;
  if (endsTurn && decision === "block") {
    notes.push("it blocks and says continue: false, which wins");
  }
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
    warnings.push(`its field "${name}" has the wrong type (${typeof value}) and counts as absent`);
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
    warnings.push('its field "hookSpecificOutput" is no object and counts as absent');
    return undefined;
  }
  const target = specific.hookEventName ?? event;
  if (target !== event) {
    const named = typeof target === "string" ? `"${target}"` : "no event";
    warnings.push(`its hookSpecificOutput is for ${named}, not for ${event}, and is ignored`);
    return undefined;
  }
  if ("decision" in specific) {
    notes.push("a decision inside hookSpecificOutput is not read; it belongs at the top level");
  }
  const context = specific.additionalContext;
  if (context !== undefined && context !== null && typeof context !== "string") {
    warnings.push("its additionalContext is no text and counts as absent");
  }
  return typeof context === "string" ? text(context) : undefined;
}

/**
 * Cleans text for an agent or a user: removes control characters and blank edges. Blank text counts as absent (H20).
 */
export function text(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const clean = plainText(value)
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
  return clean === "" ? undefined : clean;
}
