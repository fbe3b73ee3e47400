/** The Stop hook in the real Kimi Code, which sends one stop of a turn. The model is a script. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "@test/helpers/built";
import { HostRig } from "@test/hosts/rig/HostRig";
import { readRecord, recording } from "@test/hosts/rig/HookRecord";
import { commandOf } from "@test/hosts/rig/installed";
import { kimi } from "@test/hosts/rig/kimi";
import { normalizedJson } from "@test/hosts/rig/normalize";

describe.runIf(commandOf("kimi") !== undefined)("Kimi Code", () => {
  test("is sent back once in a turn with the reason, in each turn", async () => {
    const done = { text: "I am done.", times: 2 };
    const rig = await HostRig.create(kimi, {
      // Only what changes in a turn is the agent's.
      replies: ({ breaks, attempts }) => [...breaks, done, ...attempts, done],
    });
    const end = await rig.say();
    expect(end.code, end.stderr).toBe(0);
    expect(rig.model.said[1]).toContain("Gauntlet gates did not pass.");
    expect(rig.model.said[1]).toContain('end your answer with "not verified"');
    expect(rig.model.said.length).toBe(2);
    await rig.sayMore("Do more.");
    expect(rig.model.said.length).toBe(4);
  });

  test("sends the recorded inputs", async () => {
    const rig = await HostRig.create(kimi, {
      commands: (installed, home) => recording(join(home, "record"), installed),
      replies: () => [{ text: "I am done (1)." }, { text: "I am done (2)." }],
    });
    const { stderr } = await rig.say();
    const calls = await readRecord(join(rig.home, "record"));
    expect(
      calls.map(({ hook }) => hook),
      stderr
    ).toEqual(expect.arrayContaining(["stop", "turnStart"]));
    const places = { home: rig.home, project: rig.gauntlet.dir };
    for (const [hook, file] of [
      ["stop", "firstStop"],
      ["turnStart", "turnStart"],
    ]) {
      const found = calls.find((call) => call.hook === hook);
      const path = join(repository, "fixtures/agentHosts/kimi", `${file}.json`);
      await expect(normalizedJson(found!.input, places)).toMatchFileSnapshot(path);
    }
  });
});
