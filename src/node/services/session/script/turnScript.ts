/** The script of an agent, turn by turn, as written in a file. */
import * as z from "zod";
import { ONE_ACTION } from "@/node/services/session/messages";
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

interface ScriptedEdit {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
}

/** One call of the model. A turn that only has text may be the text alone. */
export type ScriptedTurn = readonly ScriptedStep[];

export interface TurnScript {
  readonly turns: readonly ScriptedTurn[];
}

const words = z.string().min(1);

const taskSchema: z.ZodType<ScriptedTask> = z.strictObject({
  agent: words,
  prompt: words,
  get turns() {
    return z.array(turnSchema).default([]);
  },
  background: z.boolean().default(false),
});

const stepSchema: z.ZodType<ScriptedStep> = z
  .strictObject({
    say: words,
    bash: words,
    write: z.strictObject({ path: words, content: z.string() }),
    edit: z.strictObject({ path: words, find: words, replace: z.string() }),
    task: z.preprocess(
      (one: unknown) => (Array.isArray(one) ? (one as unknown[]) : [one]),
      z.array(taskSchema).min(1)
    ),
    report: words,
    ask: words,
    fail: z.preprocess(
      (error) => (typeof error === "string" ? { error } : error),
      z.strictObject({ error: words, type: z.enum(ERROR_TYPES).default("api") })
    ),
    finish: z.enum(["stop", "length", "refusal", "error"]),
  })
  .partial()
  .refine((step) => Object.keys(step).length === 1, ONE_ACTION);

const turnSchema: z.ZodType<ScriptedTurn> = z.preprocess(
  (turn) => (typeof turn === "string" ? [{ say: turn }] : turn),
  z.array(stepSchema)
);

export const turnScriptSchema: z.ZodType<TurnScript> = z.strictObject({
  turns: z.array(turnSchema),
});
