/** Reads the scripts of `ScriptedAIService` from YAML: the actions of an agent, turn by turn. Errors have positions. */
import * as z from "zod/mini";
import { err, ok, Result } from "neverthrow";
import { type Document, isCollection, isNode, parseDocument } from "yaml";
import { type Diagnostic, fileDiagnostic } from "@/common/diagnostics";
import { ENGLISH } from "@/common/zodEnglish";
import { describeError } from "@/common/errors";
import { MIB } from "@/common/limits";
import { type KeyPath, SourceFile, YAML } from "@/common/source/SourceFile";
import { formatKeyPath } from "@/common/source/SourceNode";
import type { Files } from "@/node/runtime/HookRuntime";
import type { StreamErrorType } from "@/node/services/session/aiServiceTypes";

const ERROR_TYPES = [
  "authentication",
  "rate_limit",
  "server_error",
  "api",
  "network",
  "context_exceeded",
  "quota",
  "model_not_found",
  "unknown",
] as const satisfies readonly StreamErrorType[];

export interface ScriptedTask {
  readonly agent: string;
  readonly prompt: string;
  /** The turns of the sub-agent. */
  readonly turns: readonly ScriptedTurn[];
  /** The agent does not wait for the report. */
  readonly background: boolean;
}

/** One action of the agent, with exactly one key. */
export interface ScriptedStep {
  /** Text to stream. */
  readonly say?: string | undefined;
  /** A shell script, run in the project. */
  readonly bash?: string | undefined;
  readonly write?: { readonly path: string; readonly content: string } | undefined;
  readonly edit?: ScriptedEdit | undefined;
  /** Sub-agents that run at the same time. A single one needs no list. */
  readonly task?: readonly ScriptedTask[] | undefined;
  /** A report that a sub-agent writes itself. */
  readonly report?: string | undefined;
  /** A question to the user, which ends the turn. */
  readonly ask?: string | undefined;
  /** A failure of the model, which ends the turn. The message alone is enough. */
  readonly fail?: { readonly error: string; readonly type: StreamErrorType } | undefined;
  /** The model's reason to stop, if it is not a regular end. */
  readonly finish?: "stop" | "length" | "refusal" | "error" | undefined;
}

export interface ScriptedEdit {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
}

/** One call of the model. A turn that only has text may be the text alone. */
export type ScriptedTurn = readonly ScriptedStep[];

export interface TurnScript {
  readonly turns: readonly ScriptedTurn[];
}

// A YAML alias can make a script contain itself. Schemas that are created from here on accept such a value.
z.config({ memoizer: z.memoizer() });

const nonEmpty = z.string().check(z.minLength(1));

const taskSchema: z.ZodMiniType<ScriptedTask> = z.strictObject({
  agent: nonEmpty,
  prompt: nonEmpty,
  get turns() {
    return z._default(z.array(turnSchema), []);
  },
  background: z._default(z.boolean(), false),
});

const actions = {
  say: nonEmpty,
  bash: nonEmpty,
  write: z.strictObject({ path: nonEmpty, content: z.string() }),
  edit: z.strictObject({ path: nonEmpty, find: nonEmpty, replace: z.string() }),
  task: z.pipe(
    z.transform((one: unknown) => (Array.isArray(one) ? (one as unknown[]) : [one])),
    z.array(taskSchema).check(z.minLength(1))
  ),
  report: nonEmpty,
  ask: nonEmpty,
  fail: z.pipe(
    z.transform((error: unknown) => (typeof error === "string" ? { error } : error)),
    z.strictObject({ error: nonEmpty, type: z._default(z.enum(ERROR_TYPES), "api") })
  ),
  finish: z.enum(["stop", "length", "refusal", "error"]),
};

const stepSchema: z.ZodMiniType<ScriptedStep> = z
  .partial(z.strictObject(actions))
  .check(
    z.refine(
      (step) => Object.keys(step).length === 1,
      `expected exactly one of ${Object.keys(actions).join(", ")} in this step of the script`
    )
  );

const turnSchema: z.ZodMiniType<ScriptedTurn> = z.pipe(
  z.transform((turn: unknown) => (typeof turn === "string" ? [{ say: turn }] : turn)),
  z.array(stepSchema)
);

export const turnScriptSchema: z.ZodMiniType<TurnScript> = z.strictObject({
  turns: z.array(turnSchema),
});

const MAX_SCRIPT_BYTES = MIB;

/** Loads a script from a regular file of at most 1 MiB. Returns its errors with their positions. */
export async function loadTurnScript(
  files: Files,
  path: string
): Promise<Result<TurnScript, Diagnostic[]>> {
  const [stat] = await files.stat([path]);
  if (stat?.kind !== "file") {
    const why =
      stat?.kind === "failed" ? stat.failure.message : NOT_A_FILE[stat?.kind ?? "missing"];
    return err([problem(path, `the script cannot be read: ${why}`)]);
  }
  if (stat.size > MAX_SCRIPT_BYTES) {
    return err([problem(path, `the script is larger than ${MAX_SCRIPT_BYTES / MIB} MiB`)]);
  }
  const read = await files.readFile(path, { maxBytes: MAX_SCRIPT_BYTES });
  if (read.isErr()) return err([problem(path, read.error.message)]);
  return parseTurnScript(new TextDecoder().decode(read.value), path);
}

const NOT_A_FILE = {
  missing: "it does not exist",
  directory: "it is a folder",
  other: "it is a FIFO, a socket or a device",
} as const;

/** Parses a script. `file` is used only in messages. */
export function parseTurnScript(text: string, file: string): Result<TurnScript, Diagnostic[]> {
  const source = new SourceFile(file, text, YAML);
  // Deep nesting overflows the parser, and it throws on aliases of aliases.
  const parsed = Result.fromThrowable(
    () => {
      const document = parseDocument(text, { prettyErrors: false });
      const value: unknown = document.errors.length === 0 ? document.toJS() : undefined;
      return { document, checked: turnScriptSchema.safeParse(value, ENGLISH) };
    },
    (thrown) => [problem(file, `the script cannot be read: ${describeError(thrown)}`)]
  )();
  return parsed.andThen(({ document, checked }) => {
    const [syntaxError] = document.errors;
    if (syntaxError !== undefined) {
      const place = source.placeOf(syntaxError.pos[0]);
      return err([{ ...problem(file, syntaxError.message), ...place }]);
    }
    if (checked.success) return ok(checked.data);
    return err(
      checked.error.issues.map((issue) => ({
        ...problem(file, issue.message),
        ...source.placeOf(offsetOf(document, issue.path)),
        keyPath: formatKeyPath(issue.path, YAML),
      }))
    );
  });
}

function problem(file: string, message: string): Diagnostic {
  return fileDiagnostic("error", file, message);
}

/** Returns the offset of the value at the path, or of its nearest ancestor in the file. */
function offsetOf(document: Document, path: KeyPath): number {
  let node: unknown = document.contents;
  for (const key of path) {
    if (!isCollection(node)) break;
    const child: unknown = node.get(key, true);
    if (isNode(child)) node = child;
    // A single value is allowed in place of a list.
    else if (key !== 0) break;
  }
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
