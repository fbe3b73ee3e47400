/** The events of a session's chat, `ChatEvent`: those of streams, and those about the history, the queue and the hooks. */
import type { ChatMessage } from "@/common/chatMessage";
import type { HookEvent } from "@/node/services/hooks/index";
import type * as ai from "@/node/services/session/aiServiceTypes";

/**
 * The end of an answer in the chat. Delayed until the hooks have decided, so that no listener considers a continuing
 * turn over.
 */
export interface ChatStreamEndEvent extends ai.StreamEndEvent {
  /** The turn continued because a hook requested it. */
  readonly stopHookActive: boolean;
  /** The user interrupted while hooks ran. */
  readonly interrupted?: boolean;
}

/** The failure of an answer, from the session to the chat: an `ErrorEvent`, or an error of the session. */
export interface StreamErrorEvent {
  readonly type: "stream-error";
  readonly workspaceId: string;
  readonly messageId: string;
  readonly error: string;
  readonly errorType: ai.StreamErrorType;
}

/** A new row in the history: a message of the user, a continuation, or a summary. */
export interface MessageEvent extends ChatMessage {
  readonly type: "message";
}

/** The rows removed from the history by an edit or a compaction. */
export interface DeleteEvent {
  readonly type: "delete";
  readonly workspaceId: string;
  readonly historySequences: readonly number[];
}

/** The messages of the user that wait, after a change of the queue. */
export interface QueuedMessageChangedEvent {
  readonly type: "queued-message-changed";
  readonly workspaceId: string;
  readonly queuedMessages: readonly string[];
}

/** Messages of the user that are returned to the input, because the user interrupted or they could not be sent. */
export interface RestoreToInputEvent {
  readonly type: "restore-to-input";
  readonly workspaceId: string;
  readonly text: string;
}

/** The events that a session emits for its chat. */
export type ChatEvent =
  | ai.StreamProgressEvent
  | ChatStreamEndEvent
  | ai.StreamAbortEvent
  | StreamErrorEvent
  | MessageEvent
  | DeleteEvent
  | QueuedMessageChangedEvent
  | RestoreToInputEvent
  | HookEvent;

const HOOK_EVENT_TYPES: Readonly<Record<HookEvent["type"], true>> = {
  "hooks-start": true,
  "hook-start": true,
  "hook-output": true,
  "hook-end": true,
  "hooks-end": true,
  notice: true,
};

/** Returns whether an event is about hooks. A sub-agent's hook events are also sent to its parent's chat. */
export function isHookEvent(event: ChatEvent): event is HookEvent {
  return Object.hasOwn(HOOK_EVENT_TYPES, event.type);
}
