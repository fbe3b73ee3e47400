import { expect, test } from "vitest";
import { endsWithQuestion } from "@/host/session/HostController";
import type { MessagePart } from "@/common/chatMessage";

const text = (words: string): MessagePart => ({ type: "text", text: words });
const call = (toolName: string, output: unknown = { success: true }): MessagePart => ({
  type: "dynamic-tool",
  toolCallId: "1",
  toolName,
  input: {},
  state: "output-available",
  output,
});

test.each([
  { what: "no content", parts: [], asks: false },
  { what: "text", parts: [text("Done.")], asks: false },
  { what: "a question", parts: [text("Well."), call("ask_user_question"), text(" ")], asks: true },
  { what: "an answer", parts: [call("ask_user_question"), text("Red it is.")], asks: false },
  { what: "a plan", parts: [call("propose_plan")], asks: true },
  { what: "a plan and closing words", parts: [call("propose_plan"), text("Here.")], asks: true },
  { what: "a plan that failed", parts: [call("propose_plan", { success: false })], asks: false },
  { what: "a plan and more work", parts: [call("propose_plan"), call("bash")], asks: false },
])("a turn that ends with $what is a question to the user: $asks (H28)", ({ parts, asks }) => {
  expect(endsWithQuestion(parts)).toBe(asks);
});
