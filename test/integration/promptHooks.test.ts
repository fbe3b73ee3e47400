/** Prompt handlers in the embedded session, answered by the scripted model of the session (H43). */
import { describe, expect, test } from "vitest";
import type { AIService, StreamRequest } from "@/node/services/session/aiService";
import { group, HookProject, type Hook } from "@test/helpers/hooks/hookProject";
import { scripted, SessionRig } from "@test/helpers/hooks/session";
import { WatchedController } from "@test/helpers/hooks/stopController";

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

describe("a prompt handler (H43)", () => {
  test("sends the agent back with the model's reason, until the model agrees", async () => {
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

  test("asks the model of the turn, without tools or history, with the input as $ARGUMENTS", async () => {
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

  test("gets the conversation of the turn, and keeps an escaped $ARGUMENTS", async () => {
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

  test("sends the agent back if an answer is cut off", async () => {
    const cut = [{ say: YES }, { say: '{"ok": fa' }, { finish: "length" }];
    const rig = await SessionRig.open({ turns: ["Done.", cut, "Done.", YES], stop: [asks()] });
    await rig.turn();
    expect(rig.sent[1]).toMatch(/\nNo clear answer/);
  });

  test.each<[string, unknown, RegExp]>([
    ["an error", [{ fail: { error: "no credit", type: "quota" } }], /did not answer: no credit/],
    ["an answer that was refused", [{ finish: "refusal" }], /incomplete \(content-filter\)/],
  ])("warns about %s, and the agent stops", async (_, answer, warning) => {
    const rig = await SessionRig.open({ turns: ["Done.", answer], stop: [asks()] });
    await rig.turn();
    expect(rig.sent).toHaveLength(1);
    expect(rig.notices).toEqual([expect.stringMatching(warning)]);
  });

  test("ends the question at its time limit", async () => {
    const { service } = listening(["Done."]);
    let isStopped = false;
    const rig = await SessionRig.open({
      stop: [asks({ timeout: 0.2 })],
      options: {
        aiService: {
          ...service,
          streamMessage: async (request, options) => {
            if (!request.workspaceId.includes("-hook-")) {
              return await service.streamMessage(request, options);
            }
            return await new Promise(() => undefined);
          },
          stopStream: (workspaceId) => {
            isStopped ||= workspaceId.includes("-hook-");
            return Promise.resolve();
          },
        },
      },
    });
    await rig.turn();
    expect(isStopped).toBe(true);
    expect(rig.notices).toEqual([expect.stringContaining("timed out after 0.2 s")]);
  });

  test("asks the model of a sub-agent about its report (H28a)", async () => {
    const task = { agent: "explore", prompt: "Look.", turns: ["It is in a.js.", YES] };
    const rig = await SessionRig.open({ turns: [[{ task }], "Done."], subagentStop: [asks()] });
    expect(await rig.turn()).toMatchObject({ finish: "stop" });
    const runs = rig.all("hook-end").map(({ run }) => [run.event, run.type, run.outcome]);
    expect(runs).toEqual([["SubagentStop", "prompt", "pass"]]);
  });

  test("is skipped without a model, and the user is notified once (H12)", async () => {
    const project = await HookProject.create();
    await project.configure({ hooks: { Stop: [group([asks({ failClosed: true })])] } });
    const watched = new WatchedController(project, { host: "opencode" });
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    await watched.turnEnds();
    expect(watched.notices).toEqual([
      "project:Stop[0] does not run: there is no model here that could answer its prompt, because opencode gives hooks none; use a handler of another type",
    ]);
  });
});
