/**
 * What each host sends to the hooks, compared with fixtures/agentHosts, by which the unit tests hold the recognition of
 * hosts. `make test-hosts FILES="recordedInputs -u"` records them again.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "@test/helpers/built";
import { testedDrivers } from "@test/hosts/rig/drivers";
import { readRecord, recording } from "@test/hosts/rig/HookRecord";
import { HostRig } from "@test/hosts/rig/HostRig";
import { normalizedJson } from "@test/hosts/rig/normalize";

/** Variables by which a host can be recognized, except those of the test itself. */
const OWN = /^(?:CLAUDE|CLAUDECODE|CODEX|COPILOT|GEMINI|QWEN)(?:_|$)/;
const OF_TEST = /_API_KEY$|_TRUST_WORKSPACE$/;

describe.each(testedDrivers())("%s", (name, driver) => {
  test("sends the recorded inputs", async () => {
    const rig = await HostRig.create(driver, {
      commands: (installed, home) => recording(join(home, "record"), installed),
      replies: ({ breaks, fixes }) => [
        ...breaks,
        { text: "I am done (1)." },
        ...fixes,
        { text: "I am done (2)." },
      ],
    });
    const { stderr } = await rig.say();
    const calls = await readRecord(join(rig.home, "record"));
    const places = { home: rig.home, project: rig.gauntlet.dir };
    const match = async (file: string, value: unknown): Promise<void> => {
      const path = join(repository, "fixtures/agentHosts", name, `${file}.json`);
      await expect(normalizedJson(value, places)).toMatchFileSnapshot(path);
    };
    const stops = calls.filter(({ hook }) => hook === "stop");
    expect(stops.length, stderr).toBe(2);
    await match("firstStop", stops[0]!.input);
    await match("secondStop", stops[1]!.input);
    const turns = calls.filter(({ hook }) => hook === "turnStart");
    await match("turnStart", turns[0]!.input);
    const prompts = turns.slice(1).map(({ input }) => input.prompt);
    const reasons = driver.announces.includes("reason") ? [rig.model.said[1]] : [];
    expect(prompts.filter((prompt) => prompt !== "")).toEqual(reasons);
    expect(prompts.includes("")).toBe(driver.announces.includes("results"));
    const variables = Object.keys(stops[0]!.env).filter((each) => OWN.test(each));
    await match("variables", variables.filter((each) => !OF_TEST.test(each)).sort());
  });
});
