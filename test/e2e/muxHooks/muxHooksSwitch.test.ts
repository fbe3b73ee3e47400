/** `mux-stop-hooks hooks disable` and `enable` (H47). */
import { expect, test } from "vitest";
import { group, HookProject } from "@test/helpers/hooks/hookProject";
import { muxHooks } from "@test/helpers/hooks/muxHooks";

const PROJECT = ".mux/settings.json";
const LOCAL = ".mux/settings.local.json";
const USER = "../home/.mux/settings.json";

function settings(...hooks: readonly (string | Record<string, unknown>)[]): string {
  return JSON.stringify({ hooks: { Stop: [group(hooks)] } });
}

/** Returns the commands that would run at a stop. */
async function running(project: HookProject): Promise<string[]> {
  const { stdout } = await muxHooks(project, ["list", "--json", "--event", "Stop"]);
  const { events } = JSON.parse(stdout) as {
    events: { hooks: { handler: { command: string } }[] }[];
  };
  return events.flatMap(({ hooks }) => hooks.map(({ handler }) => handler.command));
}

test("sets enabled in the file that defines the hook, and keeps its comments", async () => {
  const project = await HookProject.create();
  await project.write(PROJECT, `// The tests.\n${settings("make test", "make lint")}`);
  expect((await muxHooks(project, ["disable", "project:Stop[1]"])).code).toBe(0);
  expect(await project.read(PROJECT)).toMatch(/^\/\/ The tests\.\n.*lint".*"enabled": ?false/);
  expect(await running(project)).toEqual(["make test"]);

  const again = await muxHooks(project, ["disable", "make lint"]);
  expect(again.stdout).toBe("project:Stop[1] (make lint) is already disabled.\n");
  const enabled = await muxHooks(project, ["enable", "lint"]);
  expect(enabled.stdout).toContain("project:Stop[1] (make lint) is enabled");
  expect(await running(project)).toEqual(["make test", "make lint"]);
});

test("lists the candidates of an ambiguous name and writes nothing, and prefers a whole command to a part of another one", async () => {
  const project = await HookProject.create();
  await project.write(PROJECT, settings("make test", "make test-all"));
  const before = await project.read(PROJECT);
  const { code, stdout, stderr } = await muxHooks(project, ["disable", "make"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(
    `mux-stop-hooks: several hooks match make; use the name of one of them:
  project:Stop[0]  make test      ${PROJECT}:1
  project:Stop[1]  make test-all  ${PROJECT}:1
`
  );
  expect(await project.read(PROJECT)).toBe(before);
  expect((await muxHooks(project, ["disable", "make test"])).code).toBe(0);
  expect(await running(project)).toEqual(["make test-all"]);
});

test("changes every entry of a repeated hook", async () => {
  const project = await HookProject.create();
  await project.write(USER, settings("make test"));
  await project.write(PROJECT, settings("make test"));
  await project.write(LOCAL, settings({ command: "make test", timeout: 5 }));
  const { code, stdout } = await muxHooks(project, ["disable", "user:Stop[0]"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`in ~/.mux/settings.json:1 and ${PROJECT}:1 and ${LOCAL}:1`);
  expect(await running(project)).toEqual([]);
  expect((await muxHooks(project, ["enable", "user:Stop[0]"])).code).toBe(0);
  expect(await running(project)).toEqual(["make test"]);
});

test("reports that a change in the checkout has to be trusted first (H31)", async () => {
  const project = await HookProject.create();
  await project.write(PROJECT, settings("make test"));
  const env = { MUX_HOOKS_TRUST: "" };
  await muxHooks(project, ["trust", "--yes"], { env });
  const { code, stdout } = await muxHooks(project, ["disable", "make test"], { env });
  expect(code).toBe(0);
  expect(stdout).toContain("changed and not trusted yet");
  const list = async (): Promise<string> => (await muxHooks(project, ["list"], { env })).stdout;
  expect(await list()).toContain("project:Stop[0]  10 s");
  await muxHooks(project, ["trust", "--yes"], { env });
  expect(await list()).toContain("turned off by enabled: false");
});

test.each([
  ["a script hook", "script:Stop[0]", 'remove its executable bit ("chmod -x")'],
  ["a hook of Claude Code", "make claude", "is not a settings file of Mux and is never changed"],
  ["the built-in gauntlet", "gauntlet", '"gauntlet": { "enabled": false }'],
  ["an unknown name", "nothing", '"mux-stop-hooks hooks list" shows all hooks'],
])("does not change %s", async (_, name, problem) => {
  const project = await HookProject.create();
  await project.write(PROJECT, JSON.stringify({ importClaudeHooks: true }));
  await project.write(".mux/stop", "#!/bin/sh\n", 0o755);
  await project.write(".gauntlet/config.yml", "base_branch: main\n");
  const claude = await project.write(".claude/settings.json", settings("make claude"));
  const { code, stdout, stderr } = await muxHooks(project, ["disable", name]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(problem);
  expect(await project.read(".claude/settings.json")).toBe(settings("make claude"));
  expect(claude).toContain(".claude");
});

test("turns a hook of Claude Code off in Mux only, by an entry that repeats it", async () => {
  const project = await HookProject.create();
  await project.write(".claude/settings.json", settings("make claude"));
  await project.write(
    PROJECT,
    JSON.stringify({ importClaudeHooks: true, hooks: { Stop: [group(["make claude"])] } })
  );
  expect((await muxHooks(project, ["disable", "make claude"])).code).toBe(0);
  expect(await running(project)).toEqual([]);
  expect(await project.read(".claude/settings.json")).toBe(settings("make claude"));
});

test("reports a hook that another field keeps off", async () => {
  const project = await HookProject.create();
  await project.write(PROJECT, settings({ command: "a", if: "Bash(*)", enabled: false }));
  const { code, stderr } = await muxHooks(project, ["enable", "a"]);
  expect(code).toBe(1);
  expect(stderr).toContain("is still disabled");
});

test.each(["disable", "enable"])("%s refuses if an agent started it", async (command) => {
  const project = await HookProject.create();
  await project.write(PROJECT, settings("make test"));
  const env = { GEMINI_CLI: "1" };
  const called = await muxHooks(project, [command, "make test"], { env });
  expect(called).toMatchObject({ code: 1, stdout: "" });
  expect(called.stderr).toContain(`hooks ${command} is refused here, because GEMINI_CLI is set`);
});
