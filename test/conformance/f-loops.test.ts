/** Conformance, section F: loops. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { says } from "@test/helpers/hooks/hookProject";
import { blocks, SessionRig } from "@test/helpers/hooks/session";

async function flags(rig: SessionRig): Promise<unknown[]> {
  return (await rig.inputs()).map((input) => input.stop_hook_active);
}

/** Opens a session whose hook blocks once in every turn. */
async function onceATurn(): Promise<SessionRig> {
  return await SessionRig.open({ stop: [blocks("Go on.", 1)] });
}

test("case 100, 101: stop_hook_active is false at the first stop and true after a continuation, regardless of tool calls", async () => {
  const rig = await SessionRig.open({
    turns: ["One.", [{ bash: "true" }, { say: "Two." }]],
    stop: [`echo "$MUX_STOP_HOOK_ACTIVE" >> active; ${blocks("Go on.", 1)}`],
  });
  await rig.turn();
  expect(await flags(rig)).toEqual([false, true]);
  expect(await rig.project.read("active")).toBe("false\ntrue\n");
});

test("case 101, 102: a synthetic message keeps stop_hook_active; a message of the user, a retry and an edit reset it", async () => {
  const rig = await onceATurn();
  await rig.turn();
  await rig.turn("A task has ended.", { synthetic: true });
  expect(await flags(rig)).toEqual([false, true, true]);
  await rig.turn();
  expect((await flags(rig)).slice(3)).toEqual([false, true]);
  await rig.session.resumeStream();
  await rig.session.idle();
  expect((await flags(rig)).slice(5)).toEqual([false, true]);
  const [first] = rig.session.messages;
  await rig.turn("Do it well.", { editMessageId: first!.id });
  expect((await flags(rig)).slice(7)).toEqual([false, true]);
  expect(rig.sent[0]).toBe("Do it well.");
  expect(rig.sent).toHaveLength(2);
});

test("case 102: a queued message of the user resets stop_hook_active", async () => {
  const rig = await onceATurn();
  const continued = rig.event("message", ({ metadata }) => metadata.synthetic === true);
  const sent = rig.session.sendMessage("Do it.");
  await continued;
  rig.session.queueMessage("And this.");
  await sent;
  await rig.session.idle();
  // The end of the continuation is not a stop: the queued message goes first.
  expect(await flags(rig)).toEqual([false, false, true]);
});

test("case 102: a new session does not inherit stop_hook_active from another session", async () => {
  const first = await onceATurn();
  await first.turn();
  const { project } = first;
  const sessionDir = join(project.session, "second");
  const second = await SessionRig.open({ project, options: { sessionDir } });
  expect(second.session.stopHookActive).toBe(false);
});

test("case 102: a restart keeps stop_hook_active, by the mark in the transcript (H27), and a compaction does", async () => {
  const rig = await onceATurn();
  await rig.turn();
  await rig.session.dispose();
  const again = await SessionRig.open({ project: rig.project });
  await again.turn("A task has ended.", { synthetic: true });
  expect(await flags(rig)).toEqual([false, true, true]);
  await again.session.compact();
  await again.session.idle();
  expect(again.session.messages).toHaveLength(1);
  await again.turn("A task has ended.", { synthetic: true });
  expect(await flags(rig)).toEqual([false, true, true, true]);
});

test("case 102: a heading that a user types does not set stop_hook_active (H27)", async () => {
  const rig = await SessionRig.open();
  await rig.turn("[Stop hook requested continuation]\nGo on.");
  await rig.session.dispose();
  const again = await SessionRig.open({ project: rig.project });
  expect(again.session.stopHookActive).toBe(false);
});

test("case 103, 106: lets the agent stop after three continuations, until the next message, with the reason", async () => {
  const rig = await SessionRig.open({ stop: [blocks("Never enough.")] });
  await rig.turn();
  expect(rig.said).toHaveLength(4);
  expect(await flags(rig)).toEqual([false, true, true, true]);
  const told = rig.notices.filter((text) => text.includes("project:Stop[0]"));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("Never enough.");
  await rig.turn();
  expect(rig.said).toHaveLength(8);
});

test("case 104: maxContinuations of the settings is the limit", async () => {
  const rig = await SessionRig.open({
    stop: [blocks("Never enough.")],
    settings: { stopHooks: { maxContinuations: 5 } },
  });
  await rig.turn();
  expect(rig.said).toHaveLength(6);
});

test("case 105: a tool call in each continuation does not reset the count", async () => {
  const work = [{ bash: "echo worked >> work" }, { say: "Done." }];
  const rig = await SessionRig.open({
    turns: [work, work, work, work, work, work],
    stop: [blocks("Never enough.")],
  });
  await rig.turn();
  expect(await rig.project.read("work")).toBe("worked\n".repeat(4));
});

test("case 107: additional context counts like a block", async () => {
  const hookSpecificOutput = { hookEventName: "Stop", additionalContext: "The build is red." };
  const rig = await SessionRig.open({ stop: [says({ hookSpecificOutput })] });
  await rig.turn();
  expect(rig.sent.slice(1)).toEqual(Array(3).fill("[Stop hook feedback]\nThe build is red."));
});

test("case 108: counts two hooks that block alternately together", async () => {
  const rig = await SessionRig.open({
    stop: [
      `[ $((MUX_CONTINUATION % 2)) = 0 ] || exit 0; echo even >&2; exit 2`,
      `[ $((MUX_CONTINUATION % 2)) = 1 ] || exit 0; echo odd >&2; exit 2`,
    ],
  });
  await rig.turn();
  expect(rig.sent.slice(1).map((text) => text.split("\n")[1])).toEqual(["even", "odd", "even"]);
});

test("case 109: a quota error in a continuation ends the turn", async () => {
  const rig = await SessionRig.open({
    turns: ["One.", [{ fail: { error: "the budget is used up", type: "quota" } }]],
    stop: [blocks("Never enough.")],
  });
  const outcome = await rig.turn();
  expect(outcome).toMatchObject({ finish: "error", error: "the budget is used up" });
  expect(await rig.inputs()).toHaveLength(1);
});

test("case 110: a host that a hook started runs no hooks", async () => {
  const rig = await SessionRig.open({ stop: ['echo "$MUX_HOOK_EVENT" > marker'] });
  await rig.turn();
  const marker = (await rig.project.read("marker")).trim();
  expect(marker).toBe("Stop");

  const load = { ...rig.project.load, env: { MUX_HOOK_EVENT: marker } };
  const inner = await SessionRig.open({ stop: [blocks("Go on.")], options: { hooks: { load } } });
  expect((await inner.turn()).finish).toBe("stop");
  expect(await inner.inputs()).toEqual([]);
});
