/** `init --hook git`: the gates at a real `git push` (G51). */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { EXIT } from "@/cli/context";
import { gitEnv, writeExecutable } from "@test/helpers/gitProject";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { stop } from "@test/helpers/gauntlet/stopInProcess";
import { tempDir } from "@test/helpers/tempDir";

const HOOK = ".git/hooks/pre-push";
const NO_BAD = "! grep -rqs BAD src";

async function gatedProject(files: Readonly<Record<string, string>> = {}, check = NO_BAD) {
  const config = `checks:\n  words: 'echo ran >> .git/ran; ${check}'\n`;
  return await InitProject.create({ "src/a.txt": "a\n", ".gauntlet/config.yml": config, ...files });
}

/** Creates a project with an empty remote `origin`. */
async function pushProject(files?: Readonly<Record<string, string>>, check?: string) {
  const project = await gatedProject(files, check);
  const remote = await tempDir();
  project.git("init", "--quiet", "--bare", remote);
  project.git("remote", "add", "origin", remote);
  return project;
}

interface PushPlace {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

function push(
  project: InitProject,
  args: readonly string[],
  { cwd = project.dir, env: more = {} }: PushPlace = {}
) {
  const env = gitEnv({ HOME: project.home, MUX_HOOKS_TRUST: "always", CI: "", ...more });
  const ended = spawnSync("git", ["push", "origin", ...args], { cwd, env, encoding: "utf8" });
  return { code: ended.status, output: ended.stdout + ended.stderr };
}

/** Calls the command as git's hook does for a push to `origin`. A ref without a commit is deleted. */
async function prePush(project: InitProject, refs: Readonly<Record<string, string>>) {
  const lines = Object.entries(refs).map(
    ([name, commit]) => `${name} ${commit || NONE} ${name} ${NONE}\n`
  );
  return await agentGauntlet(project, "pre-push origin url", {
    prepare: ({ stdin }) => stdin.end(lines.join("")),
  });
}

const NONE = "0".repeat(40);

const runsOf = (project: InitProject): number =>
  existsSync(project.at(".git/ran")) ? project.read(".git/ran").split("\n").length - 1 : 0;
const remoteOf = (project: InitProject, ref: string): string =>
  project.git("ls-remote", "origin", ref).split("\t")[0]!;

describe("a push (G51)", () => {
  test("runs the gates of a clean working tree, once per tree, and refuses a failure, which --no-verify pushes", async () => {
    const project = await pushProject();
    expect(await project.init({ hook: ["git"] })).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringContaining(`${HOOK}: "git push" now runs the gates\n`) as string,
    });
    const bad = project.commit("bad", { "src/b.txt": "BAD\n" });
    const refused = push(project, ["main"]);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("running the gates before the push\n");
    expect(refused.output).toContain("[FAIL]  check:.:words");
    expect(refused.output).toContain('"git push --no-verify" pushes without the gates');
    expect([remoteOf(project, "main"), runsOf(project)]).toEqual(["", 1]);

    // The next stop names a push without the gates, once.
    expect(push(project, ["--no-verify", "main"]).code).toBe(0);
    const told = `${bad.slice(0, 9)} was pushed to origin/main although the gates had failed`;
    const first = await stop(project.dir);
    expect(first.decision).toBe("block");
    expect(first.systemMessage).toContain(told);
    expect((await stop(project.dir)).systemMessage ?? "").not.toContain(told);

    const before = runsOf(project);
    const good = project.commit("good", { "src/b.txt": "good\n" });
    expect(push(project, ["main"]).code).toBe(0);
    expect([remoteOf(project, "main"), runsOf(project)]).toEqual([good, before + 1]);
    // The tree that passed is free, also as another branch and in a changed working tree.
    project.write({ "src/c.txt": "BAD\n" });
    expect(await prePush(project, { "refs/heads/release": good, "refs/heads/old": bad })).toEqual({
      ...{ code: 0, stdout: "", stderr: "" },
    });
    expect(runsOf(project)).toBe(before + 1);
  });

  test("is free after a stop that passed on the same files", async () => {
    const project = await gatedProject();
    project.write({ "src/b.txt": "good\n" });
    expect(await stop(project.dir)).toMatchObject({ status: "passed" });
    const commit = project.commit("the same files");
    expect(await prePush(project, { "refs/heads/main": commit })).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(runsOf(project)).toBe(1);
  });

  test("of other files than those in the working tree is refused, and one of tags and deletions runs nothing", async () => {
    const project = await gatedProject();
    project.git("switch", "--quiet", "--create", "other");
    const other = project.commit("other", { "src/b.txt": "BAD\n" });
    project.git("switch", "--quiet", "main");
    expect(await prePush(project, { "refs/heads/other": other })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("check it out") as string,
    });
    const more = project.commit("more", { "src/c.txt": "good\n" });
    project.write({ "src/d.txt": "untracked\n" });
    project.git("config", "status.showUntrackedFiles", "no");
    expect(await prePush(project, { "refs/heads/main": more })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("git stash -u") as string,
    });
    const free = { "refs/tags/v1": other, "refs/notes/commits": other, "refs/heads/gone": "" };
    expect(await prePush(project, free)).toMatchObject({ code: 0, stderr: "" });
    expect(runsOf(project)).toBe(0);
  });

  test("that no gate covers is not named as a failure", async () => {
    const project = await pushProject({ "a.js": "" });
    project.write({
      ".gauntlet/config.yml": "checks:\n  lint: { command: 'false', when: ['*.js'] }\n",
    });
    project.commit("config");
    await project.init();
    const text = project.commit("text", { "README.md": "text\n" });
    expect(await prePush(project, { "refs/heads/main": text })).toMatchObject({ code: 0 });
    push(project, ["main"]);
    project.write({ "a.js": "1\n" });
    const { decision, systemMessage = "" } = await stop(project.dir);
    expect([decision, systemMessage.includes("was pushed")]).toEqual(["block", false]);
  });

  test("from a linked worktree leaves the git of a check alone", async () => {
    const project = await pushProject({}, 'git init -q "$TMPDIR/n" && test -d "$TMPDIR/n/.git"');
    await project.init({ hook: ["git"] });
    const linked = `${await tempDir()}/w`;
    project.git("worktree", "add", "--quiet", linked, "-b", "linked");
    writeFileSync(`${linked}/src/b.txt`, "b\n");
    project.git("-C", linked, "add", "--all");
    project.git("-C", linked, "commit", "--quiet", "--message=linked");
    const env = { TMPDIR: await tempDir() };
    expect(push(project, ["linked"], { cwd: linked, env }).output).toContain("Status: Passed");
  });
});

describe("the hook (G51)", () => {
  test("keeps a hook that is there, which gets the same refs, and is removed without a trace", async () => {
    const project = await pushProject();
    const own = "#!/bin/bash\nset -e\nsed 's/^$/empty/' > .git/refs-read\n";
    writeExecutable(project.at(HOOK), own);
    await project.init({ hook: ["git"] });
    const once = project.read(HOOK);
    await project.init({ hook: ["git"] });
    expect(project.read(HOOK)).toBe(once);
    const head = project.commit("c", { "src/b.txt": "b\n" });
    expect(push(project, ["main"]).code).toBe(0);
    expect(project.read(".git/refs-read")).toMatch(`refs/heads/main ${head} refs/heads/main 0`);
    expect(push(project, ["main"]).code).toBe(0);
    expect(project.read(".git/refs-read")).toBe("");
    expect((await project.uninstall({ hook: ["git"] })).code).toBe(EXIT.ok);
    expect(project.read(HOOK)).toBe(own);
  });

  test("is examined by doctor: installed, not executable, and replaced by another manager", async () => {
    const project = await gatedProject();
    expect((await project.doctor()).stdout).not.toContain("pre-push");
    await project.init({ hook: ["git"] });
    expect((await project.doctor()).stdout).toContain(`"git push" runs the gates: ${HOOK}`);
    project.chmod(HOOK, 0o644);
    expect((await project.doctor()).stdout).toContain(`git ignores ${HOOK}`);
    await project.init({ hook: ["git"] });
    expect((await project.doctor()).stdout).toContain(`"git push" runs the gates: ${HOOK}`);
    project.write({ "lefthook.yml": "pre-push:\n" });
    expect((await project.doctor()).stdout).toContain("but git takes its hooks from elsewhere");
  });

  test("of a program that is gone lets the push go, with a message", async () => {
    const project = await pushProject();
    await project.init({ hook: ["git"] });
    expect(statSync(project.at(HOOK)).mode & 0o111).not.toBe(0);
    writeExecutable(project.at(HOOK), project.read(HOOK).replaceAll(".cjs", ".gone"));
    const { code, output } = push(project, ["main"]);
    expect([code, output]).toEqual([0, expect.stringContaining("no gate ran before this push")]);
    await project.uninstall();
    expect(existsSync(project.at(HOOK))).toBe(false);
  });

  test("goes to the file of husky, without a path of this machine", async () => {
    const own = "npm test\n";
    const project = await gatedProject({ ".husky/pre-push": own, ".husky/_/h": "" });
    project.git("config", "core.hooksPath", ".husky/_");
    const { stdout } = await project.init({ hook: ["git"], dryRun: true });
    expect(stdout).toContain("+++ .husky/pre-push\n");
    await project.init({ hook: ["git"] });
    expect(project.read(".husky/pre-push")).toContain("agent-gauntlet pre-push");
    expect(project.read(".husky/pre-push")).not.toContain(project.dir);
    await project.uninstall();
    expect(project.read(".husky/pre-push")).toBe(own);
  });

  test("goes to the file of lefthook, whose comments stay", async () => {
    const own = "# ours\npre-push:\n  commands:\n    test:\n      run: npm test # all\n";
    const project = await gatedProject({ "lefthook.yml": own });
    const { stdout } = await project.init({ hook: ["git"] });
    expect(stdout).toContain('Run "lefthook install" once');
    const text = project.read("lefthook.yml");
    expect(text).toMatch(/^# ours\npre-push:\n {2}commands:\n {4}test:\n {6}run: npm test # all\n/);
    const { commands } = (
      parse(text) as { "pre-push": { commands: Record<string, { readonly run: string }> } }
    )["pre-push"];
    // Without a name of a file, lefthook skips the command if the checked out branch has nothing to push.
    expect(commands["mux-stop-hooks"]).toMatchObject({
      run: expect.stringMatching(
        /then agent-gauntlet pre-push \{1\}; else .* # \{files\}$/
      ) as unknown,
      ...{ files: "echo lefthook.yml", use_stdin: true },
    });
    const started = spawnSync("sh", ["-c", commands["mux-stop-hooks"]!.run], {
      ...{ cwd: project.dir, env: { PATH: process.env.PATH }, input: "", encoding: "utf8" },
    });
    expect([started.status, started.stderr]).toEqual([
      0,
      expect.stringContaining("no gate ran before this push"),
    ]);
    await project.uninstall();
    expect(project.read("lefthook.yml")).toBe(own);
  });

  test("goes to a file of lefthook without commands, and replaces the command of an earlier version", async () => {
    const project = await gatedProject();
    for (const text of ["pre-push:\n", "pre-push:\n  commands:\n", ""]) {
      project.write({ "lefthook.yml": text });
      await project.uninstall({ hook: ["git"] });
      expect(project.read("lefthook.yml")).toBe(text);
      expect((await project.init({ hook: ["git"] })).code).toBe(EXIT.ok);
      expect(project.read("lefthook.yml")).toMatch(
        /^pre-push:\n {2}commands:\n {4}mux-stop-hooks:\n {6}run: .*agent-gauntlet pre-push/
      );
    }
    const { code, stdout } = await project.doctor();
    expect(stdout).toContain(
      "git ignores .git/hooks/pre-push, because it is not an executable file"
    );
    expect(stdout).toContain('Next: run "lefthook install"');
    expect(code).toBe(EXIT.failure);
    project.git("config", "core.hooksPath", "own");
    writeExecutable(project.at("own/pre-push"), "#!/bin/sh\n");
    expect((await project.doctor()).stdout).toContain('"git push" runs the gates: lefthook.yml');
    const earlier = "      run: agent-gauntlet pre-push {1}\n      use_stdin: true\n";
    project.write({ "lefthook.yml": `pre-push:\n  commands:\n    mux-stop-hooks:\n${earlier}` });
    await project.init({ hook: ["git"] });
    expect(project.read("lefthook.yml")).toContain("files: echo lefthook.yml\n");
  });

  test("runs the gates of each project of a repository", async () => {
    const config = "checks:\n  one: test ! -e bad\n";
    const project = await pushProject({ "one/.gauntlet/config.yml": config });
    await project.init({ hook: ["git"] }, { cwd: project.at("one") });
    expect((await project.doctor()).stdout).not.toContain("pre-push");
    await project.init({ hook: ["git"] });
    project.commit("bad", { "src/b.txt": "b\n", "one/bad": "b\n" });
    const { output } = push(project, ["main"]);
    expect(output).toMatch(/\[PASS\] {2}check:.:words[^]*\[FAIL\] {2}check:.:one/);
  });

  test("is not installed where it could not work, with the reason", async () => {
    const project = await gatedProject({ "lefthook.yml": "pre-push: [a]\n" });
    const whyNot = async () => (await project.init({ hook: ["git"] })).stderr;
    expect(await whyNot()).toMatch(/another form than expected/);
    expect(project.read("lefthook.yml")).toBe("pre-push: [a]\n");
    project.git("mv", "lefthook.yml", "lefthook.toml");
    expect(await whyNot()).toContain("is not YAML");
    project.git("mv", "lefthook.toml", "other.toml");
    const python = "#!/usr/bin/env python3\n";
    writeExecutable(project.at(HOOK), python);
    expect(await whyNot()).toContain("it is no shell script");
    expect(readFileSync(project.at(HOOK), "utf8")).toBe(python);
    project.git("config", "core.hooksPath", await tempDir());
    const { code, stderr } = await project.init({ hook: ["git"] });
    expect(stderr).toContain("which is not only for this repository");
    expect(code).toBe(EXIT.failure);
  });
});
