/** How a turn came to its end, read from what the model's service tells of it. */
import type { TurnFinish } from "@/node/services/hooks/index";
import { finalText, reportOf, type MessagePart } from "@/node/services/session/chatMessage";
import type { StreamEndEvent } from "@/node/services/session/streamEvents";

/** What became of the last turn of a session. */
export interface TurnOutcome {
  readonly finish: TurnFinish;
  /** The agent's final text. */
  readonly text: string;
  /** What a sub-agent hands to its parent: a report of its own making, else its final text. */
  readonly report: string;
  /** Set where `finish` is `error`. */
  readonly error?: string;
}

/** Tools after which the agent waits for its user. */
const WAITS_FOR_USER = new Set(["ask_user_question", "propose_plan"]);

/** Only `stop` is an agent that means to be done (H28); what is not known is taken for an error. */
export function turnFinish({ metadata, parts }: StreamEndEvent): TurnFinish {
  const last = parts.at(-1);
  if (last?.type === "dynamic-tool" && WAITS_FOR_USER.has(last.toolName)) return "question";
  if (parts.some((part) => part.type !== "text" && part.state !== "output-available")) {
    return "toolCalls";
  }
  switch (metadata.finishReason) {
    case undefined:
    case "stop":
      return "stop";
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    case "tool-calls":
      return "toolCalls";
    default:
      return "error";
  }
}

export function outcomeOf(
  finish: TurnFinish,
  parts: readonly MessagePart[],
  error?: string
): TurnOutcome {
  return {
    finish,
    text: finalText(parts),
    report: reportOf(parts),
    ...(error === undefined ? {} : { error }),
  };
}
