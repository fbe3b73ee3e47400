import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mayHaveHooks, mayNeedHint } from "@/host/workspace/mayHaveHooks";
import { createWorktree } from "@test/helpers/gitProject";
import { putFile, tempDir } from "@test/helpers/tempDir";

test.each([
  ...["home/.mux/settings.json", "home/.xum/settings.json", "home/.mux/stop", "root/settings.json"],
  ...["p/.mux/settings.json", "p/.mux/settings.local.json", "p/.xum/settings.json", "p/.mux/stop"],
  ...["p/.mux/subagent_stop", "p/.gauntlet/config.yml"],
])("%s may configure a hook", async (file) => {
  const dir = await tempDir();
  const place = { env: { MUX_ROOT: join(dir, "root") }, home: join(dir, "home") };
  await mkdir(join(dir, "p", ".git"), { recursive: true });
  expect(mayHaveHooks(join(dir, "p"), place)).toBe(false);
  await putFile(join(dir, file), "");
  expect(mayHaveHooks(join(dir, "p"), place)).toBe(true);
});

test("a broken link or recorded definitions may configure a hook (H2a, H31)", async () => {
  const dir = await tempDir();
  const place = { env: {}, home: join(dir, "home") };
  const project = join(dir, "p");
  await mkdir(join(project, ".mux"), { recursive: true });
  await mkdir(join(dir, "q", ".mux"), { recursive: true });
  await symlink("/nowhere", join(project, ".mux", "stop"));
  expect(mayHaveHooks(project, place)).toBe(true);
  const record = JSON.stringify({ version: 2, projects: { [join(dir, "q")]: [] } });
  await putFile(join(dir, "home", ".mux", "hook-trust.json"), record);
  expect(mayHaveHooks(join(dir, "q"), place)).toBe(true);
  expect(mayHaveHooks(join(dir, "r"), place)).toBe(false);
  await mkdir(join(dir, "s"));
  await symlink("/nowhere", join(dir, "s", ".mux"));
  expect(mayHaveHooks(join(dir, "s"), place)).toBe(true);
  await rm(join(dir, "home", ".mux"), { recursive: true });
  await symlink("/nowhere", join(dir, "home", ".mux"));
  expect(mayHaveHooks(join(dir, "r"), place)).toBe(true);
});

test.each(["", "."])("a home that is %j has no user layer (H31)", async (home) => {
  const dir = await tempDir();
  await putFile(join(dir, ".mux", "stop"), "");
  const before = process.cwd();
  onTestFinished(() => {
    process.chdir(before);
  });
  process.chdir(dir);
  expect(mayHaveHooks(join(dir, "p"), { env: {}, home })).toBe(false);
});

test("an empty CLAUDE_CONFIG_DIR counts as not set (H39)", async () => {
  const home = await tempDir();
  await putFile(join(home, ".claude", "settings.json"), '{"Stop": []}');
  const checkout = { dir: "/p", remote: false, metadata: { name: "p", projectPath: "/p" } };
  expect(mayNeedHint(checkout, { env: { CLAUDE_CONFIG_DIR: "" }, home })).toBe(true);
});

test("a gauntlet configuration counts in parent folders up to the root of the repository", async () => {
  const dir = await tempDir();
  const place = { env: {}, home: join(dir, "home") };
  await mkdir(join(dir, "repo", ".git"), { recursive: true });
  await putFile(join(dir, ".gauntlet", "config.yml"), "");
  expect(mayHaveHooks(join(dir, "repo", "sub"), place)).toBe(false);
  await putFile(join(dir, "repo", ".gauntlet", "config.yml"), "");
  expect(mayHaveHooks(join(dir, "repo", "sub"), place)).toBe(true);
});

test.each(["absolute", "relative"])(
  "in a linked worktree with an %s gitdir the main checkout's local settings may configure a hook (H1)",
  async (kind) => {
    const dir = await tempDir();
    const place = { env: {}, home: join(dir, "home") };
    const main = join(dir, "main");
    createWorktree(main, join(dir, "linked"));
    if (kind === "relative") {
      await writeFile(join(dir, "linked", ".git"), "gitdir: ../main/.git/worktrees/linked\n");
    }
    expect(mayHaveHooks(join(dir, "linked"), place)).toBe(false);
    await putFile(join(main, ".mux", "settings.local.json"), "");
    expect(mayHaveHooks(join(dir, "linked"), place)).toBe(true);
  }
);
