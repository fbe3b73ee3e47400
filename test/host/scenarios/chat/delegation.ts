/** An agent that delegates work to another workspace. */
import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import type { ModelRequest, Reply } from "@test/host/model/ScriptedModel";
import type { HostRig } from "@test/host/rig/HostRig";
import type { OpenChat } from "@test/host/rig/shareServer";
import { agree, block, continuation } from "@test/host/rig/stopHooks";

const PROMPT = "Count the files of this project.";
const TASK = { kind: "workspace", prompt: PROMPT, title: "Count", run_in_background: false };

const isDelegated = ({ opening }: ModelRequest): boolean => opening.includes(PROMPT);

/** @param order a part of the message for which the agent delegates */
function script(order: string): Reply[] {
  return [
    { when: isDelegated, text: "Report one." },
    { when: isDelegated, text: "Report two." },
    { when: ({ said }) => said.includes(order), tools: [{ name: "task", input: TASK }] },
    { text: "That is all.", times: 9 },
  ];
}

/** Returns the reports that the agent got from the other workspace. */
function delivered({ model }: HostRig): string[] {
  const after = model.requests.filter((one) => !isDelegated(one) && one.said === "");
  // The real host puts each streamed piece on a separate line.
  const body = after[0]?.body.replaceAll(/ \\+n/g, " ") ?? "";
  return body.match(/Report (?:one|two)\./g) ?? [];
}

export function delegation(open: OpenChat): void {
  test("gives the agent the report of the turn on which Stop hooks agreed (H28)", async () => {
    const { rig, chat, hook } = await open(script("Say hello"));
    await chat.send("Say hello");
    const first = await hook.runs();
    expect(first.input).toMatchObject({
      last_assistant_message: "Report one.",
      stop_hook_active: false,
    });
    expect(first.input.session_id).not.toBe(chat.workspaceId);
    first.answer(block("Count again."));
    const second = await hook.runs();
    expect(second.input).toMatchObject({
      last_assistant_message: "Report two.",
      stop_hook_active: true,
    });
    second.answer(agree);
    const { input, answer } = await hook.runs();
    expect(input.session_id).toBe(chat.workspaceId);
    answer(agree);
    await chat.answer();
    expect(delivered(rig)).toEqual(["Report two."]);
    expect(rig.model.said).toContain(continuation("Count again."));
  });

  test("keeps the hooks of the user's turn for the other workspace (H7)", async () => {
    const { rig, chat, hook } = await open(script("Delegate."));
    await chat.send("Say hello");
    const first = await hook.runs();
    await rm(rig.path(".mux"), { recursive: true });
    first.answer(block("Delegate."));
    const { input, answer } = await hook.runs();
    expect(input.last_assistant_message).toBe("Report one.");
    answer(agree);
    (await hook.runs()).answer(agree);
    expect(delivered(rig)).toEqual(["Report one."]);
  });
}
