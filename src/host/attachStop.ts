/** Puts the gate into the host's classes. */
import type {
  HostAgentSession,
  HostAIService,
  HostSendOptions,
  HostStreamEnd,
} from "@/host/hostTypes";
import type { HostWorkspace, HostWorkspaces } from "@/host/HostWorkspaces";
import type { StopGate } from "@/host/StopGate";
import { wrapMethod } from "@/host/wrapMethod";

export function attachService(service: { prototype: HostAIService }, gate: StopGate): void {
  const { prototype } = service;
  wrapMethod(prototype, "emit", (emit) => {
    return function (this: HostAIService, event, ...args) {
      const pass = (): boolean => emit.call(this, event, ...args);
      const [end] = args;
      return event === "stream-end" && isStreamEnd(end) ? gate.streamEnds(end, pass) : pass();
    };
  });
  wrapMethod(prototype, "isStreaming", (isStreaming) => {
    return function (this: HostAIService, workspaceId) {
      return gate.isHeld(workspaceId) || isStreaming.call(this, workspaceId);
    };
  });
  wrapMethod(prototype, "stopStream", (stopStream) => {
    return function (this: HostAIService, workspaceId, ...options) {
      gate.interrupt(workspaceId);
      return stopStream.call(this, workspaceId, ...options);
    };
  });
}

/** What wants to know of turns and of their end. */
export interface TurnGate {
  userTurnBegins(workspace: HostWorkspace): void;
  gone(session: HostAgentSession): void;
}

interface SessionPrototype extends HostAgentSession {
  streamWithHistory(model: string, options?: HostSendOptions, ...rest: unknown[]): Promise<unknown>;
  dispose(): void;
}

export function attachSession(
  { prototype }: { prototype: SessionPrototype },
  gates: readonly TurnGate[],
  workspaces: HostWorkspaces
): void {
  /** Sessions whose next turn was asked for by a user. */
  const asked = new WeakSet<HostAgentSession>();
  wrapMethod(prototype, "sendMessage", (sendMessage) => {
    return function (this: SessionPrototype, ...args) {
      const [, options, internal] = args;
      if (!isContinuation(options) && internal?.synthetic !== true) asked.add(this);
      return sendMessage.apply(this, args);
    };
  });
  wrapMethod(prototype, "streamWithHistory", (streamWithHistory) => {
    return function (this: SessionPrototype, ...args) {
      const [model, options] = args;
      workspaces.streams(this, model, options);
      const workspace = workspaces.get(this.workspaceId);
      if (asked.delete(this) && workspace !== undefined) {
        for (const gate of gates) gate.userTurnBegins(workspace);
      }
      return streamWithHistory.apply(this, args);
    };
  });
  wrapMethod(prototype, "dispose", (dispose) => {
    return function (this: SessionPrototype) {
      for (const gate of gates) gate.gone(this);
      workspaces.gone(this);
      dispose.call(this);
    };
  });
}

function isContinuation(options: HostSendOptions | undefined): boolean {
  const metadata = options?.muxMetadata;
  return typeof metadata === "object" && metadata !== null && "stopHookActive" in metadata;
}

function isStreamEnd(payload: unknown): payload is HostStreamEnd {
  return typeof payload === "object" && payload !== null && "workspaceId" in payload;
}
