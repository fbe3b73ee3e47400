/** What a scripted agent does, turn by turn, as it stands in a file. */
import * as z from "zod";
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
  /** What the sub-agent does. */
  readonly turns: readonly ScriptedTurn[];
  /** The agent does not wait for the report. */
  readonly background: boolean;
}

/** One thing the agent does; exactly one key is there. */
export interface ScriptedStep {
  /** Text, streamed. */
  readonly say?: string | undefined;
  /** A script for the shell, in the project. */
  readonly bash?: string | undefined;
  readonly write?: { readonly path: string; readonly content: string } | undefined;
  readonly edit?: ScriptedEdit | undefined;
  /** Sub-agents, all at once; one alone needs no list. */
  readonly task?: readonly ScriptedTask[] | undefined;
  /** A sub-agent's report of its own making. */
  readonly report?: string | undefined;
  /** A question to the user, which ends the turn. */
  readonly ask?: string | undefined;
  /** The model fails, which ends the turn; the message alone is enough. */
  readonly fail?: { readonly error: string; readonly type: StreamErrorType } | undefined;
  /** Why the model stops here, where it does not stop of itself. */
  readonly finish?: "stop" | "length" | "refusal" | "error" | undefined;
}

interface ScriptedEdit {
  readonly path: string;
  readonly find: string;
  readonly replace: string;
}

/** What one call of the model does. A turn that only says something may be the text alone. */
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
  .refine((step) => Object.keys(step).length === 1, "expected exactly one thing to do");

const turnSchema: z.ZodType<ScriptedTurn> = z.preprocess(
  (turn) => (typeof turn === "string" ? [{ say: turn }] : turn),
  z.array(stepSchema)
);

export const turnScriptSchema: z.ZodType<TurnScript> = z.strictObject({
  turns: z.array(turnSchema),
});
