import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TrustRequest } from "@/node/services/hooks/trustPolicy";
import { command, hooks, SettingsProject, subagentHooks } from "@test/helpers/settingsProject";

/** What a policy is asked, undefined where it is not asked at all. */
async function ask(project: SettingsProject): Promise<TrustRequest | undefined> {
  let asked: TrustRequest | undefined;
  await project.load({
    trust: {
      decide: (request) => {
        asked = request;
        return Promise.resolve({ trusted: true });
      },
    },
  });
  return asked;
}

async function digest(project: SettingsProject): Promise<string | undefined> {
  return await (await ask(project))?.digest();
}

describe("trust is not asked for (H31)", () => {
  test.each<[string, Parameters<typeof SettingsProject.create>[0]]>([
    ["nothing", {}],
    ["the user's own settings", { user: { ...hooks("x"), disableAllHooks: false } }],
    [
      "a project's file that says nothing here",
      { project: { model: "x", hooks: { PreToolUse: 1 } } },
    ],
    ["a project's file that is broken", { project: "{" }],
    ["a project's names of secrets", { project: { hookEnv: { pass: ["X"] } } }],
    ["Claude's files that nobody imports", { claudeProject: hooks("x") }],
  ])("%s", async (_, settings) => {
    expect(await ask(await SettingsProject.create(settings))).toBeUndefined();
  });
});

describe("trust is asked for (H31)", () => {
  test("with every hook that came with the checkout and would run, as it is written", async () => {
    const project = await SettingsProject.create({
      user: { ...hooks("mine"), importClaudeHooks: true },
      project: {
        hooks: {
          ...hooks("check 'a b'", command("node", { args: ["x y"], shell: "zsh" })).hooks,
          ...subagentHooks("explore", { type: "http", url: "https://a.example/" }).hooks,
        },
      },
      local: hooks(command("off", { enabled: false }), { type: "prompt", prompt: "Done?" }),
      claudeLocal: hooks({ type: "builtin", name: "gauntlet" }),
    });
    const script = await project.write("project/.mux/stop", "#!/bin/sh\n", 0o755);
    const request = await ask(project);
    expect(request?.projectDir).toBe(project.dir);
    expect(request?.items.map(({ text }) => text)).toEqual([
      "Stop: check 'a b'",
      'Stop: zsh node "x y"',
      "SubagentStop explore: POST https://a.example/",
      "Stop: built-in gauntlet",
      "Stop: prompt: Done?",
      `Stop: ${script}`,
    ]);
    expect(request?.items[0]?.origin).toBe(`${project.path("project")}:6`);
    expect(request?.items.at(-1)?.origin).toBe(`${script}:1`);
  });

  test("where a project only sets a value", async () => {
    const project = await SettingsProject.create({ project: { disableAllHooks: true } });
    expect((await ask(project))?.items).toEqual([]);
  });

  test("with what a terminal would not show made visible", async () => {
    const project = await SettingsProject.create({
      project: hooks("safe\u202E\u001B[2K\r\n evil\u200B"),
    });
    expect((await ask(project))?.items[0]?.text).toBe(
      "Stop: safe\\u{202e}\\u{1b}[2K\\u{d}\\u{a} evil\\u{200b}"
    );
  });
});

describe("the digest (H31)", () => {
  const create = async () => {
    const project = await SettingsProject.create({
      project: hooks(command("sh lib/check.sh a", { timeout: 5 })),
    });
    await project.write("project/lib/check.sh", "exit 0");
    await project.write("project/.mux/stop", "#!/bin/sh\n", 0o755);
    return project;
  };

  test.each<[string, (project: SettingsProject) => Promise<unknown>]>([
    ["a command", (project) => project.set("project", hooks("sh lib/check.sh b"))],
    ["a new hook", (project) => project.set("local", hooks("x"))],
    [
      "a new hook for sub-agents",
      (project) => project.set("local", subagentHooks("*", "sh lib/check.sh a")),
    ],
    ["a file that a command names", (project) => project.write("project/lib/check.sh", "exit 2")],
    [
      "the size of a file that a command names",
      (project) => truncate(join(project.dir, "lib/check.sh"), 2 ** 30),
    ],
    [
      "a file that a command names and that was not there",
      (project) => project.write("project/a", "x"),
    ],
    ["a file that is gone", (project) => rm(join(project.dir, "lib/check.sh"))],
    [
      "the bytes of a script",
      (project) => project.write("project/.mux/stop", "#!/bin/sh\nrm x\n", 0o755),
    ],
    [
      "another script",
      (project) => project.write("project/.mux/subagent_stop", "#!/bin/sh\n", 0o755),
    ],
    [
      "the shell",
      (project) => project.set("project", hooks(command("sh lib/check.sh a", { shell: "zsh" }))),
    ],
  ])("changes with %s", async (_, change) => {
    const project = await create();
    const before = await digest(project);
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    await change(project);
    expect(await digest(project)).not.toBe(before);
  });

  test.each<[string, (project: SettingsProject) => Promise<unknown>]>([
    [
      "a limit",
      (project) => project.set("project", hooks(command("sh lib/check.sh a", { timeout: 9 }))),
    ],
    [
      "the order of a file's keys",
      (project) => project.set("project", { x: 1, ...hooks(command("sh lib/check.sh a")) }),
    ],
    ["a file that no command names", (project) => project.write("project/lib/other.sh", "x")],
    [
      "a hook that is off",
      (project) => project.set("local", hooks(command("x", { enabled: false }))),
    ],
    ["the user's own settings", (project) => project.set("user", hooks("x"))],
    ["the same file, written again", (project) => project.write("project/lib/check.sh", "exit 0")],
  ])("does not change with %s", async (_, change) => {
    const project = await create();
    const before = await digest(project);
    await change(project);
    expect(await digest(project)).toBe(before);
  });

  test("changes with what an http hook may carry away", async () => {
    const url = "https://a.example/";
    const project = await SettingsProject.create({ project: hooks({ type: "http", url }) });
    const before = await digest(project);
    const more = { headers: { a: "${TOKEN}" }, allowedEnvVars: ["TOKEN"] };
    await project.set("project", hooks({ type: "http", url, ...more }));
    expect(await digest(project)).not.toBe(before);
  });

  test.each([
    ["a command too long to read", ["x ".repeat(40_000)]],
    [
      "more folders than anybody enters",
      ["cd a; x b\n".repeat(2_000).replaceAll(/a|b/g, (c, i) => `${c}${i}`)],
    ],
    [
      "many commands that name files",
      Array.from({ length: 50 }, (_, i) =>
        Array.from({ length: 50 }, (_, j) => `f${i}-${j}`).join(" ")
      ),
    ],
    ["more files than anybody names", [Array.from({ length: 3_000 }, (_, i) => `f${i}`).join(" ")]],
  ])("is refused for %s, and that is no trust", async (_, lines) => {
    const project = await SettingsProject.create({ project: hooks(...lines) });
    await expect(digest(project)).rejects.toThrow(/too (long|many)/);
    const settings = await project.load({
      trust: { decide: async (request) => ({ trusted: (await request.digest()) !== "" }) as never },
    });
    expect(settings).toMatchObject({ hooks: [], trust: { trusted: false } });
  });

  test("is refused for files too large to read", async () => {
    const project = await SettingsProject.create({ project: hooks("run a b c d e") });
    for (const name of "abcde") {
      await project.write(`project/${name}`, "");
      await truncate(join(project.dir, name), 2 ** 30);
    }
    await expect(digest(project)).rejects.toThrow("too large to check");
  });
});
