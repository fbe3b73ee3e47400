/** Loading and merging settings (H1 to H12). */
import { chmod, mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hookTimeoutMs } from "@/node/services/hooks/contract/hookFacts";
import { loadHookSettings } from "@/node/services/hooks/settingsLoader";
import { group, HookProject, projectWith } from "@test/helpers/hooks/hookProject";
import { OtherMachine } from "@test/helpers/remote/otherMachine";
import {
  command,
  hooks,
  listHooks,
  listProblems,
  SettingsProject,
} from "@test/helpers/hooks/settingsProject";

type Files = Parameters<typeof SettingsProject.create>[0];

test("case 1: ends the stop at once and emits no event if there are no settings", async () => {
  const project = await HookProject.create();
  const events: unknown[] = [];
  const result = await project.stop({ onEvent: (event) => events.push(event) });
  expect(result).toEqual({ shouldStop: true, runs: [], skipped: [] });
  expect(events).toEqual([]);
});

const list = [{ hooks: [command("no")] }];
const ok = { hooks: [command("ok")] };
const LENIENT = `\uFEFF// mine
  {
    /* gates */
    "hooks": {
      "Stop": [{ "hooks": [{ "type": "command", "command": "ok", }, ], }, ],
    },
  }`;
const DUPLICATE = `{"hooks": {"Stop": [], "Stop": [{"hooks": [{"type": "command", "command": "b"}]}]}}`;

test.each<[title: string, files: Files, loaded: string[], problems?: string[]]>([
  ["case 2: a group without a matcher", { project: hooks("A") }, ["project:Stop[0] A"]],
  [
    "case 3: runs the Stop hooks of all three levels in order",
    { user: hooks("A"), project: hooks("B"), local: hooks("C") },
    ["user:Stop[0] A", "project:Stop[0] B", "local:Stop[0] C"],
  ],
  [
    "case 4: a handler in both the user and the project file runs once, at its first position",
    { user: hooks("same", "own"), project: hooks("other", "same") },
    ["user:Stop[0] same", "user:Stop[1] own", "project:Stop[0] other"],
  ],
  ["case 5: a handler twice in a group", { project: hooks("A", "A") }, ["project:Stop[0] A"]],
  [
    "case 9: broken JSON in one file leaves the other two in effect, and is reported",
    {
      user: hooks("A"),
      project: hooks("B"),
      local: '{\n  "hooks": {\n    "Stop": [{"type": "comm',
    },
    ["user:Stop[0] A", "project:Stop[0] B"],
    [
      'error project/.mux/settings.local.json:3:23: unexpected end of string, found "\\"comm"; the file is ignored until it is fixed',
    ],
  ],
  ["case 10: comments, a comma and a BOM", { project: LENIENT }, ["project:Stop[0] ok"]],
  [
    "case 12: skips only the invalid ones of several handlers",
    { project: hooks({ type: "command" }, "ok", command("bad", { args: "x" }), 5) },
    ["project:Stop[0] ok"],
    [
      "error project/.mux/settings.json:6:11: hooks.Stop[0].hooks[0].command: missing: expected string; the handler is skipped",
      'error project/.mux/settings.json:16:21: hooks.Stop[0].hooks[2].args: expected array, found "x"; the handler is skipped',
      "error project/.mux/settings.json:18:11: hooks.Stop[0].hooks[3]: expected a handler, an object, found 5",
    ],
  ],
  [
    "case 12: skips only the invalid groups",
    {
      project: {
        hooks: {
          Stop: [null, { hooks: "x" }, command("no group"), { matcher: ["Bash"], ...ok }],
          SubagentStop: [{ matcher: ["explore"], ...ok }],
        },
      },
    },
    ["project:Stop[0] ok"],
    [
      "error project/.mux/settings.json:4:7: hooks.Stop[0]: expected an object, found null",
      'error project/.mux/settings.json:6:18: hooks.Stop[1].hooks: expected a list, found "x"',
      'error project/.mux/settings.json:8:7: hooks.Stop[2].hooks: missing: expected a list of handlers, as in {"hooks": [{"type": …}]}',
      "error project/.mux/settings.json:26:20: hooks.SubagentStop[0].matcher: expected a string, found a list",
    ],
  ],
  [
    "case 13: ignores unknown events, and reports misspelled ones with a hint",
    { project: { hooks: { SessionStart: [], stop: [], subagent_stop: [], SubAgentStop: list } } },
    [],
    [
      'notice project/.mux/settings.json:4:5: hooks.stop: unknown event "stop"; did you mean "Stop"?',
      'notice project/.mux/settings.json:5:5: hooks.subagent_stop: unknown event "subagent_stop"; did you mean "SubagentStop"?',
      'notice project/.mux/settings.json:6:5: hooks.SubAgentStop: unknown event "SubAgentStop"; did you mean "SubagentStop"?',
    ],
  ],
  [
    "does not report asyncRewake if it is false",
    { project: hooks(command("x", { asyncRewake: false })) },
    ["project:Stop[0] x"],
  ],
  [
    "case 19: NaN is not valid JSON, so the file does not parse",
    { project: `{"stopHooks": {"timeout": NaN}}` },
    [],
    [
      'error project/.mux/settings.json:1:27: invalid symbol, found "NaN"; the file is ignored until it is fixed',
    ],
  ],
  [
    "an event beside hooks is a warning with the next step (H2)",
    { project: { Stop: list } },
    [],
    [
      'warning project/.mux/settings.json:2:3: Stop: "Stop" has no effect here; move it into "hooks", as in {"hooks": {"Stop": […]}}',
    ],
  ],
  [
    "a list that is given twice is reported, because the first one is ignored (H5)",
    { project: DUPLICATE },
    ["project:Stop[0] b"],
    [
      'warning project/.mux/settings.json:1:24: hooks.Stop: duplicate key "Stop"; the last value is used',
    ],
  ],
  [
    "a key that is given three times is reported once, at its second place (H5)",
    { project: `{"a": 1, "a": 2, "a": 3}` },
    [],
    ['warning project/.mux/settings.json:1:10: a: duplicate key "a"; the last value is used'],
  ],
])("%s", async (_, files, loaded, problems = []) => {
  const project = await SettingsProject.create(files);
  const settings = await project.load();
  expect(listHooks(settings)).toEqual(loaded);
  expect(listProblems(project, settings)).toEqual(problems);
});

test("case 6: handlers that differ only in timeout run once, with the later level's fields", async () => {
  const project = await SettingsProject.create({
    user: hooks(command("same", { timeout: 1, statusMessage: "checking" })),
    project: hooks(command("same", { timeout: 2 })),
    local: hooks(command("same", { timeout: 3 })),
  });
  const settings = await project.load();
  expect(settings.hooks.map(({ name, handler }) => [name, handler])).toEqual([
    ["user:Stop[0]", command("same", { timeout: 3, statusMessage: "checking" })],
  ]);
  expect(listProblems(project, settings)).toEqual([
    expect.stringMatching(/^notice project\/.mux\/settings.json:6:11: this repeats user:Stop\[0\]/),
    expect.stringMatching(/^notice project\/.mux\/settings.local.json:6:11: this repeats/),
  ]);
});

test("case 7: reads the settings file once if the project is the home folder", async () => {
  const project = await SettingsProject.create({ user: hooks("mine") });
  const settings = await loadHookSettings(project.runtime, project.home, {
    env: {},
    home: project.home,
  });
  expect(settings.hooks.map(({ name }) => name)).toEqual(["user:Stop[0]"]);
  expect(settings.hooks[0]?.fromProject).toBe(false);
  expect(settings.files).toEqual([project.path("user")]);
});

test("case 8: treats a project file that is a link to the user's file as that file", async () => {
  const project = await SettingsProject.create({ user: hooks("mine") });
  await mkdir(join(project.dir, ".mux"));
  await symlink(project.path("user"), project.path("project"));
  const settings = await project.load();
  expect(listHooks(settings)).toEqual(["user:Stop[0] mine"]);
  expect(settings.files).toEqual([project.path("user")]);
});

test("case 9: uses the last valid version of a file that becomes invalid during a session", async () => {
  const project = await SettingsProject.create({ local: hooks("C") });
  const before = await project.load();
  await project.set("local", '{"hooks": {"Stop": [');
  const broken = await project.load();
  expect(listHooks(broken)).toEqual(["local:Stop[0] C"]);
  expect(broken.hooks).toEqual(before.hooks);
  expect(listProblems(project, broken)).toEqual([
    expect.stringMatching(
      /^error project\/.mux\/settings.local.json:1:\d+: .*until it is fixed, the previous content of the file is used$/
    ),
  ]);
  await project.set("local", hooks("D"));
  const mended = await project.load();
  expect(listHooks(mended)).toEqual(["local:Stop[0] D"]);
  expect(mended.diagnostics).toEqual([]);
});

test.each([
  ["an array", [], "a list"],
  ["null", null, "null"],
  ["a string", "make test", '"make test"'],
])("case 11: reports hooks that are %s, and keeps other keys", async (_, value, found) => {
  const project = await SettingsProject.create({
    project: { hooks: value, stopHooks: { maxContinuations: 7 } },
  });
  const settings = await project.load();
  expect(settings.maxContinuations).toBe(7);
  expect(listProblems(project, settings)).toEqual([
    `error project/.mux/settings.json:2:12: hooks: expected an object, found ${found}`,
  ]);
});

test("case 14: keeps unknown handler keys without a diagnostic", async () => {
  const fields = { rewakeMessage: "x", id: 3, description: "d", _comment: "c", statusMessage: "s" };
  const project = await SettingsProject.create({ project: hooks(command("ok", fields)) });
  const settings = await project.load();
  expect(settings.hooks[0]?.handler).toEqual(command("ok", fields));
  expect(settings.diagnostics).toEqual([]);
});

test("case 15: skips a handler of an unsupported type with a notice, a prompt visibly if there is no model, and runs the others", async () => {
  const types = ["agent", "mcp_tool", "function"];
  const others = types.map((type) => ({ type, prompt: "p" }));
  const project = await projectWith([{ type: "prompt", prompt: "Done?" }, ...others, "exit 0"]);
  const result = await project.stop();
  expect(result.runs.map(({ name }) => name)).toEqual(["project:Stop[1]"]);
  const why = types.map((type) => `handlers of type "${type}" are not supported by mux-stop-hooks`);
  expect(result.skipped?.map(({ visible, reason }) => [visible, reason])).toEqual([
    ...why.map((reason) => [false, reason]),
    [true, expect.stringMatching(/^there is no model here/)],
  ]);
  const { diagnostics } = await loadHookSettings(project.runtime, project.dir, project.load);
  expect(diagnostics).toMatchObject(
    why.map((text) => ({ severity: "notice", message: expect.stringContaining(text) as string }))
  );
});

test('case 16: never runs a handler with "if", and reports it in a notice', async () => {
  const project = await projectWith([{ command: "touch ran", if: "Bash(git *)" }]);
  const result = await project.stop();
  expect(result.runs).toEqual([]);
  expect(result.skipped).toHaveLength(1);
  const { diagnostics } = await loadHookSettings(project.runtime, project.dir, project.load);
  expect(diagnostics).toMatchObject([
    { severity: "notice", keyPath: "hooks.Stop[0].hooks[0].if", line: 9, column: 19 },
  ]);
});

test('case 17: ignores the key "once", and runs the handler each time', async () => {
  const project = await projectWith([{ command: "echo ran >> runs", once: true }]);
  await project.stop();
  await project.stop();
  expect(await project.read("runs")).toBe("ran\nran\n");
});

test.each([
  [true, false, false],
  [false, true, true],
  [true, undefined, true],
])(
  "case 18: disableAllHooks %s for the user and %s for the project gives %s",
  async (user, own, is) => {
    const project = await SettingsProject.create({
      user: { disableAllHooks: user },
      project: own === undefined ? hooks("x") : { disableAllHooks: own },
    });
    expect((await project.load()).disableAllHooks).toBe(is);
  }
);

test.each([
  ["1.5", 1.5, false],
  ["5000", 5000, false],
  ["1e9", 86_400, false],
  ["1e999", 86_400, false],
  ["0", 10, true],
  ["-1", 10, true],
  ['"30"', 10, true],
  ["null", 10, true],
  ["[30]", 10, true],
  ["{}", 10, true],
])("case 19: a timeout of %s counts as %d seconds", async (written, seconds, warns) => {
  const text = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": ${written}}]}]}}`;
  const project = await SettingsProject.create({ project: text });
  const { hooks: loaded, diagnostics, defaultTimeoutS } = await project.load();
  expect(loaded.map(({ handler }) => hookTimeoutMs(handler, defaultTimeoutS) / 1000)).toEqual([
    seconds,
  ]);
  expect(diagnostics.map(({ severity, keyPath }) => [severity, keyPath])).toEqual(
    warns ? [["warning", "hooks.Stop[0].hooks[0].timeout"]] : []
  );
});

test("case 20: applies settings edited during a session at the next stop", async () => {
  const project = await HookProject.create();
  expect((await project.stop()).runs).toEqual([]);
  await project.configure({ hooks: { Stop: [group(["echo one >> runs"])] } });
  await project.stop();
  await project.configure({ hooks: { Stop: [group(["echo two >> runs"])] } });
  await project.stop();
  expect(await project.read("runs")).toBe("one\ntwo\n");
});

test("case 21: a hook that removes the settings while it runs does not end the run", async () => {
  const hooks = ["rm -r .mux; echo first >> runs", "echo second >> runs2"];
  const project = await projectWith(hooks);
  const result = await project.stop();
  expect(result.runs.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
  expect(await project.read("runs")).toBe("first\n");
  expect(await project.read("runs2")).toBe("second\n");
  expect((await project.stop()).runs).toEqual([]);
});

test("case 22: reads project files on the workspace's machine, and the user's file on this machine", async () => {
  const project = await SettingsProject.create({
    user: hooks("U"),
    project: hooks("wrong machine"),
  });
  await project.write(`box${project.dir}/.mux/settings.json`, JSON.stringify(hooks("P")));
  await project.write(`box${project.dir}/.mux/stop`, "#!/bin/sh\n", 0o755);
  await project.write(`box${project.home}/.mux/settings.json`, JSON.stringify(hooks("not mine")));
  const settings = await project.load({ runtime: new OtherMachine(join(project.root, "box")) });
  expect(settings.hooks.map(({ name, source }) => [name, source?.file])).toEqual([
    ["user:Stop[0]", project.path("user")],
    ["project:Stop[0]", project.path("project")],
    ["script:Stop[0]", join(project.dir, ".mux/stop")],
  ]);
  expect(listHooks(settings).slice(0, 2)).toEqual(["user:Stop[0] U", "project:Stop[0] P"]);
});

test("case 22: does not run a script of the user from this machine on another machine", async () => {
  const project = await SettingsProject.create();
  await project.write("home/.mux/stop", "#!/bin/sh\n", 0o755);
  const settings = await project.load({ runtime: new OtherMachine(join(project.root, "box")) });
  expect(settings.hooks).toEqual([]);
  expect(settings.skipped).toMatchObject([
    { visible: true, reason: expect.stringContaining("hooks run on ssh://box") as string },
  ]);
});

test("case 23: uses only .xum if .xum and .mux hold the same file, with a warning", async () => {
  const project = await SettingsProject.create({ project: hooks("old"), local: hooks("only old") });
  await project.write("project/.xum/settings.json", JSON.stringify(hooks("new")));
  const settings = await project.load();
  expect(listHooks(settings)).toEqual(["project:Stop[0] new", "local:Stop[0] only old"]);
  expect(listProblems(project, settings)).toEqual([
    expect.stringMatching(
      /^warning project\/.mux\/settings.json:1:1: this file is ignored, because project\/.xum\/settings.json also exists/
    ),
  ]);
});

test("case 23: reports files of ~/.mux that an almost empty ~/.xum hides, until they are moved (H1)", async () => {
  const project = await SettingsProject.create({ user: hooks("mine") });
  await project.write("home/.mux/hook-trust.json", "{}");
  expect(listHooks(await project.load())).toEqual(["user:Stop[0] mine"]);
  await project.write("home/.xum/settings.json", "");
  for (let session = 0; session < 2; session++) {
    const problems = listProblems(project, await project.load());
    expect(problems.filter((text) => text.includes("/.mux/"))).toEqual([
      expect.stringMatching(
        /^error home\/\.mux\/settings\.json:1:1: .*\.xum\/settings\.json also exists/
      ),
      expect.stringMatching(
        /^error home\/\.mux\/hook-trust\.json:1:1: .*, because your settings are read from \S*home\/\.xum; move this file to \S*home\/\.xum$/
      ),
    ]);
  }
  for (const name of ["settings.json", "hook-trust.json"]) {
    await rename(join(project.home, ".mux", name), join(project.home, ".xum", name));
  }
  const moved = await project.load();
  expect([listHooks(moved), moved.diagnostics]).toEqual([["user:Stop[0] mine"], []]);
});

test("case 23: does not read .mux as a second folder if it is a link to .xum", async () => {
  const project = await SettingsProject.create();
  await project.write("project/.xum/settings.json", JSON.stringify(hooks("one")));
  await symlink(".xum", join(project.dir, ".mux"));
  const settings = await project.load();
  expect(listHooks(settings)).toEqual(["project:Stop[0] one"]);
  expect(settings.diagnostics).toEqual([]);
});

test("skips a script that is not executable, and reports how to fix it (H8)", async () => {
  const project = await SettingsProject.create();
  const path = await project.write("project/.mux/stop", "#!/bin/sh\nexit 0\n");
  const before = await project.load();
  expect(before.hooks).toEqual([]);
  expect(before.skipped).toMatchObject([
    { visible: true, reason: `it is not executable; run "chmod +x ${path}"` },
  ]);
  await chmod(path, 0o755);
  expect((await project.load()).hooks).toMatchObject([
    { name: "script:Stop[0]", handler: command(path, { args: [] }), fromProject: true },
  ]);
  await rm(path);
  expect((await project.load()).skipped).toEqual([]);
});
