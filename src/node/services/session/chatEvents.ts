/** What a chat is told by a session, under the names that Mux gives it. */
import type { HookEvent } from "@/node/services/hooks/index";
import type { ChatMessage } from "@/node/services/session/chatMessage";
import type {
  StreamAbortEvent,
  StreamEndEvent,
  StreamErrorType,
  StreamProgressEvent,
} from "@/node/services/session/streamEvents";

/** Held back until the hooks have decided, so nobody takes a turn for over that goes on. */
export interface ChatStreamEndEvent extends StreamEndEvent {
  /** The turn went on because a hook had asked for it. */
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

/** A row that is new in the history: a message of the user, a continuation, a summary. */
export interface MessageEvent extends ChatMessage {
  readonly type: "message";
}

/** Rows that are gone from the history: after an edit or a compaction. */
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

/** What waited when the user interrupted: nothing of it is sent, and nothing is lost. */
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
  "hook-end",
  "hooks-end",
  "notice",
]);

/** Those that tell of hooks: the ones of a sub-agent are told to its parent's chat as well. */
export function isHookEvent(event: ChatEvent): event is HookEvent {
  return HOOK_EVENT_TYPES.has(event.type);
}
