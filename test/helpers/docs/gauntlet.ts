/** Blocks about the gauntlet: its configuration, and the hook that other programs call. */
import { spawnSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { REPOSITORY, type Fence } from "@test/helpers/docs/markdown";
import { tempDir } from "@test/helpers/tempDir";

/**
 * Returns the environment of an example's programs: the commands on PATH as after `npm link`, fake reviewers that read
 * their answers from `.git/fakes`, and no configuration of the user who runs the tests.
 */
export async function exampleEnv({ project }: ExampleProject): Promise<NodeJS.ProcessEnv> {
  linked ??= linkCommand();
  const reviewers = join(REPOSITORY, "fixtures/reviewers");
  const path = `${await linked}:${reviewers}:${process.env.PATH ?? ""}`;
  const steering = { XDG_FAKE_REVIEWERS: join(project.dir, ".git/fakes") };
  // As a person who has answered the question of the first run.
  await trustNow(project.dir, project.home);
  return { PATH: path, HOME: project.home, LC_ALL: "C.UTF-8", ...steering };
}

/** Runs the script `test` of package.json. npm itself needs ten times the time of the tests on the pages. */
const NPM = String.raw`#!/bin/sh
if [ "$1" != test ]; then PATH=$(printf %s "$PATH" | cut -d: -f2-) exec npm "$@"; fi
shift
if [ "$1" = -- ]; then shift; fi
exec sh -c "$(sed -n 's/.*"test": *"\([^"]*\)".*/\1/p' package.json) \"\$@\"" sh "$@"
`;

let linked: Promise<string> | undefined;

async function linkCommand(): Promise<string> {
  const bin = await tempDir();
  for (const name of ["agent-gauntlet", "mux-stop-hooks"]) {
    await symlink(join(REPOSITORY, `bin/${name}.cjs`), join(bin, name));
  }
  await writeFile(join(bin, "npm"), NPM, { mode: 0o755 });
  const steer = join(REPOSITORY, "fixtures/reviewers/steer.mjs");
  const script = `#!/bin/sh\nexec node '${steer}' "$@"\n`;
  await writeFile(join(bin, "fake-reviewer"), script, { mode: 0o755 });
  return bin;
}

/** Writes the last file of a configuration, and expects that it has no problems with the strict rules of `validate`. */
export async function loadsStrictly(example: ExampleProject, fence: Fence): Promise<void> {
  example.used();
  await example.write(fence.options.get("file") ?? "", fence.text);
  const { runtime, dir } = example.project;
  const loaded = await loadGauntletConfig(runtime, dir, { strict: true, env: {} });
  const all = loaded.kind === "none" ? [] : loaded.problems;
  // The user's own file is always reported (G6a).
  const problems = all.filter(({ message }) => !message.startsWith("on this machine only"));
  expect(problems, `${fence.place}: ${describeDiagnostics(problems)}`).toEqual([]);
  expect(loaded.kind, fence.place).toBe("valid");
}

/** Writes the user's own file, and expects that it changes the settings without a warning. */
export async function loadsAsOwn(example: ExampleProject, fence: Fence): Promise<void> {
  const { runtime, home } = example.project;
  const load = () => loadStopHookSettings(runtime.host, { env: {}, home, project: {} });
  const before = await load();
  await example.write(fence.options.get("file") ?? "", fence.text);
  const after = await load();
  expect(after.warnings, `${fence.place}: ${after.warnings.join("\n")}`).toEqual([]);
  expect(after, `${fence.place}: it changes nothing`).not.toEqual(before);
}

/** Runs the one Stop hook of Claude Code's settings as Claude Code does, and expects the claimed decision. */
export async function answersClaude(example: ExampleProject, fence: Fence): Promise<void> {
  await example.write(CLAUDE_SETTINGS, fence.text);
  const { decision } = await stopInClaude(example);
  expect(decision, fence.place).toBe(fence.options.get("decision"));
}

/** Expects the message that the agent gets from the installed Stop hook of Claude Code. */
export async function stopsInClaude(example: ExampleProject, fence: Fence): Promise<void> {
  const { reason, log } = await stopInClaude(example);
  example.expectShown(fence, reason ?? "");
  example.printed = log;
}

const CLAUDE_SETTINGS = ".claude/settings.local.json";

async function stopInClaude(example: ExampleProject): Promise<ClaudeAnswer> {
  const { hooks } = JSON.parse(await example.project.read(CLAUDE_SETTINGS)) as ClaudeSettings;
  const [hook, ...others] = hooks.Stop.flatMap((group) => group.hooks);
  expect(others).toEqual([]);
  const input = { hook_event_name: "Stop", cwd: example.project.dir, stop_hook_active: false };
  const { stdout, stderr } = spawnSync("sh", ["-c", hook?.command ?? ""], {
    cwd: example.project.dir,
    env: await exampleEnv(example),
    input: `${JSON.stringify(input)}\n`,
    encoding: "utf8",
  });
  return { ...(JSON.parse(stdout) as Omit<ClaudeAnswer, "log">), log: stderr.trimEnd() };
}

interface ClaudeAnswer {
  readonly decision: string;
  readonly reason?: string;
  /** The standard error of the hook. */
  readonly log: string;
}

interface ClaudeSettings {
  readonly hooks: { readonly Stop: readonly { readonly hooks: readonly { command: string }[] }[] };
}

/** Stores the violations of a review with an agent's marks. Except for the marks, they must equal those of the run. */
export async function marksReview(example: ExampleProject, fence: Fence): Promise<void> {
  example.used();
  const path = fence.options.get("file") ?? "";
  const written = readReview(await example.project.read(path));
  const shown = readReview(fence.text);
  expect(shown.violations.map(asFound), fence.place).toEqual(written.violations.map(asFound));
  expect(Object.keys(shown), fence.place).toEqual(Object.keys(written));
  const { violations } = shown;
  await example.write(path, JSON.stringify({ ...written, violations }));
}

type Entry = Readonly<Record<string, unknown>>;

function readReview(text: string): { readonly violations: readonly Entry[] } {
  return JSON.parse(text) as { violations: Entry[] };
}

function asFound({ status, result, ...found }: Entry): Entry {
  return found;
}
