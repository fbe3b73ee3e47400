/**
 * Runs the waterfall `turn.stop` before the end of a turn is published, and starts the turn that a consumer requests.
 * Until then the workspace is reported as streaming, so that no other message starts a turn.
 */
import type { SendMessageOptions } from "@/common/orpc/types";
import type { StreamEndEvent } from "@/common/types/stream";
import type { Config } from "@/node/config";
import type { AIService } from "@/node/services/aiService";
import { eventSpine } from "@/node/services/events/eventSpine";
import { log } from "@/node/services/log";
import { findWorkspaceEntry } from "@/node/services/taskUtils";
import type { WorkspaceService } from "@/node/services/workspaceService";

/** A conversation, as the consumers of `turn.begin` and `turn.stop` see it. */
export interface TurnSession {
  readonly workspaceId: string;
  readonly config: Config;
  readonly aiService: AIService;
  isCompacting(): boolean;
  /** Returns whether a message waits for the end of the turn. */
  hasQueuedInput(): boolean;
  /** Adds a message of the host to the queue. */
  queue(message: string, options: SendMessageOptions): void;
  emitChatEvent(event: object): void;
}

export interface TurnBegin {
  readonly session: TurnSession;
  readonly options: SendMessageOptions;
  /** A `continuation` is what a consumer of `turn.stop` requested. */
  readonly origin: "user" | "host" | "continuation";
}

/** A turn that is about to end. For `SubagentStop` the report of a sub-agent is ready. */
export interface TurnStop extends Omit<TurnBegin, "origin"> {
  readonly event: "Stop" | "SubagentStop";
  /** Set for `Stop`. */
  readonly end?: StreamEndEvent;
  /** Set for `SubagentStop`. */
  readonly report?: string;
  /** Aborted if the turn ends in another way. The continuation then has no effect. */
  readonly signal: AbortSignal;
  /** Set by a consumer: the message with which the agent continues. */
  continuation?: string;
}

/** How long a message that a person has typed waits for the consumers. */
const QUEUE_GRACE_MS = 2_000;
const NOT_YET = {
  ...({ finalized: false, reason: "pending_guidance" } as const),
  message: "The report is not delivered yet. Continue the work, then report again.",
};
const INTERNAL = { synthetic: true, agentInitiated: true };
const MARK = { stopHookActive: true };

interface Turn {
  readonly session: TurnSession;
  options: SendMessageOptions;
  /** Absent while a turn runs, and after a restart: then another stream belongs to the same turn. */
  next?: TurnBegin["origin"] | undefined;
  /** Set until the first stream of a turn starts. */
  begins?: () => void;
  /** Set while consumers run: ends them, and publishes the end of the turn. */
  release?: (() => void) | undefined;
  /** Set for a sub-agent whose report waited. */
  parentId?: string | undefined;
}

export class TurnStops {
  private readonly turns = new Map<string, Turn>();

  constructor() {
    eventSpine.subscribe("stream.start", ({ workspaceId }) => {
      const turn = this.turns.get(workspaceId);
      turn?.begins?.();
      delete turn?.begins;
    });
    eventSpine.subscribe("session.end", ({ workspaceId }) => {
      this.interrupt(workspaceId);
      this.turns.delete(workspaceId);
    });
  }

  /** For consumers that Mux does not import. */
  spine(): typeof eventSpine {
    return eventSpine;
  }

  personSends(session: TurnSession): void {
    this.turnOf(session).next = "user";
  }

  turnBegins(session: TurnSession, options: SendMessageOptions): void {
    const turn = this.turnOf(session);
    const origin = turn.next;
    // A turn that compacts the history ends without a stop.
    if (origin === undefined || session.isCompacting()) return;
    const { editMessageId, muxMetadata, queueDispatchMode, ...kept } = options;
    turn.options = { ...kept, ...{ fileParts: undefined } };
    turn.next = undefined;
    // By then the machine of the workspace is ready.
    turn.begins = () => eventSpine.emit("turn.begin", { session: turn.session, options, origin });
  }

  /** Holds the end of a stream. Returns false if it is not a stop. */
  holds(end: StreamEndEvent, emit: (end: StreamEndEvent) => void): boolean {
    const turn = this.turns.get(end.workspaceId);
    if (turn === undefined || turn.session.isCompacting()) return false;
    turn.next ??= "host";
    const { session, options } = turn;
    const { finishReason = "stop" } = end.metadata;
    if (finishReason !== "stop" || session.hasQueuedInput()) return false;
    if (!eventSpine.hasMiddleware("turn.stop")) return false;
    const abort = new AbortController();
    turn.release = () => {
      turn.release = undefined;
      abort.abort();
      emit(end);
    };
    const { signal } = abort;
    void decide({ event: "Stop", session, end, options, signal }).then((message) => {
      if (signal.aborted) return;
      turn.release = undefined;
      if (message === undefined || session.hasQueuedInput()) return emit(end);
      turn.next = "continuation";
      const { muxMetadata } = end.metadata;
      // Its report to the agent that delegated the turn is due at its last end.
      const isDelegated = muxMetadata?.type === "workspace-turn-task";
      const mark = { ...(isDelegated && muxMetadata), ...MARK };
      session.queue(message, { ...options, muxMetadata: mark });
      const metadata = { ...end.metadata, ...(isDelegated && { muxMetadata: MARK as never }) };
      emit({ ...end, metadata, continues: true });
    });
    return true;
  }

  /** Returns the result of a report that is not delivered, or undefined. */
  async heldReport(
    workspaceId: string,
    config: Config,
    report: { reportMarkdown: string; planFilePath?: string },
    workspaces: WorkspaceService
  ): Promise<typeof NOT_YET | undefined> {
    const turn = this.turns.get(workspaceId);
    const task = findWorkspaceEntry(config.loadConfigOrDefault(), workspaceId)?.workspace;
    const isOver = task?.taskStatus === "reported" || task?.taskStatus === "interrupted";
    if (turn === undefined || isOver || report.planFilePath !== undefined) return undefined;
    const { session, options } = turn;
    const abort = new AbortController();
    const { signal } = abort;
    turn.parentId = task?.parentWorkspaceId;
    turn.release = () => abort.abort();
    const text = report.reportMarkdown;
    const message = await decide({ event: "SubagentStop", session, options, signal, report: text });
    turn.release = undefined;
    if (message === undefined || signal.aborted) return undefined;
    turn.next = "continuation";
    const next = { ...options, muxMetadata: MARK };
    const sent = await workspaces.sendMessage(workspaceId, message, next, INTERNAL);
    if (!sent.success) log.error("A sub-agent could not be continued", { workspaceId, sent });
    return sent.success ? NOT_YET : undefined;
  }

  isHeld(workspaceId: string): boolean {
    const turn = this.turns.get(workspaceId);
    return turn?.release !== undefined && turn.parentId === undefined;
  }

  interrupt(workspaceId: string): void {
    for (const [id, { parentId, release }] of this.turns) {
      if (id === workspaceId || parentId === workspaceId) release?.();
    }
  }

  /** Sends a typed message first, after a grace period. */
  messageQueued(workspaceId: string): void {
    const turn = this.turns.get(workspaceId);
    const release = turn?.release;
    setTimeout(() => {
      if (turn?.release === release && turn?.session.hasQueuedInput()) release?.();
    }, QUEUE_GRACE_MS);
  }

  private turnOf(session: TurnSession): Turn {
    const none = { session, options: { model: "", agentId: "" } };
    const turn: Turn = this.turns.get(session.workspaceId) ?? none;
    this.turns.set(session.workspaceId, turn);
    return turn;
  }
}

async function decide(stop: TurnStop): Promise<string | undefined> {
  await eventSpine.run("turn.stop", stop).catch((error: unknown) => {
    log.error("The consumers of turn.stop failed", { error });
  });
  return stop.continuation;
}

export const turnStops = new TurnStops();
