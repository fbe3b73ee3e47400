/** The host's live conversations, and what each was last sent with. */
import type { HostAgentSession, HostSendOptions } from "@/host/muxTypes";

export interface HostWorkspace {
  readonly session: HostAgentSession;
  /** Of the turn that ran last, its model among them; without its edit and its files. */
  readonly options: HostSendOptions;
}

/** What belongs to one message alone, and not to the turn that goes on. */
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

  /** A turn begins to stream. */
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
