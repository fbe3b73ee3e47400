/** Determines how a turn ended, from the events of the model's service. */
import type { TurnFinish } from "@/node/services/hooks/index";
import { finalText, reportOf, type MessagePart } from "@/node/services/session/chatMessage";
import type { StreamEndEvent } from "@/node/services/session/streamEvents";

/** The outcome of a session's last turn. */
export interface TurnOutcome {
  readonly finish: TurnFinish;
  /** The agent's final text. */
  readonly text: string;
  /** The report that a sub-agent returns to its parent: the one it wrote with the tool, otherwise its final text. */
  readonly report: string;
  /** Set if `finish` is `error`. */
  readonly error?: string;
}

/** Tools after which the agent waits for the user. */
const WAITS_FOR_USER = new Set(["ask_user_question", "propose_plan"]);

/** Returns `stop` only for an agent that is done (H28). An unknown reason is an error. */
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
    error,
  };
}
