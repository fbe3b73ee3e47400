/** The embedded session and its Stop hooks, with real hooks and real processes. */
import { describe, expect, test } from "vitest";
import { says } from "@test/helpers/hooks/hookProject";
import { makeGate } from "@test/helpers/process/processes";
import {
  blocks,
  keepsInput,
  passed,
  readTranscript,
  SessionRig,
} from "@test/helpers/hooks/session";

const HEADING = "[Stop hook requested continuation]";

describe("AgentSession and Stop hooks", () => {
  test("Agent stops when no hook configured", async () => {
    const rig = await SessionRig.open({ turns: ["All done."] });
    const outcome = await rig.turn("Fix it.");
    expect(outcome).toMatchObject({ finish: "stop", text: "All done." });
    expect(rig.sent).toEqual(["Fix it."]);
    expect(rig.types).toEqual(["message", "stream-start", "stream-delta", "stream-end"]);
  });

  test("Agent stops when hook exits 0", async () => {
    const rig = await SessionRig.open({ turns: ["All done."], stop: [keepsInput] });
    const outcome = await rig.turn();
    expect(outcome.finish).toBe("stop");
    expect(rig.sent).toHaveLength(1);
    expect(await rig.inputs()).toHaveLength(1);
  });

  test("Agent continues when hook exits 2 (with correct message)", async () => {
    const reason = "Error: Tests not run. Please run make test before stopping";
    const rig = await SessionRig.open({
      turns: ["All done.", [{ bash: "echo tested > tested" }, { say: "Tested." }]],
      stop: [blocks(reason, 1)],
    });
    const outcome = await rig.turn("Fix it.");
    expect(rig.sent).toEqual(["Fix it.", `${HEADING}\n${reason}`]);
    expect(outcome.text).toBe("Tested.");
    expect(await rig.project.read("tested")).toBe("tested\n");
    const [, , continuation] = await readTranscript(rig.project.session);
    expect(continuation).toMatchObject({
      role: "user",
      metadata: { synthetic: true, muxMetadata: { stopHookActive: true } },
    });
  });

  test("passes the turn, the model and the thinking level to hooks (H13)", async () => {
    const rig = await SessionRig.open({
      turns: ["One.", "Two.", "Three."],
      stop: [blocks("More.", 1)],
    });
    await rig.turn("Fix it.", { thinkingLevel: "high" });
    await rig.turn("Again.", { thinkingLevel: "off" });
    const [first, second, other] = await rig.inputs();
    expect(first).toMatchObject({ model: "scripted:agent", effort: { level: "high" } });
    expect(first!.prompt_id).toEqual(expect.stringMatching(/^[\da-f-]{36}$/));
    expect(second!.prompt_id).toBe(first!.prompt_id);
    expect(other!.prompt_id).not.toBe(first!.prompt_id);
    expect(other).not.toHaveProperty("effort");
    expect(other).not.toHaveProperty("context_usage");
  });

  test("Agent continues when hook returns decision: block", async () => {
    const verdict = says({ decision: "block", reason: "Please run the tests." });
    const rig = await SessionRig.open({
      turns: ["All done.", "Tested."],
      stop: [`[ "$MUX_STOP_HOOK_ACTIVE" = true ] && exit 0; ${verdict}`],
    });
    await rig.turn("Fix it.");
    expect(rig.sent).toEqual(["Fix it.", `${HEADING}\nPlease run the tests.`]);
    expect(rig.said).toEqual(["All done.", "Tested."]);
  });

  test("Loop prevention: stopHookActive passed correctly", async () => {
    const rig = await SessionRig.open({
      turns: ["One.", "Two.", "Three."],
      stop: [`echo "$MUX_STOP_HOOK_ACTIVE" >> active; ${blocks("Go on.", 2)}`],
    });
    await rig.turn();
    const inputs = await rig.inputs();
    expect(inputs.map((input) => input.stop_hook_active)).toEqual([false, true, true]);
    expect(await rig.project.read("active")).toBe("false\ntrue\ntrue\n");
    const ends = rig.all("stream-end");
    expect(ends.map(({ stopHookActive }) => stopHookActive)).toEqual([false, true, true]);
  });

  test("Max continuation limit (3) prevents infinite loops", async () => {
    const rig = await SessionRig.open({
      turns: ["One.", "Two.", "Three.", "Four.", "Five."],
      stop: [blocks("Never enough.")],
    });
    const outcome = await rig.turn();
    expect(outcome.text).toBe("Four.");
    expect(rig.sent.slice(1)).toEqual(Array(3).fill(`${HEADING}\nNever enough.`));
    expect(await rig.inputs()).toHaveLength(4);
    expect(rig.notices.join("\n")).toMatch(
      /after 3 continuations.*project:Stop\[0\].*Never enough\./
    );
  });

  test("User interrupt bypasses stop hook", async () => {
    const rig = await SessionRig.open({
      turns: [[{ say: "I begin." }, { bash: "echo $$ > running; sleep 60" }]],
      stop: [blocks("Go on.")],
    });
    await rig.session.sendMessage("Fix it.");
    await rig.event("tool-call-start");
    await rig.session.interruptStream();
    const outcome = await rig.session.idle();
    expect(outcome?.finish).toBe("interrupted");
    expect(rig.types.at(-1)).toBe("stream-abort");
    expect(await rig.inputs()).toEqual([]);
    expect(rig.sent).toEqual(["Fix it."]);
  });

  test("User interrupt while a stop hook runs ends the turn at once and sends nothing (H22)", async () => {
    const rig = await SessionRig.open({
      turns: ["All done.", "Never said."],
      stop: [blocks("Go on."), "echo > running; exec sleep 60"],
    });
    const running = await makeGate(rig.project.dir, "running");
    await rig.session.sendMessage("Fix it.");
    await passed(running);
    await rig.session.interruptStream();
    expect(await rig.session.idle()).toMatchObject({ finish: "interrupted" });
    expect(rig.sent).toEqual(["Fix it."]);
    expect(rig.all("stream-end")).toMatchObject([{ interrupted: true }]);
  });
});
