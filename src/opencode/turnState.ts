/** Reads the state of a session from its messages: how its turn ended, and who wrote a message. */
import { isJsonObject } from "@/common/json";
import type { Message, MessageInfo, Part, PromptBody } from "@/opencode/opencodeTypes";
import type { TurnFinish } from "@/node/services/hooks/index";

const MARK = "mux-stop-hooks";

/** How the last turn of a session ended. */
export interface TurnEnd {
  /** The ID of the last answer. */
  readonly answerID: string;
  readonly answer: Message;
  readonly finish: TurnFinish;
  readonly isCompaction: boolean;
  readonly agent: string;
}

/** Returns undefined if the session does not end with an answer, for example after an interrupt before the answer. */
export function turnEnd(messages: readonly Message[]): TurnEnd | undefined {
  const answer = messages.at(-1);
  if (answer?.info.role !== "assistant") return undefined;
  const { info } = answer;
  return {
    answer,
    answerID: info.id,
    finish: finishOf(info),
    isCompaction: info.summary === true,
    agent: info.agent ?? lastUserInfo(messages)?.agent ?? "",
  };
}

function finishOf({ error, finish }: MessageInfo): TurnFinish {
  if (error?.name === "MessageAbortedError") return "interrupted";
  if (error !== undefined) return "error";
  switch (finish) {
    // A message without a reason was not written by a model, as the output of a shell command of the user.
    case undefined:
    case "error":
      return "error";
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    case "tool-calls":
      return "toolCalls";
    // Some servers send no reason, which opencode calls "unknown" or "other".
    default:
      return "stop";
  }
}

/** Returns a message of the hooks, for the agent, the model and the other options of the user's last message. */
export function continuationOf(messages: readonly Message[], text: string): PromptBody {
  const { agent, model, variant, system, tools } = lastUserInfo(messages) ?? {};
  const options = { agent, model, variant, system, tools };
  const known = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(known) as typeof options),
    parts: [{ type: "text", text, metadata: { [MARK]: { stopHookActive: true } } }],
  };
}

/** Returns whether the hooks wrote a message. */
export function isContinuation(parts: readonly Part[]): boolean {
  return parts.some(({ metadata }) => isJsonObject(metadata) && MARK in metadata);
}

/** Returns whether a user wrote a message. opencode and other plugins mark the texts that they write. */
export function isFromUser(parts: readonly Part[]): boolean {
  return !isContinuation(parts) && parts.some(({ synthetic }) => synthetic !== true);
}

function lastUserInfo(messages: readonly Message[]): MessageInfo | undefined {
  return messages.findLast(({ info }) => info.role === "user")?.info;
}
