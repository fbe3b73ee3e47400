/**
 * Patches Mux's `AIService` and `AgentSession` so that they report messages, retries, turns and the ends of turns to
 * the interceptors of stops and reports. Also adds the findings of background hooks to the user's next message (H41),
 * and lets a turn that waits for its hooks count as streaming.
 */
import { type Delegation, delegationOf, isTyped, UserTurns } from "@/host/stop/userTurns";
import type * as mux from "@/host/muxTypes";
import type { HostWorkspace } from "@/host/workspace/liveWorkspaces";
import type { InterceptorParts, StopInterceptor } from "@/host/stop/StopInterceptor";
import type { StreamStarts } from "@/host/stop/StreamStarts";
import { wrapMethod } from "@/host/loading/muxMembers";

/** Patches the service that streams answers: the interceptor decides when `stream-end` is emitted. */
export function attachService(
  { prototype }: { prototype: mux.HostAIService },
  gate: StopInterceptor,
  starts: StreamStarts
): void {
  wrapMethod(prototype, "emit", (_, emit, event, ...args) => {
    const [end, ...more] = args;
    starts.onEvent(event, end);
    if (event !== "stream-end" || !isStreamEnd(end)) return emit(event, ...args);
    return gate.streamEnds(end, (passed) => emit(event, passed, ...more));
  });
  wrapMethod(prototype, "isStreaming", (_, isStreaming, workspaceId) => {
    return gate.isHeld(workspaceId) || isStreaming(workspaceId);
  });
  wrapMethod(prototype, "stopStream", (_, stopStream, ...args) => {
    gate.interrupt(args[0], args[1]?.abortReason === "system");
    return stopStream(...args);
  });
}

/** The listener for turns and their ends. */
export interface TurnGate {
  /** @param delegation set if another agent requested the turn */
  userTurnBegins(workspace: HostWorkspace, delegation?: Delegation): void;
  /** Handles a turn that no user requested, which may be a continuation. */
  hostTurnBegins?(workspace: HostWorkspace): void;
  /** Returns what background hooks left for the agent, to be sent with a message of the user. */
  takeFindings?(session: mux.HostAgentSession): string | undefined;
  /** Handles a message of a person that waits for the end of a turn. */
  messageQueued?(session: mux.HostAgentSession): void;
  /** @param sent settles when its turn has started or failed to start */
  messageSent?(session: mux.HostAgentSession, sent: Promise<unknown>): void;
  gone(session: mux.HostAgentSession): void;
}

interface SessionPrototype extends mux.HostAgentSession {
  resumeStream?(options: mux.HostSendOptions, internal?: mux.HostInternal): Promise<unknown>;
  /** The host's own retry, since the spring of 2026. */
  retryActiveStream?(): Promise<unknown>;
  streamWithHistory(
    model: string,
    options?: mux.HostSendOptions,
    ...rest: unknown[]
  ): Promise<unknown>;
  dispose(): void;
}

/** Patches the sessions: each message, each turn and the end of a session are reported to all `gates`. */
export function attachSession(
  { prototype }: { prototype: SessionPrototype },
  gates: readonly TurnGate[],
  { workspaces, cards }: Pick<InterceptorParts, "workspaces" | "cards">
): void {
  const turns = new UserTurns();
  wrapMethod(prototype, "sendMessage", (session, sendMessage, message, ...rest) => {
    const isFromUser = turns.messageSent(session, message, ...rest);
    const findings = isFromUser ? gates.flatMap((gate) => gate.takeFindings?.(session) ?? []) : [];
    const sent = sendMessage([message, ...findings].join("\n\n"), ...rest);
    for (const gate of gates) gate.messageSent?.(session, sent);
    return sent;
  });
  wrapMethod(prototype, "queueMessage", (session, queueMessage, message, ...rest) => {
    const queued = queueMessage(message, ...rest);
    if (isTyped(...rest)) for (const gate of gates) gate.messageQueued?.(session);
    return queued;
  });
  wrapMethod(prototype, "streamWithHistory", (session, streamWithHistory, model, ...rest) => {
    const [options] = rest;
    workspaces.streams(session, model, options);
    const workspace = workspaces.get(session.workspaceId);
    if (turns.begins(session) && workspace !== undefined) {
      const delegation = delegationOf(options?.muxMetadata);
      for (const gate of gates) gate.userTurnBegins(workspace, delegation);
    } else if (workspace !== undefined) {
      for (const gate of gates) gate.hostTurnBegins?.(workspace);
    }
    return streamWithHistory(model, ...rest);
  });
  wrapMethod(prototype, "dispose", (session, dispose) => {
    for (const gate of gates) gate.gone(session);
    workspaces.gone(session);
    dispose();
  });
  attachRetry(prototype, turns);
  if (prototype.emitChatEvent === undefined) return;
  wrapMethod(prototype as Required<SessionPrototype>, "emitChatEvent", (session, emit, event) => {
    emit(event);
    const { type, messageId } = event as { type?: unknown; messageId?: unknown };
    if (type === "stream-start" && typeof messageId === "string") {
      cards.useMessage(session, messageId);
    }
  });
}

/** Tracks retries by the user. In older hosts the user interface retries, and it is unknown whether a user did it. */
function attachRetry(prototype: SessionPrototype, turns: UserTurns): void {
  if (prototype.resumeStream === undefined || prototype.retryActiveStream === undefined) return;
  const all = prototype as Required<SessionPrototype>;
  /** Whether the host itself is calling {@link SessionPrototype.resumeStream}. */
  let isByHost = false;
  wrapMethod(all, "retryActiveStream", (_, retry) => {
    isByHost = true;
    try {
      return retry();
    } finally {
      isByHost = false;
    }
  });
  wrapMethod(all, "resumeStream", async (session, resume, ...args) => {
    if (isByHost || args[1]?.agentInitiated === true) return await resume(...args);
    turns.retried(session);
    try {
      return await resume(...args);
    } finally {
      turns.retryOver(session);
    }
  });
}

function isStreamEnd(payload: unknown): payload is mux.HostStreamEnd {
  return typeof payload === "object" && payload !== null && "workspaceId" in payload;
}
