/**
 * Defines what the tools of an embedded session get from it (`ToolHost`, `Subagent`, tasks in the background), how a tool
 * is defined (`defineTool`), and the options for opening a session.
 */
import type { Result } from "neverthrow";
import * as z from "zod/mini";
import type { TurnOptions } from "@/common/chatMessage";
import { ENGLISH } from "@/common/zodEnglish";
import { describeError } from "@/common/errors";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { FrozenTurn, StopHookControllerOptions } from "@/node/services/hooks/index";
import type { AIService, Tool, ToolContext } from "@/node/services/session/aiServiceTypes";
import type { SendMessageError, SendMessageOptions } from "@/node/services/session/messageQueue";
import type { TurnOutcome } from "@/node/services/session/streamAnswer";

export interface ToolFailure {
  readonly success: false;
  readonly error: string;
}

export function toolFailure(error: string): ToolFailure {
  return { success: false, error };
}

/** Creates a tool that validates its input first, because a model may send anything. */
export function defineTool<Input>(
  name: string,
  schema: z.core.$ZodType<Input>,
  run: (input: Input, context: ToolContext) => Promise<unknown>
): Tool {
  return {
    name,
    execute: async (input, context) => {
      const parsed = z.safeParse(schema, input, ENGLISH);
      if (!parsed.success) return toolFailure(`${name}: ${z.prettifyError(parsed.error)}`);
      try {
        return await run(parsed.data, context);
      } catch (thrown) {
        return toolFailure(`${name} failed: ${describeError(thrown)}`);
      }
    },
  };
}

/** The part of a sub-agent's session that the task tool needs. */
export interface Subagent {
  readonly taskId: string;
  sendMessage(text: string, options?: SendMessageOptions): Promise<Result<void, SendMessageError>>;
  interruptStream(): Promise<void>;
  /** Resolves when nothing runs any longer: the hooks allowed the stop, or the turn ended in another way. */
  idle(): Promise<TurnOutcome | undefined>;
  dispose(): Promise<void>;
}

export interface SubagentRequest {
  readonly agentType: string;
  readonly aiService?: AIService;
}

/** The part of a session that its tools may use. */
export interface ToolHost {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  /** Whether a parent waits for a report. */
  readonly isSubagent: boolean;
  openSubagent(request: SubagentRequest): Promise<Result<Subagent, string>>;
  /**
   * Runs a task that outlives its tool call. Its end is sent to the session as a message. In a closed session `signal` is
   * already aborted.
   */
  runInBackground(task: BackgroundTask, run: (signal: AbortSignal) => Promise<string>): void;
}

export type CreateTools = (host: ToolHost) => readonly Tool[];

/** The options for opening an embedded session. */
export interface AgentSessionOptions {
  readonly workspaceId: string;
  /** The workspace's checkout, absolute. */
  readonly projectDir: string;
  /** Absolute, on this machine. Contains `chat.jsonl`, the hooks' records, and the sub-agents' sessions. */
  readonly sessionDir: string;
  readonly runtime: HookRuntime;
  readonly aiService: AIService;
  readonly createTools: CreateTools;
  readonly hooks?: Pick<StopHookControllerOptions, "builtins" | "load" | "person">;
  /** The defaults for messages without options. */
  readonly defaults: TurnOptions & { readonly model: string };
  /** The identity, if the session is a sub-agent's. */
  readonly subagent?: SubagentIdentity;
  /** An agent of the host itself, such as one that names chats: it has no hooks (H28). */
  readonly internalAgent?: boolean;
}

export interface SubagentIdentity {
  readonly agentType: string;
  readonly parentSessionId: string;
  /** The parent's `chat.jsonl`, absolute. */
  readonly parentTranscriptPath: string;
  /** The plan of the user's turn in which it was started, which it keeps (H7). */
  readonly turn?: FrozenTurn;
}

/** A task as hooks see it in `background_tasks` (H13). */
export interface BackgroundTask {
  readonly id: string;
  readonly type: "subagent";
  readonly description: string;
  readonly agent_type: string;
}

interface RunningTask {
  readonly task: BackgroundTask;
  readonly controller: AbortController;
  readonly finished: Promise<void>;
}

export class BackgroundTasks {
  readonly #running = new Map<string, RunningTask>();

  /** @param ended called with a message for the agent, except for a task that was cancelled */
  constructor(private readonly ended: (text: string) => void) {}

  list(): (BackgroundTask & { status: "running" })[] {
    return [...this.#running.values()].map(({ task }) => ({ ...task, status: "running" }));
  }

  run(task: BackgroundTask, work: (signal: AbortSignal) => Promise<string>): void {
    const controller = new AbortController();
    const finished = this.#finish(task.id, work(controller.signal), controller.signal);
    this.#running.set(task.id, { task, controller, finished });
  }

  /** Resolves when the last task has ended. */
  async cancelAll(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort();
    await Promise.all(running.map(({ finished }) => finished));
  }

  async #finish(id: string, work: Promise<string>, signal: AbortSignal): Promise<void> {
    const text = await work.catch((thrown: unknown) => `The task failed: ${describeError(thrown)}`);
    this.#running.delete(id);
    if (!signal.aborted) this.ended(`[Background task ${id} ended]\n${text}`);
  }
}
