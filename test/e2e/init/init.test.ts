import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Result } from "neverthrow";
import { EXIT } from "@/cli/context";
import type { planHook } from "@/cli/gauntlet/init/hooks/planHook";
import { editSettings } from "@/cli/settingsFile";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { agentGauntletBin, hookProgram } from "@test/helpers/freshBuild";
import type { TestContext } from "@test/helpers/cliContext";
import { gitEnv } from "@test/helpers/gitProject";
import { pathIn, read, write } from "@test/helpers/gauntlet/hostFiles";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { tempDir } from "@test/helpers/tempDir";

const CONFIG = ".gauntlet/config.yml";
const CHECK = ".gauntlet/checks/conflict-markers.yml";
const CLAUDE = ".claude/settings.local.json";
const MUX = ".mux/settings.local.json";
const VERIFY = "stop-hook --verify --host claude --limit 300";
/** The hook that an earlier version wrote. */
const EARLIER_HOOK = { type: "command", command: "agent-gauntlet stop-hook", timeout: 300 };
const MUX_HOOK = { type: "builtin", name: "gauntlet", timeout: 300 };
const BOTH = { hook: ["claude", "mux"] } as const;
const INSTALLED = "✓ Stop hook installed - gauntlet will run automatically when agent stops\n";

function settingsWith(handler: unknown): unknown {
  return { hooks: { Stop: [{ hooks: [handler] }] } };
}

/** Returns the settings that `init` writes if the shell starts the gauntlet with this program. */
function claudeSettings(program = hookProgram): unknown {
  return { hooks: hooksOf(program) };
}

function hooksOf(program: string) {
  const stop = { type: "command", command: `${program} ${VERIFY}`, timeout: 300 };
  const turnStart = { type: "command", command: `${program} turn-start` };
  return { Stop: [{ hooks: [stop] }], UserPromptSubmit: [{ hooks: [turnStart] }] };
}

/** Returns the text of the only file of a plan after its edits. */
function textAfter(edits: Awaited<ReturnType<typeof planHook>>["edits"], before: string): string {
  return edits
    ._unsafeUnwrap()
    .reduce((text, { path, edit }) => edit(path, text)._unsafeUnwrap(), before);
}

async function configOf(project: InitProject, dir = project.dir) {
  const loaded = await loadGauntletConfig(project.runtime, dir, { strict: true });
  if (loaded.kind !== "valid") throw new Error(JSON.stringify(loaded));
  expect(loaded.problems).toEqual([]);
  return loaded.config;
}

async function runGates(project: InitProject) {
  return await executeRun({ runtime: project.runtime, projectDir: project.dir, env: {} });
}

describe("the configuration", () => {
  test("passes in a run right after init, which asks nothing and installs no hook; its check finds conflict markers (G29, H31)", async () => {
    const project = await InitProject.create();
    const { code, stdout, stderr } = await project.init();
    expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
    expect(stdout).toContain("Creating .gauntlet/config.yml...\n✓ Configuration created\n");
    expect(stdout).toContain('Run "mux-stop-hooks run"');
    expect(stdout).not.toMatch(/\?|Mux/);
    expect(Object.keys(project.files())).toEqual([".gauntlet", CONFIG, "a.txt"]);
    // The trust is recorded for the gates alone.
    expect(fs.readdirSync(join(project.home, ".mux"))).toEqual(["hook-trust.json"]);
    expect((await project.hooks()).trust.trusted).toBe(true);
    await configOf(project);
    // The default of the log folder may change.
    expect(project.read(CONFIG)).not.toMatch(/log_dir|\n\n\n/);
    expect(await runGates(project)).toMatchObject({ status: "passed", gatesRun: 1 });

    project.write({ "a.txt": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n" });
    expect(await runGates(project)).toMatchObject({ status: "failed", gatesFailed: 1 });
    expect(project.read(".git/agent-gauntlet/logs/check_._conflict-markers.1.log")).toContain(
      "a.txt:1:<<<<<<< HEAD\na.txt:5:>>>>>>> theirs\nThese lines are markers of a merge conflict"
    );
  });

  test("stays byte for byte if it exists already, and init prints that", async () => {
    const project = await InitProject.withoutGit({ [CONFIG]: "entry_points: nonsense" });
    const { code, stdout } = await project.init();
    expect(code).toBe(EXIT.ok);
    expect(stdout).toBe(".gauntlet/config.yml already exists and is not changed.\n");
    expect(project.files()).toEqual({ ".gauntlet": "no file", [CONFIG]: "entry_points: nonsense" });
  });

  test("is unchanged after a second init", async () => {
    const project = await InitProject.withoutGit();
    await project.init(BOTH);
    project.write({
      [CHECK]: "command: make lint\n",
      [CLAUDE]: `// mine\n${project.read(CLAUDE)}`,
    });
    const before = project.files();
    const { code, stderr } = await project.init(BOTH);
    expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
    expect(project.files()).toEqual(before);
  });

  test("reports a configuration and a folder that cannot be written, and still installs the other hook", async () => {
    const project = await InitProject.withoutGit({ ".gauntlet": "a file\n", ".mux": "" });
    const { code, stderr } = await project.init(BOTH);
    expect(code).toBe(EXIT.failure);
    expect(stderr).toMatch(/^mux-stop-hooks: \S+config.yml cannot be written: /m);
    expect(stderr).toContain(`${project.at(MUX)} cannot be read: ENOTDIR`);
    expect(project.json(CLAUDE)).toEqual(claudeSettings());
  });

  test("names the branch, or origin/HEAD, as the base branch", async () => {
    const project = await InitProject.create();
    // YAML reads it otherwise.
    project.git("branch", "--move", "main", "a#'b");
    await project.init();
    expect((await configOf(project)).baseBranch).toBe("a#'b");
    project.git("branch", "--move", "main");
    for (const name of ["main", "trunk"]) {
      project.git("update-ref", `refs/remotes/origin/${name}`, "HEAD");
    }
    project.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
    fs.rmSync(project.at(".gauntlet"), { recursive: true });
    await project.init();
    expect((await configOf(project)).baseBranch).toBe("origin/trunk");
  });

  test("uses the initial branch as the base in a repository without a commit", async () => {
    const project = await InitProject.create();
    project.git("update-ref", "-d", "HEAD");
    project.git("symbolic-ref", "HEAD", "refs/heads/begin");
    await project.init();
    expect((await configOf(project)).baseBranch).toBe("begin");
    expect((await runGates(project)).status).toBe("passed");
  });
});

describe("the folder", () => {
  test("is that of a project above within the repository, or else the root (G24)", async () => {
    const project = await InitProject.create({
      "src/a.txt": "a\n",
      [`a/${CONFIG}`]: "entry_points: [{path: .}]\n",
      "a/b/c": "",
    });
    await project.init({ hook: ["claude"] }, { cwd: project.at("a/b") });
    expect(project.json(`a/${CLAUDE}`)).toEqual(claudeSettings());
    expect(Object.keys(project.files())).not.toContain(".gauntlet");
    const { stdout } = await project.init({ hook: ["claude"] }, { cwd: project.at("src") });
    expect(stdout).toContain(`Creating ${project.at(CONFIG)}...`);
    expect(project.json(CLAUDE)).toEqual(claudeSettings());
  });

  test("is the current one outside a repository, and git init is the first step", async () => {
    const project = await InitProject.withoutGit();
    const { code, stdout } = await project.init();
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain('1. Run "git init"');
    expect((await configOf(project)).baseBranch).toBe("origin/main");
  });

  test("is not a home folder that is under version control", async () => {
    const project = await InitProject.withoutGit();
    execFileSync("git", ["init", "--quiet"], { cwd: project.home, env: gitEnv() });
    const cwd = join(project.home, "notes");
    fs.mkdirSync(cwd);
    await project.init({}, { cwd });
    await configOf(project, cwd);
  });
});

describe("prompts", () => {
  test("does not prompt at a terminal with --yes, and records the trust in the gates alone without Mux (G29, H31)", async () => {
    const project = await InitProject.create();
    const { stdout } = await project.init({ yes: true, hook: ["claude"] }, { typed: "y\ny\n" });
    expect(stdout).not.toMatch(/\?|Mux/);
    expect(Object.keys(project.files())).toContain(CLAUDE);
    expect(Object.keys(project.files())).not.toContain(MUX);
    expect(fs.readdirSync(join(project.home, ".mux"))).toEqual(["hook-trust.json"]);
    expect((await project.hooks()).trust.trusted).toBe(true);
  });

  test.each(["stdin", "stdout"] as const)(
    "does not prompt if %s is not a terminal",
    async (name) => {
      const project = await InitProject.create();
      const prepare = (context: TestContext): void => {
        Object.assign(context[name], { isTTY: false });
        context.stdin.end("y\ny\n");
      };
      const { stdout } = await project.init({}, { typed: "", prepare });
      expect(stdout).not.toContain("?");
      expect(Object.keys(project.files())).not.toContain(CLAUDE);
    }
  );

  describe("a hook that init did not write", () => {
    let project: InitProject;
    beforeAll(async () => {
      project = await InitProject.withoutGit();
    });
    const COMMAND = { type: "command", command: "npx -y agent-gauntlet@1 stop-hook" };

    test.each([
      ["claude", CLAUDE, COMMAND],
      [
        "claude",
        ".claude/settings.json",
        { ...COMMAND, command: "/opt/bin/agent-gauntlet stop-hook" },
      ],
      ["claude", "~/.claude/settings.json", { ...EARLIER_HOOK, timeout: 60 }],
      ["claude", CLAUDE, { ...EARLIER_HOOK, async: false }],
      ["mux", ".mux/settings.json", MUX_HOOK],
      ["mux", ".xum/settings.local.json", { ...COMMAND, command: "bunx agent-gauntlet stop-hook" }],
    ])("of %s in %s is found, and stays as it is (H30)", async (name, file, handler) => {
      write(project, file, `// my own\n${JSON.stringify(settingsWith(handler))}`);
      const { installedAt, advice, edits } = await project.plan(name);
      fs.rmSync(pathIn(project, file));
      expect(installedAt).toBe(`${pathIn(project, file)}:2`);
      expect(edits._unsafeUnwrap()).toEqual([]);
      const verify = "Add --verify to the command of the hook to check every stop.";
      expect(advice?.includes(verify)).toBe(name === "claude" ? true : undefined);
    });

    test("is not a command that only mentions the gauntlet", async () => {
      const handler = { type: "command", command: "echo agent-gauntlet stop-hook" };
      project.write({ [CLAUDE]: JSON.stringify(settingsWith(handler)) });
      const { installedAt, edits } = await project.plan("claude");
      const text = textAfter(edits, project.read(CLAUDE));
      fs.rmSync(project.at(CLAUDE));
      expect(installedAt).toBeUndefined();
      const { Stop, UserPromptSubmit } = hooksOf(hookProgram);
      expect(JSON.parse(text)).toEqual({
        hooks: { Stop: [{ hooks: [handler] }, ...Stop], UserPromptSubmit },
      });
    });
  });
});

describe("the hook of Claude Code", () => {
  test.each([".claude/settings.json", "~/.claude/settings.json"])(
    "replaces the hook of an earlier init in %s, and keeps the rest of the file (G29)",
    async (file) => {
      const project = await InitProject.withoutGit({ "gauntlet_logs/x": "" });
      const text = (command: string): string =>
        `{\n  // mine\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "${command}", "timeout": 300 }] }] }, // all\n}\n`;
      write(project, file, text("agent-gauntlet stop-hook"));
      const { code, stdout } = await project.init({ hook: ["claude"] });
      expect(code).toBe(EXIT.ok);
      expect(stdout).toContain("✓ Stop hook updated");
      const written = read(project, file);
      expect(written.split("\n").slice(0, 2)).toEqual(["{", "  // mine"]);
      expect(written).toContain(" // all\n");
      const replaced = written.replaceAll(/,?\s*"UserPromptSubmit": \[.*?\] \} \]/gs, "");
      // A file that a team shares gets no path of this machine.
      const program = file.startsWith("~") ? hookProgram : "agent-gauntlet";
      expect(replaced).toBe(text(`${program} ${VERIFY}`));
      expect(written).toContain(`"${program} turn-start"`);
      expect(Object.keys(project.files())).not.toContain(CLAUDE);

      const second = await project.init({ hook: ["claude"] });
      expect(second.stdout).toContain("The Claude Code Stop hook is already installed");
      expect(read(project, file)).toBe(written);
    }
  );

  test("replaces a path that an earlier init wrote, but does not restore a removed turn-start (G29)", async () => {
    const project = await InitProject.withoutGit();
    const { Stop } = hooksOf("node '/moved away/bin/agent-gauntlet.cjs'");
    project.write({ [CLAUDE]: JSON.stringify({ hooks: { Stop } }) });
    await project.init({ hook: ["claude"] });
    expect(project.json(CLAUDE)).toEqual(claudeSettings());
    project.write({
      [CLAUDE]: JSON.stringify({ hooks: { Stop: hooksOf(hookProgram).Stop } }),
    });
    const before = project.files();
    await project.init({ hook: ["claude"] });
    expect(project.files()).toEqual(before);
  });

  test("keeps an edit by a person (G29)", async () => {
    const project = await InitProject.withoutGit();
    await project.init({ hook: ["claude"] });
    const text = project.read(CLAUDE);
    for (const edited of [
      text.replace('"timeout": 300', '"timeout": 600'),
      text.replace("--limit 300", "--limit 200"),
      text.replace(" turn-start", " turn-start --mine"),
      `// mine\n${text}`,
    ]) {
      project.write({ [CLAUDE]: edited });
      const { edits } = await project.plan("claude");
      expect(edits._unsafeUnwrap()).toEqual([]);
    }
  });

  describe("the command", () => {
    async function commandWith(program: string, folder = "bin"): Promise<unknown> {
      const project = await InitProject.withoutGit();
      const bin = join(await tempDir(), folder);
      fs.mkdirSync(bin, { recursive: true });
      if (program === "this") fs.symlinkSync(agentGauntletBin, join(bin, "agent-gauntlet"));
      else fs.writeFileSync(join(bin, "agent-gauntlet"), program, { mode: 0o755 });
      const { edits } = await project.plan("claude", { PATH: `${bin}:${process.env.PATH ?? ""}` });
      return JSON.parse(textAfter(edits, "{}"));
    }

    test("is the name alone if the shell finds it (G29)", async () => {
      expect(await commandWith("this")).toEqual(claudeSettings("agent-gauntlet"));
    });

    test.each([
      ["only a package runner has", "this", "node_modules/.bin"],
      ["is an older version", "#!/bin/sh\necho 'Usage: agent-gauntlet stop-hook'\n", "bin"],
      ["fails", "#!/bin/sh\necho --verify\nexit 1\n", "bin"],
    ])("is the path for a program of that name that %s (G29)", async (_, program, folder) => {
      expect(await commandWith(program, folder)).toEqual(claudeSettings());
    });
  });
});

describe("settings files", () => {
  test("keep their content and their mode (G29)", async () => {
    const project = await InitProject.withoutGit();
    const source = '{\n  // mine\n  "permissions": { "allow": ["Bash(ls)"] },\n}\n';
    project.write({ [CLAUDE]: source });
    project.chmod(CLAUDE, 0o640);
    const { stdout } = await project.init({ hook: ["claude"] });
    expect(stdout).toContain(`Updating ${CLAUDE}...\n${INSTALLED}`);
    expect(project.read(CLAUDE).startsWith(source.slice(0, -2))).toBe(true);
    expect(fs.statSync(project.at(CLAUDE)).mode & 0o777).toBe(0o640);
  });

  test("have the mode that the umask says in a project, but nobody else can read or replace those of a home (G29)", async () => {
    const project = await InitProject.withoutGit();
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    await project.init({ hook: ["claude", "codex", "gemini", "kimi", "goose", "opencode"] });
    const modes = [CLAUDE, CONFIG].map((path) => fs.statSync(project.at(path)).mode & 0o777);
    expect(modes).toEqual([0o666, 0o666]);
    const found = fs.readdirSync(project.home, { recursive: true, withFileTypes: true });
    const loose = found.filter(
      (one) => fs.statSync(join(one.parentPath, one.name)).mode & (one.isFile() ? 0o077 : 0o002)
    );
    expect(found.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["hooks.json", "settings.json"])
    );
    expect(loose.map(({ name }) => name)).toEqual([]);
  });

  const at = (content: string | Buffer) => (project: InitProject) => {
    fs.writeFileSync(project.at(CLAUDE), content);
  };
  const linked = (to: string) => (project: InitProject) => {
    fs.symlinkSync(to, project.at(CLAUDE));
  };
  const unusable: [string, (project: InitProject) => void, string][] = [
    ["a syntax error", at('{\n  "a": nope\n}'), `${CLAUDE}:2:8: `],
    ["hooks that are a list", at('{"hooks": []}'), `${CLAUDE}:1:11: hooks: expected an object`],
    ["a Stop that is text", at('{"hooks": {"Stop": ""}}'), `${CLAUDE}:1:20: hooks.Stop: expected`],
    ["not an object", at("[]"), `${CLAUDE}:1:1: expected an object`],
    ["more than 256 KiB", at(`{"a": "${"x".repeat(1 << 18)}"}`), "is larger than 256 KiB"],
    ["almost 256 KiB", at(`{"a": "${"x".repeat((1 << 18) - 20)}"}`), "be larger than 256 KiB"],
    ["invalid UTF-8", at(Buffer.from('{"a": "\xff"}', "latin1")), "is not UTF-8"],
    ["a FIFO", (p) => void execFileSync("mkfifo", [p.at(CLAUDE)]), "is a FIFO"],
    ["a folder", (p) => void fs.mkdirSync(p.at(CLAUDE), { recursive: true }), "is a folder"],
    ["a dangling link", linked("nowhere"), "not a regular file (it may be a broken link)"],
    ["a link to itself", linked("settings.local.json"), "cannot be read: ELOOP"],
  ];

  describe("that cannot be edited", () => {
    let project: InitProject;
    beforeAll(async () => {
      project = await InitProject.withoutGit({ ".claude/x": "" });
    });

    test.each(unusable)("stay as they are, with the reason: %s (G29)", async (_, make, words) => {
      make(project);
      const before = project.files();
      const { edits } = await project.plan("claude");
      let done: Result<unknown, string> = edits;
      for (const edit of edits.unwrapOr([])) {
        if (done.isOk()) done = await editSettings(project.place().runtime, edit, project.dir);
      }
      const problem = done._unsafeUnwrapErr();
      expect([problem.includes(words), problem.includes(project.at(CLAUDE))]).toEqual([true, true]);
      expect(project.files()).toEqual(before);
      fs.rmSync(project.at(CLAUDE), { recursive: true });
    });

    test("are not those of Mux that it does not read, as beside a folder named .xum (H10)", async () => {
      project.write({ ".xum/settings.local.json": "{}" });
      const { edits } = await project.plan("mux");
      fs.rmSync(project.at(".xum"), { recursive: true });
      const [path] = edits._unsafeUnwrap().map((edit) => edit.path);
      expect(path).toBe(project.at(".xum/settings.local.json"));
    });

    test("are reported by init, which completes the other steps (G29)", async () => {
      project.write({ [CLAUDE]: "[]" });
      const { code, stderr } = await project.init(BOTH);
      expect(code).toBe(EXIT.failure);
      expect(stderr).toContain(`${project.at(CLAUDE)}:1:1: expected an object`);
      expect(stderr).toContain('then run "mux-stop-hooks init --hook claude" again');
      expect(project.json(MUX)).toEqual(settingsWith(MUX_HOOK));
      await configOf(project);
    });
  });

  test("does not write a file in a linked worktree that would hide the one of the main checkout (H1)", async () => {
    const project = await InitProject.create();
    project.write({ [MUX]: '{"stopHooks": {"timeout": 5}}' });
    const worktree = join(await tempDir(), "linked");
    project.git("worktree", "add", "--quiet", worktree);
    const { code, stderr } = await project.init(BOTH, { cwd: worktree });
    expect(code).toBe(EXIT.failure);
    expect(stderr).toContain(`run "mux-stop-hooks init --hook mux" in ${project.dir}`);
    expect(project.json(MUX)).toEqual({ stopHooks: { timeout: 5 } });
    expect(() => fs.statSync(join(worktree, MUX))).toThrow("ENOENT");
    expect(fs.statSync(join(worktree, CLAUDE)).isFile()).toBe(true);
  });

  test("reports files that git does not ignore, and leaves .gitignore unchanged", async () => {
    const project = await InitProject.create({ ".gitignore": "build\n" });
    const { stdout } = await project.init(BOTH);
    expect(stdout).toContain(
      `git does not ignore ${CLAUDE} or ${MUX}; add them to .gitignore, so that `
    );
    expect(project.read(".gitignore")).toBe("build\n");
  });
});

describe("trust", () => {
  const GAUNTLET = expect.objectContaining({ event: "Stop", handler: MUX_HOOK }) as unknown;

  test("runs what init writes without a prompt, also after an uninstall (H31)", async () => {
    const project = await InitProject.create();
    const { stdout } = await project.init({ hook: ["mux"] });
    expect(stdout).toContain(
      "✓ Mux now trusts the hooks of this project in their current form (recorded in ~/.mux/hook-trust.json)"
    );
    const { trust, hooks } = await project.hooks();
    expect(trust).toMatchObject({ trusted: true });
    expect(hooks).toEqual([GAUNTLET]);
    await project.uninstall({ hook: ["mux"] });
    const again = await project.init({ hook: ["mux"] });
    expect(again.stdout).toContain("✓ Mux now trusts");
    expect((await project.hooks()).trust).toMatchObject({ trusted: true });
    // Only these files are trusted, not later ones.
    project.write({ [CHECK]: "command: ./evil.sh\n" });
    expect((await project.hooks()).trust).toHaveProperty("notice");
  });

  test.each([
    ["a hook", { ".mux/stop": "#!/bin/sh\n" }, {}],
    ["settings", { ".mux/settings.json": '{"disableAllHooks": false}' }, {}],
    ["gates", { [CONFIG]: "entry_points: [{path: ., checks: [{a: {command: ./a}}]}]" }, {}],
    ["a check with the name of the example", { [CHECK]: "command: ./evil.sh\n" }, {}],
    ["a hook that the environment trusts", { ".mux/stop": "#!/bin/sh\n" }, "always"],
  ])("does not extend to the checkout: %s (H31)", async (_, files, always) => {
    const project = await InitProject.create(files);
    if (".mux/stop" in files) project.chmod(".mux/stop", 0o755);
    const env = always === "always" ? { MUX_HOOKS_TRUST: "always" } : {};
    const { code, stdout } = await project.init({ hook: ["mux"] }, { env });
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain(INSTALLED);
    expect(stdout).toContain('run "mux-stop-hooks hooks trust --show" to list them');
    const { trust, hooks, checkout } = await project.hooks();
    expect(hooks.filter(({ fromProject }) => fromProject)).toEqual([]);
    const isOfInit = !(CONFIG in files) && !(CHECK in files);
    expect({ isTrusted: trust.trusted, checkout }).toMatchObject({ isTrusted: isOfInit });
  });

  test("reports a trust record that cannot be used", async () => {
    const project = await InitProject.create();
    fs.mkdirSync(join(project.home, ".mux"));
    fs.writeFileSync(join(project.home, ".mux", "hook-trust.json"), "broken");
    const { code, stdout, stderr } = await project.init({ hook: ["mux"] });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain(INSTALLED);
    expect(stderr).toContain("hook-trust.json, cannot be used");
  });
});
