/**
 * Makes `mux run` wait for the hooks: it would exit at the end of its first turn, so the result of its `sendMessage` is
 * delayed until the last turn that the hooks request has ended. Then ends hooks in the background. Reports a failure of
 * such a turn as that of the message, and sets the exit code after an unverified stop.
 */
import { deferred } from "@/common/abortable";
import { describeError } from "@/common/errors";
import { wrapMethod } from "@/host/loading/muxMembers";
import { featureOff, log, TURN_INTERRUPTED } from "@/host/hostLog";
import type { HostAgentSession, HostResult } from "@/host/muxTypes";

/** The members of the Stop interceptor that `mux run` needs. */
interface RunGate {
  /** Returns whether the last turn continues. Its continuation is already in the queue at that point. */
  continues(workspaceId: string): boolean;
  /**
   * Called before the workspace is left. Resolves when its background hooks have ended and its files on another machine
   * are removed, or at a time limit.
   */
  leave(workspaceId: string): Promise<void>;
}

/** The members of a session that only the command line uses. */
export interface RunSession extends HostAgentSession {
  subscribeChat(...args: unknown[]): Promise<unknown>;
  onChatEvent(listener: (event: { message: HostChatEvent }) => void): () => void;
  interruptStream(...args: unknown[]): Promise<unknown>;
  sendMessage(...args: Parameters<HostAgentSession["sendMessage"]>): Promise<SendResult>;
  dispose(): void;
}

interface HostChatEvent {
  readonly type: string;
  readonly error?: unknown;
}

type SendResult = HostResult<unknown>;

const NEEDED = ["subscribeChat", "onChatEvent", "interruptStream"] as const;
const SENT: SendResult = { success: true, data: undefined };
/** The time limit for a queued continuation. The host sends it right after the turn, unless it has failed. */
const QUEUE_LIMIT_MS = 30_000;

/** Patches the session for `mux run`. Call it once, when that command's module is loaded, and in no other command. */
export function attachRun(prototype: RunSession, gate: RunGate): void {
  const missing = NEEDED.filter((name) => typeof prototype[name] !== "function");
  if (missing.length > 0) {
    const methods = missing.map((method) => `AgentSession.${method}`);
    log(featureOff("run", methods));
    return;
  }
  /** The session of the command line itself. Sub-agents have other sessions. */
  let own: RunSession | undefined;
  let hold: RunUntilIdle | undefined;
  const holdOf = (session: RunSession): RunUntilIdle | undefined =>
    session === own ? hold : undefined;
  // Only the command line subscribes from the beginning.
  wrapMethod(prototype, "subscribeChat", (session, subscribeChat, ...args) => {
    own ??= session;
    return subscribeChat(...args);
  });
  wrapMethod(prototype, "sendMessage", async (session, sendMessage, ...args) => {
    if (session !== own) return await sendMessage(...args);
    if (hold !== undefined) return await hold.follow(sendMessage(...args));
    const wait = new RunUntilIdle(session, gate);
    hold = wait;
    try {
      const sent = await sendMessage(...args);
      const closed = sent.success ? await wait.closed.promise : sent;
      await gate.leave(session.workspaceId);
      return closed;
    } finally {
      wait.release();
      hold = undefined;
    }
  });
  wrapMethod(prototype, "interruptStream", (session, interruptStream, ...args) => {
    holdOf(session)?.interrupt();
    return interruptStream(...args);
  });
  wrapMethod(prototype, "dispose", (session, dispose) => {
    holdOf(session)?.release();
    dispose();
  });
  // The command line awaits its handling of chat events only after `sendMessage`. Until then a rejection is unhandled.
  process.on("unhandledRejection", (reason) => {
    const isOfCommandLine =
      reason instanceof Error && /[\\/]cli[\\/]run\.[jt]s/.test(reason.stack ?? "");
    if (hold === undefined || !isOfCommandLine) throw reason;
    hold.release();
  });
}

class RunUntilIdle {
  readonly closed = deferred<SendResult>();
  readonly #stopListening: () => void;
  /** Whether a continuation was requested. From then on, the command line does not detect a failure itself. */
  #isContinuation = false;
  #isInterrupted = false;
  #isCompacting = false;
  #queueTimer: NodeJS.Timeout | undefined;

  constructor(
    session: RunSession,
    private readonly gate: RunGate
  ) {
    this.#stopListening = session.onChatEvent(({ message }) => {
      this.#onEvent(message, session.workspaceId);
    });
  }

  /** Follows a message that the host sends by itself. After a turn, it is the continuation. */
  async follow(sending: Promise<SendResult>): Promise<SendResult> {
    const isContinuation = this.#queueTimer !== undefined;
    clearTimeout(this.#queueTimer);
    this.#queueTimer = undefined;
    try {
      const sent = await sending;
      if (isContinuation && !sent.success) this.#end(sent);
      return sent;
    } catch (thrown) {
      if (isContinuation) this.#fail(describeError(thrown));
      throw thrown;
    }
  }

  /** Handles a turn that the command line ends, as at its budget limit. The command line prints the reason. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /**
   * Ends the wait. At the end of a turn this happens synchronously in its event, so that the command line awaits its
   * own handler of that event.
   */
  release(): void {
    this.#end(SENT);
  }

  #onEvent({ type, error }: HostChatEvent, workspaceId: string): void {
    switch (type) {
      case "stream-end":
        this.#turnEnds(workspaceId);
        break;
      case "stream-error":
        this.#fail(typeof error === "string" ? error : "the model failed");
        break;
      case "stream-abort":
        this.#fail(TURN_INTERRUPTED);
        break;
      case "auto-compaction-triggered":
        this.#isCompacting = this.#isContinuation;
        break;
    }
  }

  #turnEnds(workspaceId: string): void {
    const isSummary = this.#isCompacting;
    this.#isCompacting = false;
    if (isSummary) return;
    if (!this.gate.continues(workspaceId)) {
      this.release();
      return;
    }
    this.#isContinuation = true;
    clearTimeout(this.#queueTimer);
    this.#queueTimer = setTimeout(() => {
      this.#fail(`Mux did not send it within ${QUEUE_LIMIT_MS / 1000} s`);
    }, QUEUE_LIMIT_MS);
  }

  /** Ends the wait after a failure. In the first turn the command line detects the failure itself. */
  #fail(reason: string): void {
    const isKnown = !this.#isContinuation || this.#isInterrupted;
    const raw = `the continuation that the Stop hooks requested failed: ${reason}`;
    this.#end(isKnown ? SENT : { success: false, error: { type: "unknown", raw } });
  }

  #end(sent: SendResult): void {
    clearTimeout(this.#queueTimer);
    this.#queueTimer = undefined;
    this.#stopListening();
    this.closed.resolve(sent);
  }
}

/** The environment variable by which `mux-stop-hooks hooks attach` passes the code of `--unverified-exit`. */
export const UNVERIFIED_EXIT = "MUX_HOOKS_UNVERIFIED_EXIT";

/**
 * Makes `mux run` exit with the code in {@link UNVERIFIED_EXIT} if its last stop was not verified.
 *
 * @param why returns why the last stop was not verified, or undefined if it was, or if no hook is configured
 */
export function exitUnverified(host: NodeJS.Process, why: () => string | undefined): void {
  const value = host.env[UNVERIFIED_EXIT];
  // A Mux that the agent starts is another run.
  Reflect.deleteProperty(host.env, UNVERIFIED_EXIT);
  if (value === undefined || value === "0") return;
  const exitCode = /^[1-9]\d{0,2}$/.test(value) ? Number(value) : Infinity;
  if (exitCode > 255) {
    log(`${UNVERIFIED_EXIT} has no effect, because it is not a number from 1 to 255`);
    return;
  }
  host.on("exit", (code) => {
    const reason = code === 0 ? why() : undefined;
    if (reason === undefined) return;
    log(`the last stop was not verified, so the exit code is ${exitCode}: ${reason}`);
    host.exitCode = exitCode;
  });
}
