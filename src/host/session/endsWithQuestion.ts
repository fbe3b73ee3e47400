/** Detects whether a turn ended because it waits for the user, which is not a stop (H28). */
import { isJsonObject } from "@/common/json";
import type { MessagePart, ToolPart } from "@/common/chatMessage";

/** The tools whose calls wait for the user. */
const QUESTION = "ask_user_question";
const PLAN = "propose_plan";

export function endsWithQuestion(parts: readonly MessagePart[]): boolean {
  const at = parts.findLastIndex((part) => part.type === "dynamic-tool");
  const last = parts[at];
  if (last?.type !== "dynamic-tool") return false;
  // Older hosts let the agent write closing text after its plan.
  if (last.toolName === PLAN) return !hasFailed(last);
  return last.toolName === QUESTION && !parts.slice(at + 1).some(says);
}

/** Returns whether the call failed, so that there is no plan yet. */
function hasFailed({ output }: ToolPart): boolean {
  return isJsonObject(output) && output.success === false;
}

/** Returns whether a part is visible text. Text after a question means that the user has answered it. */
function says(part: MessagePart): boolean {
  return part.type === "text" && part.text.trim() !== "";
}
