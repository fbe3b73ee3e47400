/** Whether a turn ended for the user to say something, which is no stop (H28). */
import { isJsonObject } from "@/common/json";
import type { MessagePart, ToolPart } from "@/node/services/session/chatMessage";

/** Calls that wait for the user. */
const QUESTION = "ask_user_question";
const PLAN = "propose_plan";

export function endsWithQuestion(parts: readonly MessagePart[]): boolean {
  const at = parts.findLastIndex((part) => part.type === "dynamic-tool");
  const last = parts[at];
  if (last?.type !== "dynamic-tool") return false;
  // Older hosts let the agent say some closing words to its plan.
  if (last.toolName === PLAN) return !hasFailed(last);
  return last.toolName === QUESTION && !parts.slice(at + 1).some(says);
}

/** There is no plan yet. */
function hasFailed({ output }: ToolPart): boolean {
  return isJsonObject(output) && output.success === false;
}

/** What is said after a question is said to its answer. */
function says(part: MessagePart): boolean {
  return part.type === "text" && part.text.trim() !== "";
}
