/** Plan mode, and turns that wait for the user. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectSoon } from "@test/helpers/soon";
import type { ModelRequest } from "@test/host/model/ScriptedModel";
import type { OpenChat } from "@test/host/rig/shareServer";
import { agree, block, continuation } from "@test/host/rig/stopHooks";

const PLAN = {
  agentId: "plan",
  mode: "plan",
  model: "anthropic:claude-opus-4-1",
  thinkingLevel: "low",
};
const QUESTION = {
  question: "Which colour?",
  header: "Colour",
  options: ["Red", "Blue"].map((label) => ({ label, description: `All is ${label}.` })),
  multiSelect: false,
};

/** Returns the model, the thinking and the tools of a request, which depend on the options of a turn. */
function optionsOf(request: ModelRequest | undefined): object {
  const { model, thinking, tools } = JSON.parse(request?.body ?? "{}") as Record<string, unknown>;
  return { model, thinking, tools: (tools as { name: string }[]).map(({ name }) => name).sort() };
}

export function plans(open: OpenChat): void {
  test("passes plan mode to hooks, and keeps it in a continuation (H13, H28)", async () => {
    const { rig, chat, hook } = await open(["One.", "Two.", "Three."].map((text) => ({ text })));
    await chat.send("Say hello", PLAN);
    const first = await hook.runs();
    expect(first.input.permission_mode).toBe("plan");
    first.answer(block("More."));
    expect(await chat.answer()).toBe("One.");
    const second = await hook.runs();
    expect(second.input).toMatchObject({ permission_mode: "plan", stop_hook_active: true });
    second.answer(agree);
    expect(await chat.answer()).toBe("Two.");
    await chat.send("Do it");
    const third = await hook.runs();
    expect(third.input.permission_mode).toBe("default");
    third.answer(agree);
    await chat.answer();

    expect(rig.model.said[1]).toContain(continuation("More."));
    const [asked, continued, changed] = rig.model.requests.map(optionsOf);
    expect(continued).toEqual(asked);
    expect(changed).not.toEqual(asked);
  });

  test("runs no hooks for a plan that waits for the user (H28)", async () => {
    const { rig, chat, hook } = await open([
      { text: "Here it is.", tools: [{ name: "propose_plan", input: {} }] },
      { when: ({ said }) => said === "", text: "The plan waits for you." },
      { text: "Two." },
    ]);
    // The folder in which hosts store plans.
    const folder = join(rig.root, "plans", "project");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "topic.md"), "# Say hello\n");
    await chat.ask("Say hello", PLAN);
    expect(hook.count).toBe(0);
    await chat.send("Do it");
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("Two.");
    expect(hook.count).toBe(1);
  });

  test("runs no hooks while a question waits for the user, and runs them after the answer (H28)", async () => {
    const input = { questions: [QUESTION] };
    const { server, chat, hook } = await open([
      { text: "Tell me.", tools: [{ name: "ask_user_question", input }] },
      { text: "Red it is." },
    ]);
    await chat.send("Say hello", PLAN);
    // A notice about hooks is a call as well.
    let call = await chat.next("tool-call-start");
    while (call.toolName !== "ask_user_question") call = await chat.next("tool-call-start");
    expect(hook.count).toBe(0);
    const answers = { [QUESTION.question]: "Red" };
    const question = { workspaceId: chat.workspaceId, toolCallId: call.toolCallId, answers };
    // The event is sent before the host has the question.
    await expectSoon(
      async () => await server.call("workspace/answerAskUserQuestion", question)
    ).toMatchObject({ success: true });
    const run = await hook.runs();
    expect(run.input.last_assistant_message).toContain("Red it is.");
    run.answer(agree);
    await chat.answer();
    expect(hook.count).toBe(1);
  });
}
