/** The host's live sessions and the options of the last turn of each. */
import type { HostAgentSession, HostSendOptions } from "@/host/muxTypes";

export interface HostWorkspace {
  readonly session: HostAgentSession;
  /** The options of the last turn, including its model, without those in `OF_ONE_MESSAGE`. */
  readonly options: HostSendOptions;
}

/** Options that apply to a single message and not to the continuation of its turn. */
const OF_ONE_MESSAGE = [
  "editMessageId",
  "fileParts",
  "imageParts",
  "muxMetadata",
  "queueDispatchMode",
];

export class Workspaces {
  readonly #workspaces = new Map<string, HostWorkspace>();

  get(workspaceId: string): HostWorkspace | undefined {
    return this.#workspaces.get(workspaceId);
  }

  /** Records the options of a turn when it starts to stream. */
  streams(session: HostAgentSession, model: string, options: HostSendOptions = {}): void {
    const kept = Object.entries(options).filter(([key]) => !OF_ONE_MESSAGE.includes(key));
    this.#workspaces.set(session.workspaceId, {
      session,
      options: { ...Object.fromEntries(kept), model },
    });
  }

  gone(session: HostAgentSession): void {
    if (this.get(session.workspaceId)?.session !== session) return;
    this.#workspaces.delete(session.workspaceId);
  }
}

/** Returns whether a message waits in the session's queue. */
export function hasQueued({ messageQueue }: HostAgentSession): boolean {
  return messageQueue?.isEmpty() === false;
}
