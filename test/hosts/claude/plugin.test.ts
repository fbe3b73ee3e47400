/** Both ways to load the plugin of this package in the real Claude Code, which runs only if HOSTS names it. */
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentGauntletBin, repository } from "@test/helpers/built";
import { HostRig } from "@test/hosts/rig/HostRig";
import { claude } from "@test/hosts/rig/claude";
import { commandOf } from "@test/hosts/rig/installed";

const PLUGIN = join(repository, "plugin");
const INSTALLATION = [
  ["plugin", "marketplace", "add", PLUGIN],
  ["plugin", "install", "agent-gauntlet@mux-stop-hooks"],
];

test.runIf(commandOf("claude") !== undefined).each([
  ["--plugin-dir", [], ["--plugin-dir", PLUGIN]],
  ["a marketplace", INSTALLATION, []],
])("from %s sends the agent back until the gates pass", async (_, steps, flags) => {
  const rig = await HostRig.create(claude, {
    scopes: [],
    replies: ({ breaks, fixes }) => [
      ...[...breaks, { text: "I am done (1)." }],
      ...[...fixes, { text: "I am done (2)." }],
    ],
    // The copy of a marketplace is without the package around it.
    env: (home) => ({ PATH: `${home}/bin:${process.env.PATH ?? ""}` }),
  });
  await mkdir(join(rig.home, "bin"));
  await symlink(agentGauntletBin, join(rig.home, "bin/agent-gauntlet"));
  for (const words of steps) expect((await rig.start(...words).end).code).toBe(0);
  const { code, stderr } = await rig.start(...flags, ...claude.begin("Do it.")).end;
  expect([code, await rig.gauntlet.read("src/note.txt")], stderr).toEqual([0, "good\n"]);
  expect(rig.model.said[1]).toContain("Gauntlet gates did not pass.");
  expect(rig.model.said).toHaveLength(2);
});
