/** What goes with a message. */
import { definedOnly } from "@/common/definedOnly";
import type { MuxMetadata } from "@/node/services/session/chatMessage";

/** How a turn is answered; a continuation keeps what the stopped turn had. */
export interface TurnOptions {
  readonly model?: string;
  readonly mode?: string;
  readonly thinkingLevel?: string;
  readonly agentId?: string;
}

export interface SendMessageOptions extends TurnOptions {
  /** The message takes the place of this one, and what followed it is forgotten. */
  readonly editMessageId?: string;
  /** No user wrote it: the turn that it comes into goes on, with its counter (H25). */
  readonly synthetic?: boolean;
  readonly muxMetadata?: MuxMetadata;
}

export interface SendMessageError {
  readonly type: "disposed" | "busy" | "empty" | "unknownMessage" | "history";
  /** What went wrong and what to do, for a person. */
  readonly message: string;
}

/** Only what a later turn may inherit. */
export function turnOptions(options: SendMessageOptions): TurnOptions {
  const { model, mode, thinkingLevel, agentId } = options;
  return definedOnly({ model, mode, thinkingLevel, agentId });
}

/** There is no permission mode in the host: the plan agent plans, every other one does as it is told (H13). */
export function permissionMode({ mode, agentId }: TurnOptions): "plan" | "default" {
  return mode === "plan" || agentId === "plan" ? "plan" : "default";
}
