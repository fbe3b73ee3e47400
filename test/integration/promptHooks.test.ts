/** Prompt handlers in the embedded session, answered by the scripted model of the session (H43). */
import { expect, test, vi } from "vitest";
import type { AIService, StreamRequest } from "@/node/services/session/aiServiceTypes";
import { type Hook } from "@test/helpers/hooks/hookProject";
import { scripted, SessionRig } from "@test/helpers/hooks/session";

const HEADING = "[Stop hook requested continuation]";
const asks = (fields: object = {}): Hook => ({ type: "prompt", prompt: "Are we done?", ...fields });
const no = (fields: object) => JSON.stringify({ ok: false, ...fields });
const YES = '{"ok": true}';

/** The scripted model, with all requests that it got. */
function listening(turns: readonly unknown[]): { requests: StreamRequest[]; service: AIService } {
  const model = scripted(turns);
  const requests: StreamRequest[] = [];
  const service: AIService = {
    streamMessage: (request, options) => {
      requests.push(request);
      return model.streamMessage(request, options);
    },
    stopStream: (workspaceId) => model.stopStream(workspaceId),
    onEvent: (listener) => model.onEvent(listener),
  };
  return { requests, service };
}

test("sends the agent back with the model's reason, until the model agrees (H43)", async () => {
  const rig = await SessionRig.open({
    turns: ["Done.", no({ reason: "Run the tests." }), "Tested.", YES],
    stop: [asks()],
  });
  const outcome = await rig.turn("Fix it.");
  expect(outcome).toMatchObject({ finish: "stop", text: "Tested." });
  expect(rig.sent).toEqual(["Fix it.", `${HEADING}\nRun the tests.`]);
  // The questions are not part of the conversation.
  expect(rig.said).toEqual(["Done.", "Tested."]);
  expect(rig.types.filter((type) => type === "stream-end")).toHaveLength(2);
  expect(rig.notices).toEqual([]);
});

test("asks the model of the turn, without tools or history, with the input as $ARGUMENTS (H43)", async () => {
  const { requests, service } = listening(["Done $& $1.", YES, YES]);
  const named = asks({ prompt: "Is <$ARGUMENTS> fine?", model: "small" });
  const rig = await SessionRig.open({ stop: [asks(), named], options: { aiService: service } });
  await rig.turn("Fix it.", { model: "scripted:other" });
  // Both are asked at the same time.
  const [, ...asked] = requests;
  const [plain, small] = asked.toSorted((a, b) => a.model.localeCompare(b.model));
  expect(asked).toHaveLength(2);
  expect([plain?.model, small?.model]).toEqual(["scripted:other", "small"]);
  expect([...plain!.tools.keys()]).toEqual([]);
  expect(plain?.messages).toHaveLength(1);
  const [question = "", other = ""] = [plain, small].map((request) => {
    const [part] = request!.messages[0]!.parts;
    return part?.type === "text" ? part.text : "";
  });
  const [, input = ""] = question.split("Are we done?\n\n");
  expect(JSON.parse(input)).toMatchObject({
    hook_event_name: "Stop",
    last_assistant_message: "Done $& $1.",
  });
  expect(other).toContain(`Is <${input}> fine?`);
});

test("gets the conversation of the turn, and keeps an escaped $ARGUMENTS (H43)", async () => {
  const first = [{ bash: "echo seen" }, { say: "Half." }];
  const turns = ["Before.", YES, first, no({ reason: "More." }), "Whole.", YES];
  const { requests, service } = listening(turns);
  const stop = [asks({ prompt: "Does \\$ARGUMENTS stay? $ARGUMENTS" })];
  const rig = await SessionRig.open({ stop, options: { aiService: service } });
  await rig.turn("Earlier request.");
  await rig.turn("Fix it.");
  const [part] = requests.at(-1)!.messages[0]!.parts;
  const question = part?.type === "text" ? part.text : "";
  expect(question).toMatch(
    /\nUser: Fix it\.\nTool bash: .*echo seen.*\nIts output: .*seen.*\nAgent: Half\.\nUser: .*\nMore\.\nAgent: Whole\.\n/
  );
  expect(question).not.toContain("Earlier request.");
  expect(question).toContain("Does $ARGUMENTS stay? {");
});

test("sends the agent back if an answer is cut off (H43)", async () => {
  const cut = [{ say: YES }, { say: '{"ok": fa' }, { finish: "length" }];
  const rig = await SessionRig.open({ turns: ["Done.", cut, "Done.", YES], stop: [asks()] });
  await rig.turn();
  expect(rig.sent[1]).toMatch(/\nNo clear answer/);
});

test.each<[string, unknown, RegExp]>([
  ["an error", [{ fail: { error: "no credit", type: "quota" } }], /did not answer: no credit/],
  ["an answer that was refused", [{ finish: "refusal" }], /incomplete \(content-filter\)/],
])("warns about %s, and the agent stops (H43)", async (_, answer, warning) => {
  const rig = await SessionRig.open({ turns: ["Done.", answer], stop: [asks()] });
  await rig.turn();
  expect(rig.sent).toHaveLength(1);
  expect(rig.notices).toEqual([expect.stringMatching(warning)]);
});

test("ends the question at its time limit (H43)", async () => {
  const { service } = listening(["Done."]);
  const stopStream = vi.fn(() => Promise.resolve());
  const streamMessage: AIService["streamMessage"] = async (request, options) =>
    request.workspaceId.includes("-hook-")
      ? await new Promise<never>(() => undefined)
      : await service.streamMessage(request, options);
  const aiService = { ...service, streamMessage, stopStream };
  const rig = await SessionRig.open({ stop: [asks({ timeout: 0.2 })], options: { aiService } });
  await rig.turn();
  expect(stopStream).toHaveBeenCalledWith(expect.stringContaining("-hook-"));
  expect(rig.notices).toEqual([expect.stringContaining("timed out after 0.2 s")]);
});

test("asks the model of a sub-agent about its report (H28a, H43)", async () => {
  const task = { agent: "explore", prompt: "Look.", turns: ["It is in a.js.", YES] };
  const rig = await SessionRig.open({ turns: [[{ task }], "Done."], subagentStop: [asks()] });
  expect(await rig.turn()).toMatchObject({ finish: "stop" });
  const runs = rig.all("hook-end").map(({ run }) => [run.event, run.type, run.outcome]);
  expect(runs).toEqual([["SubagentStop", "prompt", "pass"]]);
});
