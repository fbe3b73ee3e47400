/** Stops of projects with and without trust, as each agent host's command decides them (G24a). */
import { rename, rm, symlink, writeFile, mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main as gauntlet } from "@/cli/gauntlet/program";
import { main as muxHooks } from "@/cli/muxHooks";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { filesWithHook } from "@/node/services/gauntlet/turn/recordTurnStart";
import { hashKey, TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import { testContext } from "@test/helpers/cliContext";
import { beginTrustLater, runGauntlet, trustNow } from "@test/helpers/gauntlet/trust";
import { TrustRig, CHECK, CONFIG, LAX, STRICT } from "@test/helpers/gauntlet/trustRig";
import { restoring } from "@test/helpers/restoring";
import { folderWith, putFile, tempDir } from "@test/helpers/tempDir";

test("a clone without changed files is not mentioned, and CI does not replace its trust (G24a)", async () => {
  const rig = await TrustRig.create(AGENT_HOSTS[0], { isTrusted: false });
  const quiet = await rig.stop();
  expect(quiet).toMatchObject({ blocks: false, reason: "" });
  expect(quiet.forPerson).not.toContain("not verified");
  await rig.edit("src/bad", "x");
  expect((await rig.stop({ env: { CI: "true" } })).blocks).toBe(false);
  expect(await rig.ran()).toEqual([]);
});

const blocked = restoring(async () => {
  const rig = await TrustRig.create();
  // Those of another branch, which were trusted later.
  await rig.edit(CHECK, LAX);
  await trustNow(rig.project.dir, rig.home);
  await rig.edit(CHECK, STRICT);
  await rig.edit("src/bad", "x");
  expect((await rig.stop()).blocks).toBe(true);
  return rig;
});

test.each([
  ["turned off", `stop_hook: {enabled: false}\nbase_branch: main\n${CONFIG}`],
  ["broken", "entry_points: 3\n"],
])("a gate that the agent changes after a block still blocks: %s (G24a)", async (_, text) => {
  const rig = await blocked();
  await rig.edit(".gauntlet/config.yml", text);
  const { blocks, forPerson } = await rig.stop();
  expect(blocks).toBe(true);
  expect(forPerson).toContain("not trusted yet");
});

test("a configuration inside of a trusted project does not replace it (G24a)", async () => {
  const rig = await TrustRig.create();
  await rig.edit("src/bad", "x");
  await rig.edit("src/.gauntlet/config.yml", "entry_points: []\n");
  const { blocks, forPerson } = await rig.stop({ cwd: rig.project.path("src") });
  expect(blocks).toBe(true);
  expect(forPerson).toContain("src/.gauntlet is not trusted");
});

test("a project that is opened through a link has the trust of its real path (G24a)", async () => {
  const rig = await TrustRig.create();
  const link = join(await tempDir(), "link");
  await symlink(rig.project.dir, link);
  await symlink(await tempDir(), rig.project.path("src/out"));
  await rig.edit("src/bad", "x");
  for (const cwd of [link, join(link, "src/out")])
    expect((await rig.stop({ cwd })).blocks).toBe(true);
  // It is not a second project.
  expect((await rig.stop({ projectHint: link })).forPerson).not.toContain("not trusted");
});

test("trust that is recorded in a turn counts from the next message (G24a)", async () => {
  const rig = await TrustRig.create(AGENT_HOSTS[0], { isTrusted: false });
  await rig.edit("src/bad", "x");
  expect((await runGauntlet(rig.project.dir, rig.home, ["trust", "--yes"])).code).toBe(0);
  const before = await rig.stop();
  expect(before.blocks).toBe(false);
  expect(before.forPerson).toContain("trusted during this turn");
  await rig.message();
  await rig.edit("src/bad", "y");
  expect((await rig.stop()).blocks).toBe(true);
});

test("a definition that comes with a commit from elsewhere does not block by its old form (G24a)", async () => {
  const rig = await TrustRig.create();
  const { project } = rig;
  await project.shell("git switch --quiet --create other main");
  await project.write(CHECK, LAX);
  await project.shell(
    "git commit --quiet --all --message=lax && git switch --quiet work && : > .git/logs/HEAD"
  );
  await rig.message();
  await project.shell("git merge --quiet --ff-only other");
  await rig.edit("src/bad", "x");
  const { blocks, forPerson } = await rig.stop();
  expect(blocks).toBe(false);
  expect(forPerson).toContain("failed as you trusted it");
});

test("a signed commit of the agent blocks by the old form, also if git log shows signatures (G24a)", async () => {
  const rig = await TrustRig.create();
  const { project } = rig;
  // Git fails if the program ends before it has read the commit.
  const sign = `cat >/dev/null; printf '\\n[GNUPG:] SIG_CREATED ' >&2; echo -----BEGIN PGP SIGNATURE-----`;
  await project.script(".git/gpg", sign);
  const settings = 'git config gpg.program "$PWD/.git/gpg" && git config log.showSignature true';
  await rig.message();
  await rig.edit(CHECK, LAX);
  await project.shell(`${settings} && git commit --quiet -S --all --message=lax`);
  await rig.edit("src/bad", "x");
  expect((await rig.stop()).blocks).toBe(true);
});

test("a linked worktree has the trust of its main checkout, and a forged one has none (G24a)", async () => {
  const rig = await TrustRig.create();
  const linked = join(await tempDir(), "linked");
  await rig.project.shell(`git worktree add --quiet -b linked ${linked}`);
  await writeFile(join(linked, "src", "bad"), "x");
  expect((await rig.stop({ cwd: linked })).blocks).toBe(true);

  const forged = await folderWith({ "src/bad": "x" });
  const gitFile = await new LocalFiles().readFile(join(linked, ".git"), { maxBytes: 4_096 });
  await writeFile(join(forged, ".git"), gitFile._unsafeUnwrap());
  await mkdir(join(forged, ".gauntlet/checks"), { recursive: true });
  for (const path of [".gauntlet/config.yml", CHECK]) {
    await writeFile(join(forged, path), await rig.project.read(path));
  }
  expect((await rig.stop({ cwd: forged })).blocks).toBe(false);
});

test("a project in which gates ran before is trusted as it is, and the person is told once (G24a)", async () => {
  const rig = await TrustRig.create(AGENT_HOSTS[0], { isTrusted: false });
  await rig.project.git("update-ref", "refs/worktree/agent-gauntlet/start", "HEAD");
  await rig.edit("src/bad", "x");
  // The record of trust is older than this start record, which an agent may have made.
  expect((await rig.stop()).blocks).toBe(false);

  const old = await TrustRig.create(AGENT_HOSTS[0], { isTrusted: false });
  await old.project.git("update-ref", "refs/worktree/agent-gauntlet/start", "HEAD");
  await beginTrustLater(old.home);
  await old.edit("src/bad", "x");
  const first = await old.stop();
  expect(first.blocks).toBe(true);
  expect(first.forPerson).toContain("trusted as they are");
  expect((await old.stop()).forPerson).not.toContain("trusted as they are");
  // Only the first stop counts it, and none after a revocation.
  for (const main of [gauntlet, muxHooks]) {
    const place = testContext({ cwd: old.project.dir, home: old.home });
    expect(await main(["trust", "--revoke"], place)).toBe(0);
    expect((await old.stop()).blocks).toBe(false);
    await runGauntlet(old.project.dir, old.home, ["trust", "--yes"]);
  }
});

test("the user's own file turns nothing off in the turn in which it changed (G24a)", async () => {
  const rig = await TrustRig.create();
  await rig.edit("src/bad", "x");
  const file = join(rig.home, ".config/agent-gauntlet/config.yml");
  await putFile(file, "stop_hook: {enabled: false}\n");
  // An agent can set a time of modification back.
  await utimes(file, new Date(0), new Date(0));
  const { blocks, forPerson } = await rig.stop();
  expect(blocks).toBe(true);
  expect(forPerson).toContain("changed in this turn");
  await rig.message();
  expect((await rig.stop()).blocks).toBe(false);
});

test("variables that skip a check are told once per session (G24a)", async () => {
  const rig = await TrustRig.create(AGENT_HOSTS[0], { isTrusted: false });
  await rig.edit("src/bad", "x");
  const always = { env: { MUX_HOOKS_TRUST: "always" } };
  const open = await rig.stop(always);
  expect(open.blocks).toBe(true);
  expect(open.forPerson).toContain("MUX_HOOKS_TRUST=always is set");
  expect((await rig.stop(always)).forPerson).not.toContain("MUX_HOOKS_TRUST");

  const off = { env: { ...always.env, GAUNTLET_STOP_HOOK_ENABLED: "false" } };
  expect((await rig.stop(off)).forPerson).toContain("not verified");
  expect((await rig.stop(off)).forPerson).not.toContain("not verified");

  const marked = { env: { ...always.env, GAUNTLET_STOP_HOOK_ACTIVE: "1" } };
  const first = await rig.stop(marked);
  expect(first).toMatchObject({ blocks: false });
  expect(first.forPerson).toMatch(/turned off by GAUNTLET_STOP_HOOK_ACTIVE.*not verified/);
  expect((await rig.stop(marked)).forPerson).toBe("\n");
  const inGate = { env: { ...always.env, GAUNTLET_STOP_HOOK_ACTIVE: String(process.pid) } };
  expect((await rig.stop(inGate)).forPerson).toBe("\n");

  const rare = { env: { ...always.env, GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "9" } };
  expect((await rig.stop(rare)).forPerson).toContain("at most every 9 min");
  expect((await rig.stop(rare)).forPerson).not.toContain("every 9 min");

  // The project itself may have set it.
  await rig.edit(".claude/settings.json", '{"env": {"MUX_HOOKS_TRUST": "always"}}');
  expect((await rig.stop(always)).blocks).toBe(false);
});

test("a message has at most three lines, and status shows the rest (G25a)", async () => {
  const rig = await TrustRig.create();
  const file = join(rig.home, ".config/agent-gauntlet/config.yml");
  await putFile(file, "one: 1\ntwo: 2\nthree: 3\n");
  await rig.message();
  await rig.edit("src/new.txt", "x");
  const env = { MUX_HOOKS_TRUST: "always", GAUNTLET_STOP_HOOK_ENABLED: "maybe" };
  const lines = (await rig.stop({ env })).forPerson.trim().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("MUX_HOOKS_TRUST=always");
  expect(lines[2]).toMatch(/^Gauntlet: and \d notes: \S+ status$/);
  expect((await rig.stop({ env })).forPerson.trim()).toBe("");
  const { stdout } = await runGauntlet(rig.project.dir, rig.home, ["status"]);
  for (const note of ["MUX_HOOKS_TRUST", "GAUNTLET_STOP_HOOK_ENABLED", "one", "three"]) {
    expect(stdout).toMatch(new RegExp(`^Note: .*${note}`, "m"));
  }
});

const RESET = /begins anew after 2 failed attempts/;

const blockedTwice = restoring(async (turnId?: string) => {
  const rig = await TrustRig.create();
  if (turnId !== undefined) await rig.message({ turnId });
  await rig.edit("src/bad", "x");
  expect((await rig.stop({ ...(turnId && { turnId }) })).blocks).toBe(true);
  await rig.edit("src/bad", "y");
  expect((await rig.stop({ ...(turnId && { turnId }) })).blocks).toBe(true);
  return rig;
});

test("attempts that turn-start resets in a turn are shown once, and none after a turn that ended (G27a)", async () => {
  const rig = await blockedTwice();
  await rig.message();
  expect((await rig.stop()).forPerson).toMatch(RESET);
  expect((await rig.stop()).forPerson).not.toMatch(RESET);
  await rm(rig.project.path("src/bad"));
  expect((await rig.stop()).blocks).toBe(false);
  await rig.message();
  await rig.edit("src/bad", "z");
  expect((await rig.stop()).forPerson).not.toMatch(/failed attempt/);
});

test("a host that sends no second stop of a turn resets no attempts (G27a)", async () => {
  const rig = await TrustRig.create(AGENT_HOSTS.find(({ name }) => name === "kimi"));
  await rig.edit("src/bad", "x");
  const first = await rig.stop();
  expect(first.blocks).toBe(true);
  expect(first.reason).toContain('end your answer with "not verified"');
  expect(first.reason).not.toMatch(/gates run again|cannot stop until/);
  await rig.message();
  await rm(rig.project.path("src/bad"));
  expect((await rig.stop()).forPerson.trim()).toBe("");
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
  const path = join(rig.home, ".claude/settings.json");
  await putFile(path, '{"command": "agent-gauntlet stop-hook --verify"}');
  const hookFiles = () => filesWithHook(new LocalFiles(), [path]);
  expect(await rig.message({ hookFiles })).toBeUndefined();
  // A host without a file of its own runs the hook of another host, or a plugin.
  const hooksIn = (...paths: string[]) => ({ hookFiles: () => Promise.resolve(paths) });
  expect(await rig.message({ ...hooksIn(), sessionId: "plugin" })).toBeUndefined();
  await rig.edit("src/new.txt", "x");
  expect((await rig.stop()).forPerson).not.toContain("was removed");
  await writeFile(path, '{"command": "~/.claude/stop-hook-git-check.sh"}');
  const removed = `the Stop hook was removed from ${path}`;
  expect((await rig.stop()).forPerson).toContain(removed);
  expect(await rig.message({ hookFiles })).toContain(removed);
  expect(await rig.message({ hookFiles, sessionId: "other" })).toContain(removed);
  for (const command of ["run", "status"]) {
    expect((await runGauntlet(dir, rig.home, [command])).stderr).toContain(removed);
  }
  expect((await runGauntlet(dir, rig.home, ["uninstall"])).code).toBe(0);
  await rig.message(hooksIn(path));
  // The path may be one of the folder in which the project was.
  await rename(dir, `${dir}-moved`);
  const { stderr } = await runGauntlet(`${dir}-moved`, rig.home, ["status"]);
  await rename(`${dir}-moved`, dir);
  expect(stderr).not.toContain("was removed");
  expect((await runGauntlet(dir, rig.home, ["status"])).stderr).toContain(removed);
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
