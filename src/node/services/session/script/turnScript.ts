/** The script of an agent, turn by turn, as written in a file. */
import * as z from "zod/mini";
import type { StreamErrorType } from "@/node/services/session/streamEvents";

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

const words = z.string().check(z.minLength(1));

const taskSchema: z.ZodMiniType<ScriptedTask> = z.strictObject({
  agent: words,
  prompt: words,
  get turns() {
    return z._default(z.array(turnSchema), []);
  },
  background: z._default(z.boolean(), false),
});

const actions = {
  say: words,
  bash: words,
  write: z.strictObject({ path: words, content: z.string() }),
  edit: z.strictObject({ path: words, find: words, replace: z.string() }),
  task: z.pipe(
    z.transform((one: unknown) => (Array.isArray(one) ? (one as unknown[]) : [one])),
    z.array(taskSchema).check(z.minLength(1))
  ),
  report: words,
  ask: words,
  fail: z.pipe(
    z.transform((error: unknown) => (typeof error === "string" ? { error } : error)),
    z.strictObject({ error: words, type: z._default(z.enum(ERROR_TYPES), "api") })
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
