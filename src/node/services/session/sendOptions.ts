/** The options of a message. */
import { definedOnly } from "@/common/definedOnly";
import type { MuxMetadata, TurnOptions } from "@/node/services/session/chatMessage";

export interface SendMessageOptions extends TurnOptions {
  /** The message to replace. All later messages are deleted. */
  readonly editMessageId?: string;
  /** The message is not from the user: it continues the current turn and its counter (H25). */
  readonly synthetic?: boolean;
  readonly muxMetadata?: MuxMetadata;
}

export interface SendMessageError {
  readonly type: "disposed" | "busy" | "empty" | "unknownMessage" | "history";
  /** The cause and what to do, for the user. */
  readonly message: string;
}

/** Returns the options that a later turn may inherit. */
export function turnOptions(options: SendMessageOptions): TurnOptions {
  const { model, mode, thinkingLevel, agentId } = options;
  return definedOnly({ model, mode, thinkingLevel, agentId });
}

/** Derives the permission mode, which the host does not have: `plan` for the plan agent, otherwise `default` (H13). */
export function permissionMode({ mode, agentId }: TurnOptions): "plan" | "default" {
  return mode === "plan" || agentId === "plan" ? "plan" : "default";
}
