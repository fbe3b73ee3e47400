/** Blocks about the gauntlet: its configuration, and the hook that other programs call. */
import { spawnSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { describeProblems } from "@/node/services/gauntlet/config/problem";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { REPOSITORY, type Fence } from "@test/helpers/docs/markdown";
import { tempDir } from "@test/helpers/tempDir";

/** What an example's programs see: the command as `npm link` puts it on PATH, and nothing of whoever runs the tests. */
export async function exampleEnv({ project }: ExampleProject): Promise<NodeJS.ProcessEnv> {
  linked ??= linkCommand();
  const path = `${await linked}:${process.env.PATH ?? ""}`;
  return { PATH: path, HOME: project.home, LC_ALL: "C.UTF-8" };
}

let linked: Promise<string> | undefined;

async function linkCommand(): Promise<string> {
  const bin = await tempDir();
  await symlink(join(REPOSITORY, "bin/agent-gauntlet.cjs"), join(bin, "agent-gauntlet"));
  return bin;
}

/** The last file of a configuration, which has to be without any problem, as `validate` has it. */
export async function loadsStrictly(example: ExampleProject, fence: Fence): Promise<void> {
  example.used();
  await example.write(fence.options.get("file") ?? "", fence.text);
  const { runtime, dir } = example.project;
  const loaded = await loadGauntletConfig(runtime, dir, { strict: true });
  const problems = loaded.kind === "none" ? [] : loaded.problems;
  expect(problems, `${fence.place}: ${describeProblems(problems)}`).toEqual([]);
  expect(loaded.kind, fence.place).toBe("valid");
}

/** The person's own file: every key of it counts. */
export async function loadsAsOwn(example: ExampleProject, fence: Fence): Promise<void> {
  const { runtime, home } = example.project;
  const load = () => loadStopHookSettings(runtime.host, { env: {}, home, project: {} });
  const before = await load();
  await example.write(fence.options.get("file") ?? "", fence.text);
  const after = await load();
  expect(after.warnings, `${fence.place}: ${after.warnings.join("\n")}`).toEqual([]);
  expect(after, `${fence.place}: it changes nothing`).not.toEqual(before);
}

/** Settings of Claude Code: its Stop hooks are called as it calls them, and answer with the decision that is claimed. */
export async function answersClaude(example: ExampleProject, fence: Fence): Promise<void> {
  await example.write(".claude/settings.local.json", fence.text);
  const { Stop } = (JSON.parse(fence.text) as ClaudeSettings).hooks;
  const env = await exampleEnv(example);
  const input = { hook_event_name: "Stop", cwd: example.project.dir, stop_hook_active: false };
  const answers = Stop.flatMap(({ hooks }) => hooks).map(({ command }) => {
    const { stdout } = spawnSync("sh", ["-c", command], {
      cwd: example.project.dir,
      env,
      input: `${JSON.stringify(input)}\n`,
      encoding: "utf8",
    });
    return (JSON.parse(stdout) as { decision: unknown }).decision;
  });
  expect(answers, fence.place).toEqual([fence.options.get("decision")]);
}

interface ClaudeSettings {
  readonly hooks: { readonly Stop: readonly { readonly hooks: readonly { command: string }[] }[] };
}
