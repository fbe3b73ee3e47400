/** `mux-stop-hooks doctor`: reports whether installed hooks work, and repairs those whose program has moved (G29). */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXIT } from "@/cli/context";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { agentGauntletBin, hookProgram } from "@test/helpers/freshBuild";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { restoring } from "@test/helpers/restoring";
import { tempDir } from "@test/helpers/tempDir";

const YAML =
  'base_branch: main\nentry_points:\n  - path: "."\n    checks:\n      - ok: { command: "true" }\n';
const CONFIG = { ".gauntlet/config.yml": YAML, ".gitignore": ".claude\n.github\n" };
const CLAUDE = ".claude/settings.local.json";
const MOVED = "/moved/bin/agent-gauntlet.cjs";
const { version } = JSON.parse(
  readFileSync(join(dirname(agentGauntletBin), "../package.json"), "utf8")
) as { version: string };

interface Machine {
  readonly project: InitProject;
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Creates a project without a repository on a machine that has these programs, Node and git. */
async function machine(programs: Readonly<Record<string, string>>): Promise<Machine> {
  const project = await InitProject.withoutGit(CONFIG);
  await trustNow(project.dir, project.home);
  const bin = await tempDir();
  for (const [name, script] of Object.entries(programs)) write(join(bin, name), script, 0o755);
  return { project, bin, env: { PATH: `${bin}:${process.env.PATH}` } };
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function settings(command: string): string {
  const handler = { type: "command", command, timeout: 300 };
  return JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } });
}

const HOST = "#!/bin/sh\nexit 0\n";
/** A program that starts faster than that of this package. */
const OWN = { "agent-gauntlet": "#!/bin/sh\necho --verify\n" };
const STOP = "stop-hook --verify --host claude --limit 300";

/** A machine with Claude Code and its hook, which starts a fast program. */
const installed = restoring(async (): Promise<Machine> => {
  const made = await machine({ claude: HOST, ...OWN });
  await made.project.init({ hook: ["claude"] }, { env: made.env });
  return made;
});

/** Lists the hooks of `hooks.json` in the home of Codex. The first argument is their trust. */
function fakeCodex(trustStatus: string): string {
  return `#!${process.execPath}
const { readFileSync } = require("node:fs");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const { hooks } = JSON.parse(readFileSync(process.env.HOME + "/.codex/hooks.json", "utf8"));
  const list = Object.values(hooks).flat().flatMap((group) => group.hooks);
  const data = [{ hooks: list.map(({ command }) =>
    ({ key: command, currentHash: "1", command, trustStatus: ${JSON.stringify(trustStatus)} })) }];
  process.stdout.write(JSON.stringify({ id, result: method === "hooks/list" ? { data } : {} }) + "\\n");
});
`;
}

describe("doctor", () => {
  test("reports that all is in order (G29)", async () => {
    const { project, env } = await machine({ claude: HOST });
    await project.init({ hook: ["claude"] }, { env });
    const before = project.files();
    const { code, stdout, stderr } = await project.doctor({}, { env });
    expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
    const line =
      project
        .read(CLAUDE)
        .split("\n")
        .findIndex((text) => text.includes(STOP)) + 1;
    const [, place] = /Stop hook, in your own settings: (\S+)/.exec(stdout) ?? [];
    expect(place).toMatch(/^\.claude\/settings\.local\.json:\d+$/);
    expect(Math.abs(Number(place?.split(":")[1]) - line)).toBeLessThanOrEqual(2);
    expect(stdout).toBe(`${project.dir}
  yes  configuration: .gauntlet/config.yml
  -    There is no record of a run. Run "mux-stop-hooks run" to check the changed files.

Claude Code
  yes  Stop hook, in your own settings: ${place}
  yes  its command starts version ${version}

Not on this machine, and no hook installed for them: ${HOOK_HOSTS.slice(1)
      .filter(({ name }) => name !== "mux")
      .map(({ install }) => install.title)
      .join(", ")}

No problems.
`);
    expect(project.files()).toEqual(before);
  });

  test("names the time limits of hooks that are below their --limit (G27c)", async () => {
    const { project, env } = await machine(OWN);
    const [GEMINI, QWEN] = [".gemini/settings.json", ".qwen/settings.json"];
    const add = (host: string, file: string, event: string, fields: object, limit = 300): void => {
      const command = `agent-gauntlet stop-hook --verify --host ${host} --limit ${limit}`;
      const handler = { type: "command", command, ...fields };
      project.write({ [file]: JSON.stringify({ hooks: { [event]: [{ hooks: [handler] }] } }) });
    };
    const problems = async (): Promise<string[]> => {
      const { stdout } = await project.doctor({}, { env });
      return [...stdout.matchAll(/the agent ends .*\n.*/g)].map(([text]) => text);
    };
    const ended = (file: string, s: number, next: string): unknown =>
      expect.stringMatching(
        new RegExp(
          `in ${file}:1 after ${s} s, but its --limit is 300 s: .*\n.*set ${next} there, or --limit ${s} in its`
        )
      );
    add("claude", CLAUDE, "Stop", { timeout: 60 });
    add("gemini", GEMINI, "AfterAgent", {});
    add("qwen", QWEN, "Stop", { timeout: 30_000 });
    expect(await problems()).toEqual([
      ended(CLAUDE, 60, '"timeout": 300'),
      ended(GEMINI, 60, '"timeout": 300000'),
      ended(QWEN, 30, '"timeout": 300'),
    ]);
    add("claude", CLAUDE, "Stop", {});
    add("gemini", GEMINI, "AfterAgent", { timeout: 60_000 }, 60);
    add("qwen", QWEN, "Stop", { timeout: 300_000 });
    expect(await problems()).toEqual([]);
  });

  test("names the host without a hook, and the command that installs it, which --fix does not do (G29)", async () => {
    const { project, env } = await machine({ claude: HOST });
    const before = project.files();
    const { code, stdout } = await project.doctor({ fix: true }, { env });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain(
      'Claude Code\n  no   no Stop hook\n       Next: run "mux-stop-hooks init --hook claude"\n'
    );
    expect(stdout).toContain("1 problem found.\n");
    expect(project.files()).toEqual(before);
  });

  test("counts the plugin of Claude Code as its hook, and reports both together (G29)", async () => {
    const { project, env } = await installed();
    const plugins = { enabledPlugins: { "agent-gauntlet@mux-stop-hooks": true } };
    write(join(project.home, ".claude/settings.json"), JSON.stringify(plugins));
    const both = await project.doctor({}, { env });
    expect(both.stdout).toContain(
      "  no   the plugin agent-gauntlet has the same hooks, so the gates run twice\n"
    );
    project.write({ [CLAUDE]: "{}" });
    const { code, stdout } = await project.doctor({}, { env });
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain("Claude Code\n  yes  uses the plugin agent-gauntlet\n");
  });

  test("reports that no host was found, and does not require a hook in every host (G29)", async () => {
    const { project, bin, env } = await machine(OWN);
    const none = await project.doctor({}, { env });
    expect(none.code).toBe(EXIT.failure);
    expect(none.stdout).toContain(
      "  no   no supported agent was found on this machine\n       Next: "
    );
    expect(none.stdout).toContain(
      "Not on this machine, and no hook installed for them: Claude Code, Codex"
    );
    expect(none.stdout).not.toContain("Mux");
    for (const name of ["claude", "gemini"]) write(join(bin, name), HOST, 0o755);
    await project.init({ hook: ["claude"] }, { env });
    const { code, stdout } = await project.doctor({}, { env });
    expect(code).toBe(EXIT.ok);
    expect(stdout).toContain("Gemini CLI\n  -    no Stop hook (to install it, run");
    mkdirSync(project.at(".gemini"));
    expect((await project.doctor({}, { env })).code).toBe(EXIT.failure);
  });

  test("shows what the last run found, and reports gates that cannot run (G24a, G29)", async () => {
    const { project, env } = await installed();
    project.begin(CONFIG);
    await agentGauntlet(project, "run");
    const { stdout } = await project.doctor({}, { env });
    expect(stdout).toMatch(/ {2}- {4}Last run: .+ \(20\d\d-.+Z\)\n/);
    for (const [config, words] of [
      [`${YAML}# New.\n`, "has changed since you trusted it"],
      ["", "has 1 error"],
      [`${YAML}stop_hook: { enabled: false }\n`, "the hook is disabled by"],
    ] as const) {
      project.write({ ".gauntlet/config.yml": config });
      const reported = await project.doctor({}, { env });
      expect(reported.code).toBe(EXIT.failure);
      expect(reported.stdout).toContain(words);
    }
  });

  test.each([
    ["", ".claude"],
    ["relative", ".claude"],
    ["my claude", "my claude"],
  ])("finds the second hook of a user with CLAUDE_CONFIG_DIR=%j (G29)", async (dir, folder) => {
    const { project, env } = await installed();
    write(join(project.home, folder, "settings.json"), project.read(CLAUDE));
    const CLAUDE_CONFIG_DIR = dir === folder ? join(project.home, dir) : dir;
    const { code, stdout } = await project.doctor({}, { env: { ...env, CLAUDE_CONFIG_DIR } });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain(`Stop hook, in your own settings: ~/${folder}/settings.json:`);
    expect(stdout).toContain("no   the Stop hook is installed twice");
    expect(stdout).toContain('"mux-stop-hooks uninstall --hook claude"');
  });

  test("names a settings file that cannot be parsed (G29)", async () => {
    const { project, env } = await machine({ claude: HOST });
    project.write({ [CLAUDE]: '{\n  "hooks": {,}\n}\n' });
    const { code, stdout } = await project.doctor({}, { env });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain(`  no   ${CLAUDE}:2:`);
    expect(stdout).toContain("Next: correct this file");
    expect(stdout).toContain("-    no Stop hook found, but not every file could be read");
    expect(stdout).toContain("1 problem found.");
  });

  test("reports the hooks of Copilot CLI and Claude Code if Copilot CLI runs both (G29)", async () => {
    const { project, env } = await machine({ claude: HOST, copilot: HOST, ...OWN });
    await project.init({ hook: ["copilot"] }, { env });
    expect((await project.doctor({}, { env })).stdout).toContain(
      "Claude Code\n  -    no Stop hook"
    );
    await project.init({ hook: ["claude"] }, { env });
    const { code, stdout } = await project.doctor({}, { env });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain("1 problem found.");
    expect(stdout).toContain('run "mux-stop-hooks uninstall --hook copilot"');
    await project.uninstall({ hook: ["copilot"] }, { env });
    const after = await project.doctor({}, { env });
    expect(after.code).toBe(EXIT.ok);
    expect(after.stdout).toContain(
      "Copilot CLI\n  yes  uses the Stop hook of Claude Code: .claude"
    );
  });

  test("names files that Cursor and Factory Droid share or read instead (G29)", async () => {
    const { project, env } = await machine({ cursor: HOST, droid: HOST, ...OWN });
    await project.init({ hook: ["claude", "cursor", "droid"] }, { env });
    const before = await project.doctor({}, { env });
    expect(before.stdout).toMatch(
      /Cursor\n {2}yes {2}.*\n {2}- {4}while ".*third-party.*" is on, Cursor also runs the Stop hook of Claude Code: \.claude\/settings\.local\.json:\d+\n/
    );
    expect(before.stdout).not.toContain("hooks.json instead");
    write(join(project.home, ".factory/hooks.json"), "{}");
    const { code, stdout } = await project.doctor({}, { env });
    expect(stdout).toContain("Factory Droid reads ~/.factory/hooks.json instead of the hooks in");
    expect(code).toBe(before.code);
  });
});

describe("the command of a hook", () => {
  test("is updated by --fix if its program has moved, unless a person wrote it (G29)", async () => {
    const { project, env } = await machine({ claude: HOST });
    await project.init({ hook: ["claude"] }, { env });
    const written = project.read(CLAUDE);
    const moved = written.replaceAll(agentGauntletBin, MOVED);
    expect(moved).not.toBe(written);
    project.write({ [CLAUDE]: moved });
    const before = await project.doctor({}, { env });
    expect(before.code).toBe(EXIT.failure);
    expect(before.stdout).toMatch(
      /no {3}the command in \.claude\/settings\.local\.json:\d+ does not work: \/moved\/\S+ does not exist\n {7}Next: run "mux-stop-hooks doctor --fix"/
    );
    expect(before.stdout).toContain("1 problem found.");
    expect(project.read(CLAUDE)).toBe(moved);

    const fixed = await project.doctor({ fix: true }, { env });
    expect(fixed).toMatchObject({ code: EXIT.ok, stderr: "" });
    expect(fixed.stdout).toContain(`Updating ${CLAUDE}...\n`);
    expect(fixed.stdout).toContain(`its command starts version ${version}`);
    expect(project.read(CLAUDE)).toBe(written);

    const mine = settings(`node ${MOVED} stop-hook --verify --mine`);
    project.write({ [CLAUDE]: mine });
    const { code, stdout } = await project.doctor({ fix: true }, { env });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain("Next: correct the command by hand");
    expect(project.read(CLAUDE)).toBe(mine);
  });

  test("may start a program that is too old (G29)", async () => {
    const old = '#!/bin/sh\n[ "$1" = --version ] && echo 0.1.0\nexit 0\n';
    const { project, env } = await machine({ claude: HOST, "agent-gauntlet": old });
    project.write({ [CLAUDE]: settings(`agent-gauntlet ${STOP}`) });
    const { code, stdout } = await project.doctor({}, { env });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain(`${CLAUDE}:1 starts the old version 0.1.0 of mux-stop-hooks`);
    await project.doctor({ fix: true }, { env });
    expect(project.read(CLAUDE)).toContain(`${hookProgram} ${STOP}`);
  });

  test("is not found through the PATH of a package runner (G29)", async () => {
    const { project, env } = await machine({ claude: HOST });
    const bin = join(await tempDir(), "node_modules/.bin");
    write(join(bin, "agent-gauntlet"), "#!/bin/sh\necho --verify\n", 0o755);
    project.write({ ".claude/settings.json": settings(`agent-gauntlet ${STOP}`) });
    const { stdout } = await project.doctor({}, { env: { PATH: `${bin}:${env.PATH ?? ""}` } });
    expect(stdout).toContain("Stop hook, in a file for the whole team: .claude/settings.json:1");
    expect(stdout).toMatch(/\.claude\/settings\.json:1 does not work: exit code 127 \(.+\)/);
    expect(stdout).toContain('/bin/sh finds a recent "agent-gauntlet" on PATH');
  });

  test("without --verify is a problem, and one of a person gets the hook of a new message by hand (G27a, G29)", async () => {
    const { project, env } = await machine({ claude: HOST });
    project.write({ [CLAUDE]: settings(`${hookProgram} stop-hook; date`) });
    const { code, stdout } = await project.doctor({}, { env });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain(`the command in ${CLAUDE}:1 does not have --verify`);
    expect(stdout).toContain("Next: add --verify to the command");
    expect(stdout).toContain(
      `Next: add a UserPromptSubmit hook with the command "${hookProgram} turn-start"`
    );
  });

  test("without the hook of a new message is a problem, and the next step adds it (G27a, G29)", async () => {
    const { project, env } = await installed();
    const { hooks } = JSON.parse(project.read(CLAUDE)) as { hooks: { Stop: unknown } };
    project.write({ [CLAUDE]: JSON.stringify({ hooks: { Stop: hooks.Stop } }) });
    const { code, stdout } = await project.doctor({}, { env });
    expect(code).toBe(EXIT.failure);
    expect(stdout).toContain(`the UserPromptSubmit hook is missing beside ${CLAUDE}:1`);
    expect(stdout).toMatch(
      /Next: run ".+ uninstall --hook claude" and then ".+ init --hook claude"/
    );
    await project.uninstall({ hook: ["claude"] }, { env });
    await project.init({ hook: ["claude"] }, { env });
    expect((await project.doctor({}, { env })).code).toBe(EXIT.ok);
  });

  test("is not tried if it starts a program of the project, or more than init writes (G29)", async () => {
    const { project, env } = await machine({ claude: HOST });
    const ran = project.at("ran");
    const own = project.at("agent-gauntlet.cjs");
    project.write({ "agent-gauntlet.cjs": `require("node:fs").writeFileSync("${ran}", "")` });
    for (const program of [
      `node ${own}`,
      `node 'x'; touch ${ran}; 'agent-gauntlet.cjs'`,
      `node $(touch\${IFS}${ran})agent-gauntlet.cjs`,
    ]) {
      project.write({ ".claude/settings.json": settings(`${program} ${STOP}`) });
      const { stdout } = await project.doctor({}, { env });
      expect(Object.keys(project.files())).not.toContain("ran");
      expect(stdout).toContain("its command was not tried");
    }
  });
});

test("the hook of Codex may be trusted or not, which is unknown without a usable codex (G29)", async () => {
  const { project, bin, env } = await machine(OWN);
  await project.init({ hook: ["codex"] }, { env });
  const without = await project.doctor({}, { env });
  expect(without.stdout).toContain('trusts the hook is not known: "codex" is not on PATH');
  expect(without.stdout).toContain("-    Codex was not found on this machine");
  expect(without.code).toBe(EXIT.ok);
  const next = "no   Codex does not trust the hook, and skips it\n       Next: start";
  for (const [program, words, code] of [
    [HOST, "ended before it answered initialize (exit code 0)", EXIT.failure],
    [fakeCodex("trusted"), "yes  Codex trusts the hook", EXIT.ok],
    [fakeCodex("untrusted"), next, EXIT.failure],
  ] as const) {
    write(join(bin, "codex"), program, 0o755);
    const found = await project.doctor({}, { env });
    expect(found.stdout).toContain(words);
    expect(found.code).toBe(code);
  }
});

describe("opencode and Mux", () => {
  const PLUGIN = ".config/opencode/plugins/agent-gauntlet.js";

  test("are in order, and --fix updates the path of a module that has moved (G29)", async () => {
    const { project, env } = await machine({ opencode: HOST });
    await project.init({ hook: ["opencode", "mux"] }, { env });
    const trusting = { env: { ...env, MUX_HOOKS_TRUST: "always" } };
    const { code, stdout } = await project.doctor({}, trusting);
    expect(stdout).toContain(`opencode\n  yes  Stop hook, in your own settings: ~/${PLUGIN}:1\n`);
    expect(stdout).toContain(`yes  the plugin is version ${version}`);
    expect(stdout).toContain(
      "Mux\n  yes  Stop hook, in your own settings: .mux/settings.local.json:"
    );
    expect(code).toBe(EXIT.ok);
    const plugin = join(project.home, PLUGIN);
    write(plugin, 'export { default } from "/moved/dist/opencode.js";\n');
    const moved = await project.doctor({}, trusting);
    expect(moved.stdout).toContain("imports /moved/dist/opencode.js, which does not exist");
    expect((await project.doctor({ fix: true }, trusting)).code).toBe(EXIT.ok);
    expect(readFileSync(plugin, "utf8")).not.toContain("moved");
  });

  test("name what Mux does not trust, and the command that trusts it (G29)", async () => {
    const { project, env } = await machine({ mux: HOST });
    const handler = { type: "builtin", name: "gauntlet" };
    project.write({
      ".mux/settings.json": JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } }),
    });
    const { code, stdout } = await project.doctor({}, { env });
    expect(stdout).toMatch(
      /no {3}\.mux\/settings\.json: changed and not trusted yet, .* run "mux-stop-hooks hooks trust" in /
    );
    expect(code).toBe(EXIT.failure);
  });
});

describe("a hook whose program has vanished", () => {
  test("is named by status and run on standard error (G29)", async () => {
    const { project, env } = await machine({});
    project.begin(CONFIG);
    const prepare = (context: object): void => void Object.assign(context, { home: project.home });
    await project.init({ hook: ["codex"] }, { env });
    const path = join(project.home, ".codex/hooks.json");
    const before = await agentGauntlet(project, "status", { env, prepare });
    expect(before.stderr).not.toContain("does not start");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(agentGauntletBin, MOVED));
    for (const command of ["status", "run"]) {
      const { code, stderr } = await agentGauntlet(project, [command], { env, prepare });
      expect(code).toBe(EXIT.ok);
      expect(stderr).toMatch(
        /^mux-stop-hooks: the Stop hook of Codex in ~\/\.codex\/hooks\.json:\d+ does not start: \/moved\/bin\/agent-gauntlet\.cjs does not exist; run "mux-stop-hooks doctor --fix" to update the command\n$/m
      );
      expect(stderr.match(/does not start/g)).toHaveLength(1);
    }
  });

  test("is named in a file of the team as well", async () => {
    const { project, env } = await machine({});
    const status = async (program: string): Promise<string> => {
      project.write({ ".claude/settings.json": settings(`${program} ${STOP}`) });
      return (await agentGauntlet(project, "status", { env })).stderr;
    };
    expect(await status(`node ${MOVED}`)).toBe(
      `mux-stop-hooks: the Stop hook of Claude Code in .claude/settings.json:1 does not start: ${MOVED} does not exist; run "mux-stop-hooks doctor --fix" to update the command\n`
    );
    const cloned = "./node_modules/.bin/agent-gauntlet";
    expect(await status(cloned)).toBe(
      "mux-stop-hooks: the Stop hook of Claude Code in .claude/settings.json:1 does not start: node_modules/.bin/agent-gauntlet does not exist; install the dependencies of the project\n"
    );
    project.write({ "node_modules/.bin/agent-gauntlet": "" });
    expect(await status(cloned)).toBe("");
  });
});
