import { expect, test } from "vitest";
import { command, hooks, listProblems, SettingsProject } from "@test/helpers/hooks/settingsProject";

test("an invalid value of an optional field is a warning, and the hook runs (H5)", async () => {
  const fields = [
    { enabled: "false" },
    { enabled: null },
    { args: null },
    { shell: 5 },
    { async: "true" },
    { asyncRewake: 1 },
    { dialect: "Claude" },
    { statusMessage: {}, timeout: "10", failClosed: "yes", loop_limit: -1 },
  ];
  const handlers = fields.map((field, i) => command(`check ${i}`, field));
  const others = [
    { type: "http", url: "https://a.example/", headers: { a: 1 }, allowedEnvVars: "A" },
    { type: "prompt", prompt: "P", model: 3, enabled: "no" },
  ];
  const project = await SettingsProject.create({ project: hooks(...handlers, ...others) });
  const settings = await project.load();
  expect(settings.hooks.map(({ handler }) => handler)).toEqual([
    ...fields.map((_, i) => command(`check ${i}`)),
    { type: "http", url: "https://a.example/" },
    { type: "prompt", prompt: "P" },
  ]);
  const problems = listProblems(project, settings);
  expect(problems).toHaveLength(15);
  for (const problem of problems) expect(problem).toMatch(/^warning .*; the default is used$/);
});

test("a handler whose command, arguments or type are invalid is skipped (H5)", async () => {
  const project = await SettingsProject.create({
    project: hooks(
      ...[
        command("a", { args: "b" }),
        command("a", { args: [1] }),
        { type: "command", command: null },
      ],
      ...[{ type: "http", url: 5 }, { type: "prompt" }, { command: "a" }]
    ),
  });
  const settings = await project.load();
  expect(settings.hooks).toEqual([]);
  const problems = listProblems(project, settings);
  expect(problems).toHaveLength(6);
  for (const problem of problems) expect(problem).toMatch(/^error .*; the handler is skipped$/);
});
