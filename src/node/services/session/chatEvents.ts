/** The events that a session sends to its chat, with Mux's names. */
import type { ChatMessage } from "@/common/chatMessage";
import type { HookEvent } from "@/node/services/hooks/index";
import type {
  StreamAbortEvent,
  StreamEndEvent,
  StreamErrorType,
  StreamProgressEvent,
} from "@/node/services/session/aiService";

/** Delayed until the hooks have decided, so that no listener considers a continuing turn over. */
export interface ChatStreamEndEvent extends StreamEndEvent {
  /** The turn continued because a hook requested it. */
  readonly stopHookActive: boolean;
  /** The user interrupted while hooks ran. */
  readonly interrupted?: boolean;
}

export interface StreamErrorEvent {
  readonly type: "stream-error";
  readonly workspaceId: string;
  readonly messageId: string;
  readonly error: string;
  readonly errorType: StreamErrorType;
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

export interface QueuedMessageChangedEvent {
  readonly type: "queued-message-changed";
  readonly workspaceId: string;
  readonly queuedMessages: readonly string[];
}

/** The messages that waited when the user interrupted. They are not sent, and not lost. */
export interface RestoreToInputEvent {
  readonly type: "restore-to-input";
  readonly workspaceId: string;
  readonly text: string;
}

export type ChatEvent =
  | StreamProgressEvent
  | ChatStreamEndEvent
  | StreamAbortEvent
  | StreamErrorEvent
  | MessageEvent
  | DeleteEvent
  | QueuedMessageChangedEvent
  | RestoreToInputEvent
  | HookEvent;

const HOOK_EVENT_TYPES: ReadonlySet<ChatEvent["type"]> = new Set<HookEvent["type"]>([
  "hooks-start",
  "hook-start",
  "hook-output",
  "hook-end",
  "hooks-end",
  "notice",
]);

/** Returns whether an event is about hooks. A sub-agent's hook events are also sent to its parent's chat. */
export function isHookEvent(event: ChatEvent): event is HookEvent {
  return HOOK_EVENT_TYPES.has(event.type);
}
