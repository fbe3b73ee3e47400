/** The user sees what an agent can do with a shell against the gates of its turn (G27a, G42). */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { filesWithHook } from "@/node/services/gauntlet/turn/turnStart";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import { runGauntlet } from "@test/helpers/gauntlet/trust";
import { TrustRig } from "@test/helpers/gauntlet/trustRig";
import { restoring } from "@test/helpers/restoring";

const RESET = /begins anew after 2 failed attempts/;

const blockedTwice = restoring(
  async (turnId?: string): Promise<TrustRig> => {
    const rig = await TrustRig.create();
    if (turnId !== undefined) await rig.message({ turnId });
    await rig.edit("src/bad", "x");
    expect((await rig.stop({ ...(turnId && { turnId }) })).blocks).toBe(true);
    await rig.edit("src/bad", "y");
    expect((await rig.stop({ ...(turnId && { turnId }) })).blocks).toBe(true);
    return rig;
  },
  ({ project, home }) => [project.dir, home]
);

test("attempts that turn-start resets in a turn are shown once (G27a)", async () => {
  const rig = await blockedTwice();
  await rig.message();
  expect((await rig.stop()).forPerson).toMatch(RESET);
  expect((await rig.stop()).forPerson).not.toMatch(RESET);
});

test("a message after a turn that ended resets attempts without a word (G27a)", async () => {
  const rig = await blockedTwice();
  await rm(rig.project.path("src/bad"));
  expect((await rig.stop()).blocks).toBe(false);
  await rig.message();
  await rig.edit("src/bad", "z");
  expect((await rig.stop()).forPerson).not.toMatch(/failed attempt/);
});

test("a host that names its turns confirms its message, and shows a forged one (G27a)", async () => {
  const rig = await blockedTwice("1");
  await rig.message({ turnId: "2" });
  expect((await rig.stop({ turnId: "2" })).forPerson).not.toMatch(/failed attempt/);
  await rig.message();
  expect((await rig.stop({ turnId: "2" })).forPerson).toMatch(/begins anew after 1 failed attempt/);
});

test("a hook that was removed is shown at the stop, the next message, run and status, until uninstall (G27a)", async () => {
  const rig = await TrustRig.create();
  const { dir } = rig.project;
  const path = join(rig.home, "hooks.json");
  await writeFile(path, '{"command": "agent-gauntlet stop-hook --verify"}');
  const hookFiles = () => filesWithHook(new LocalFiles(), [path]);
  expect(await rig.message({ hookFiles })).toBeUndefined();
  await rig.edit("src/new.txt", "x");
  expect((await rig.stop()).forPerson).not.toContain("was removed");
  await writeFile(path, "{}");
  const removed = `the Stop hook was removed from ${path}`;
  expect((await rig.stop()).forPerson).toContain(removed);
  expect(await rig.message({ hookFiles })).toContain(removed);
  expect(await rig.message({ hookFiles, sessionId: "other" })).toContain(removed);
  for (const command of ["run", "status"]) {
    expect((await runGauntlet(dir, rig.home, [command])).stderr).toContain(removed);
  }
  expect((await runGauntlet(dir, rig.home, ["uninstall"])).code).toBe(0);
  expect((await runGauntlet(dir, rig.home, ["status"])).stderr).toBe("");
});

/** All hosts decide alike. These show a message with a block, and none. */
const [SHOWING] = AGENT_HOSTS;
const SILENT = AGENT_HOSTS.find((host) => !TrustRig.shows(host, "failed"));

test.each([SHOWING!, SILENT!])(
  "the pause of a turn counts from the next message: $name (G42)",
  async (host) => {
    const rig = await TrustRig.create(host);
    const projectDir = rig.project.dir;
    const made = { projectDir, since: new Date().toISOString(), turns: 1, seen: [] };
    const store = new TurnStore(new LocalFiles(), rig.project.path(".git"));
    expect((await store.write("pauses", hashKey(projectDir), made)).isOk()).toBe(true);
    await rig.edit("src/bad", "x");
    const { blocks, forPerson } = await rig.stop();
    expect(blocks).toBe(true);
    if (rig.shows("failed")) expect(forPerson).toContain("a pause was made during this turn");
    await rig.message();
    const paused = await rig.stop();
    expect(paused.blocks).toBe(false);
    if (rig.shows("passed")) expect(paused.forPerson).toContain("turned off by");
  }
);
