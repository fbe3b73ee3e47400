/** `mux-stop-hooks hooks import`, and its hint in `list` and `doctor` (H46). */
import { access } from "node:fs/promises";
import { expect, test } from "vitest";
import { ClaudeHome, enable, stopHooks } from "@test/helpers/hooks/claudePlugins";
import { group, HookProject } from "@test/helpers/hooks/hookProject";
import { muxHooks } from "@test/helpers/hooks/muxHooks";
import { testContext } from "@test/helpers/cliContext";
import { main } from "@/cli/muxHooks";

const LOCAL = ".mux/settings.local.json";
const SILENT = { PATH: process.env.PATH };

async function createProject(claude: unknown): Promise<HookProject> {
  const project = await HookProject.create();
  await project.write(".claude/settings.json", JSON.stringify(claude, undefined, 2));
  return project;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false
  );
}

test("names the parts of a hook that have no effect here, also those of its script, but no program on the PATH (H46)", async () => {
  const script = ".claude/hooks/bell.sh";
  const commands = [
    ...[`sh ${script}`, "deploy ${user_config.region} $CLAUDE_PLUGIN_OPTION_KEY"],
    "claude -p hello",
  ];
  const project = await createProject({ hooks: { Stop: [group(commands)] } });
  await project.write(script, `echo '{"terminalSequence": "x"}'\n`);
  await project.write("bin/claude", "#!/bin/sh\n", 0o755);
  const env = { PATH: `${project.path("bin")}:${process.env.PATH}` };
  const { stdout } = await muxHooks(project, ["import", "--dry-run"], { env });
  expect(stdout).toContain("runs, but terminalSequence has no effect here\n");
  expect(stdout).toContain(
    "runs, but ${user_config.region} and CLAUDE_PLUGIN_OPTION_KEY have no effect here\n"
  );
  expect(stdout).toMatch(/claude -p hello +:\d+ +runs\n/);
});

test("shows what would run, what would not and why, and writes the key", async () => {
  const project = await createProject({
    hooks: {
      Stop: [
        group([
          "make check",
          { command: "make lint", if: "Bash(*)" },
          { command: "make off", enabled: false },
          'claude -p "Is it done?"',
        ]),
      ],
      SubagentStop: [group(["./report.sh"], "Explore")],
    },
    enabledPlugins: { "ralph@official": true, "off@official": false },
  });
  const { code, stdout } = await muxHooks(project, ["import", "--yes"], { env: SILENT });
  expect(code).toBe(0);
  expect(stdout.replaceAll(/ {2,}/g, "  ")).toBe(
    [
      `Hooks of Claude Code in ${project.dir}`,
      "",
      ".claude/settings.json",
      "  Stop  make check  :6  runs",
      `  Stop  make lint  :10  cannot run: an "if" is never true on Stop and SubagentStop, so the handler never runs; remove the "if"`,
      "  Stop  make off  :15  cannot run: turned off by enabled: false",
      `  Stop  claude -p "Is it done?"  :20  cannot run: it starts "claude", and there is no such program on PATH; install Claude Code or remove the hook`,
      "  SubagentStop  ./report.sh  :31  runs",
      "",
      "Plugins without hooks that run here",
      `  ralph@official  the plugin ralph@official is not installed for you or for this project, so its hooks do not run; install it in Claude Code with "/plugin install ralph@official"`,
      "",
      `${LOCAL} has "importClaudeHooks": true. The hooks count from your next message on.`,
      "",
    ].join("\n")
  );
  expect(await project.read(LOCAL)).toBe('{\n  "importClaudeHooks": true\n}\n');
  const again = await muxHooks(project, ["import"], { env: SILENT });
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(`These hooks are imported already: ${LOCAL} has`);
});

test("shows each hook of a plugin, below the file that enables it", async () => {
  const claude = await ClaudeHome.create();
  const { project } = claude;
  const handlers = {
    Stop: [group(['python3 "${CLAUDE_PLUGIN_ROOT}/hooks/stop.py"', "make check"])],
    UserPromptSubmit: [group(["$CLAUDE_PLUGIN_ROOT/hooks/prompt.py"])],
  };
  const root = await claude.install("loop@market", { hooks: { hooks: handlers } });
  const listed = await claude.install("listed@market", {
    manifest: { name: "listed", hooks: [{ Stop: [group(["true"])] }] },
  });
  await claude.install("guard@market", { hooks: { hooks: { PreToolUse: [group(["true"])] } } });
  const file = await claude.configure("user", {
    ...enable("loop@market", "listed@market", "guard@market"),
    hooks: { Stop: [group(["make own"])] },
  });
  await claude.configure("project", enable("loop@market"));
  const { code, stdout } = await muxHooks(project, ["import", "--dry-run"], { env: SILENT });
  expect(code).toBe(0);
  const short = (path: string): string => path.replace(project.home, "~");
  expect(stdout.replaceAll(/ {2,}/g, "  ")).toBe(
    [
      `Hooks of Claude Code in ${project.dir}`,
      "",
      short(file),
      "  Stop  make own  :11  runs",
      "",
      `${short(root)}/hooks/hooks.json  plugin loop@market`,
      `  Stop  python3 "\${CLAUDE_PLUGIN_ROOT}/hooks/stop.py"  :6  runs, but may depend on what the hooks of UserPromptSubmit write, which never run here`,
      "  Stop  make check  :10  runs",
      "  UserPromptSubmit  $CLAUDE_PLUGIN_ROOT/hooks/prompt.py  :20  never runs here: mux-stop-hooks has no event UserPromptSubmit for hooks",
      "",
      `${short(listed)}/.claude-plugin/plugin.json  plugin listed@market`,
      "  Stop  true  :1  runs",
      "",
      "Plugins without hooks that run here",
      "  guard@market  enabled in ~/.claude/settings.json, has no Stop or SubagentStop hook",
      "",
      'These hooks are imported already: ~/.mux/settings.json has "importClaudeHooks": true.',
      "",
    ].join("\n")
  );
});

test.each([
  ["project", ".mux/settings.json"],
  ["user", "../home/.mux/settings.json"],
])("writes to the settings of the %s with --layer", async (layer, file) => {
  const project = await createProject({ hooks: { Stop: [group(["true"])] } });
  await project.write(file, '{\n  // mine\n  "stopHooks": { "timeout": 5 }\n}\n');
  const env = { MUX_HOOKS_TRUST: "" };
  const { code, stdout } = await muxHooks(project, ["import", "--yes", "--layer", layer], { env });
  expect(code).toBe(0);
  // Hooks of the checkout need trust.
  expect(stdout).toContain("mux-stop-hooks hooks trust");
  expect(await project.read(file)).toBe(
    '{\n  // mine\n  "stopHooks": { "timeout": 5 },\n  "importClaudeHooks": true\n}\n'
  );
});

test.each<[string[], NodeJS.ProcessEnv, number, string]>([
  [["--dry-run"], { MUX_HOOK_EVENT: "Stop" }, 0, `${LOCAL} would get "importClaudeHooks": true.`],
  [["--yes"], { MUX_HOOK_EVENT: "1" }, 1, "MUX_HOOK_EVENT is set, so an agent may have started"],
  [["--yes"], { GAUNTLET_STOP_HOOK_ACTIVE: "1" }, 1, "GAUNTLET_STOP_HOOK_ACTIVE is set"],
  // There is no terminal.
  [[], {}, 1, "or with --yes"],
])("writes nothing with %j and %j", async (options, env, expected, printed) => {
  const project = await createProject({ hooks: { Stop: [group(["true"])] } });
  const { code, stdout, stderr } = await muxHooks(project, ["import", ...options], { env });
  expect(code).toBe(expected);
  expect(code === 0 ? stdout : stderr).toContain(printed);
  expect(await exists(project.path(LOCAL))).toBe(false);
});

test.each([
  ["y", 0, true],
  ["n", 1, false],
])("asks at a terminal: %s", async (answer, expected, isWritten) => {
  const project = await createProject({ hooks: { Stop: [group(["true"])] } });
  const context = testContext({ cwd: project.dir, home: project.home }, { tty: true });
  context.stdin.write(`${answer}\n`);
  expect(await main(["import"], context)).toBe(expected);
  expect(context.stdout.text).toContain(`Write "importClaudeHooks": true to ${LOCAL}?`);
  expect(await exists(project.path(LOCAL))).toBe(isWritten);
});

test("reports a file of a higher layer that would override the key", async () => {
  const project = await createProject({ hooks: { Stop: [group(["true"])] } });
  await project.write(LOCAL, '{ "importClaudeHooks": false }');
  const args = ["import", "--yes", "--layer", "user"];
  const { code, stderr } = await muxHooks(project, args);
  expect(code).toBe(1);
  expect(stderr).toContain(`${LOCAL} has "importClaudeHooks": false`);
  expect((await muxHooks(project, ["import", "--yes"])).code).toBe(0);
  expect(await project.read(LOCAL)).toBe('{ "importClaudeHooks": true }');
});

test("reports a file that does not parse, and changes nothing", async () => {
  const project = await createProject({ hooks: { Stop: [group(["true"])] } });
  const file = await project.write(".claude/settings.local.json", "{ no");
  await project.write(LOCAL, "{ nor this");
  const { code, stderr } = await muxHooks(project, ["import", "--yes"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`${file}:1:3`);
  expect(await project.read(LOCAL)).toBe("{ nor this");
});

test("names the searched files if there is nothing to import", async () => {
  const project = await createProject({ hooks: { PreToolUse: [group(["true"])] } });
  const { code, stdout } = await muxHooks(project, ["import"]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      "Claude Code has no Stop or SubagentStop hooks here. Searched: ~/.claude/settings.json, .claude/settings.json, .claude/settings.local.json.\n",
  });
});

test("list and doctor hint at hooks that are not imported, also of plugins", async () => {
  const claude = await ClaudeHome.create();
  const { project } = claude;
  const hintsAt = async (file: string): Promise<void> => {
    const hint = `the Stop hooks of Claude Code in ${file} do not run here`;
    for (const command of ["list", "doctor"]) {
      const { stdout } = await muxHooks(project, [command], { env: SILENT });
      if (file === "") expect(stdout).not.toContain("do not run here");
      else expect(stdout).toContain(hint);
    }
  };
  await project.write("../home/.mux/settings.json", "{}");
  await claude.install("guard@market", { hooks: { hooks: { PreToolUse: [group(["true"])] } } });
  await claude.install("loop@market", { hooks: stopHooks("true") });
  await claude.configure("user", enable("guard@market"));
  await hintsAt("");
  await claude.configure("user", enable("guard@market", "loop@market"));
  await hintsAt("~/.claude/settings.json");
  await project.write(".claude/settings.json", JSON.stringify(stopHooks("true")));
  await hintsAt("~/.claude/settings.json and .claude/settings.json");
  await muxHooks(project, ["import", "--yes"]);
  await hintsAt("");
});
