/**
 * Runs the proposed checks once for `init`, within time limits, and prints and describes the results (G29). Checks that
 * cannot run here, wait for changes or change files are then not written; those that fail are.
 */
import { lstat } from "node:fs/promises";
import { posix } from "node:path";
import { MODEL_KEYS } from "@/common/modelKeyVariables";
import { KIB } from "@/common/limits";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { withoutPackageRunners } from "@/cli/findOwnCommand";
import type { ExecResult } from "@/node/runtime/HookRuntime";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { matchAllFormats } from "@/node/services/gauntlet/gates/findings/matchOutput";
import { outputLines } from "@/node/services/gauntlet/gates/findings/outputLines";
import * as environments from "@/node/services/gauntlet/known/environmentCause";
import type { CliContext } from "@/cli/context";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor, type Style } from "@/cli/render/style";
import { formatDuration } from "@/common/formatDuration";
import { shownCommand } from "@/common/ownCommandName";
import { clip, firstNames, visible } from "@/common/safeText";

const LIMITS = { checkMs: 20_000, totalMs: 60_000 };
const SHOWN_LINES = 5;
/** Matches a line of a program that waits for changes: Jest, Vitest, tsc, Mocha, nodemon, Gradle and others. */
const WATCHES =
  /^\W*Watch Usage\W*$|\b(?:watching|waiting) for (?:a |any )?(?:(?:file )?changes|file to change)\b|\bwaiting for changes\b/i;

/** `unfinished`: it was still running at its limit. `notTried`: the user skipped it, or the time was used up. */
export type Trial =
  | { readonly kind: "passed"; readonly durationMs: number }
  | {
      readonly kind: "failed";
      readonly how: string;
      readonly durationMs: number;
      /** The end of its output. */
      readonly lines: readonly string[];
    }
  | { readonly kind: "unfinished"; readonly limitMs: number }
  /** It waits for changes of files, so it is not written. */
  | { readonly kind: "watches"; readonly line: string }
  | { readonly kind: "notTried" }
  /** It cannot run here, so it is not written. */
  | { readonly kind: "notFound"; readonly how: string }
  /** It changes files, so it is not a check. Paths are relative to the root of the repository. */
  | { readonly kind: "changesFiles"; readonly files: readonly string[] };

/**
 * Runs the checks one after the other, without a terminal and with an empty standard input, like a stop (G11).
 *
 * @param options.beginCheck returns a signal that skips the check that is about to run
 */
export async function tryChecks(
  checks: readonly CheckProposal[],
  place: InitPlace,
  options: {
    readonly signal: AbortSignal;
    readonly beginCheck: (check: CheckProposal) => AbortSignal;
    readonly onTried: (check: CheckProposal, trial: Trial) => void;
    readonly limits?: typeof LIMITS;
  }
): Promise<ReadonlyMap<string, Trial>> {
  const { signal, beginCheck, onTried, limits = LIMITS } = options;
  const { runtime, projectDir, env } = place;
  const trials = new Map<string, Trial>();
  let leftMs = limits.totalMs;
  const listChanged = await watchWorkTree(place);
  const facts = await factsOf(place);
  for (const check of checks) {
    if (signal.aborted) break;
    const limitMs = Math.min(limits.checkMs, leftMs);
    const execute = () =>
      runtime.exec({
        command: { script: check.command },
        cwd: posix.join(projectDir, check.folder),
        // The hook does not have the folders that a package runner adds either.
        env: { PATH: withoutPackageRunners(env.PATH ?? "") },
        unsetEnv: MODEL_KEYS,
        timeoutMs: limitMs,
        keepBytes: 16 * KIB,
        signal: AbortSignal.any([signal, beginCheck(check)]),
      });
    const ended = limitMs > 0 ? await execute() : undefined;
    leftMs -= ended?.durationMs ?? 0;
    const files = ended === undefined ? [] : await listChanged();
    const trial: Trial =
      files.length > 0 ? { kind: "changesFiles", files } : describeEnd(ended, limitMs, facts);
    trials.set(check.name, trial);
    onTried(check, trial);
  }
  return trials;
}

/** Returns which files belong to the project. None of them counts as changed. */
async function factsOf({ runtime, projectDir }: InitPlace): Promise<environments.EnvironmentFacts> {
  const list = async (dir: string): Promise<readonly string[]> =>
    (await runtime.list(dir)).unwrapOr([]);
  const names = new Set(await list(projectDir));
  for (const name of await list(posix.join(projectDir, "src"))) names.add(`src/${name}`);
  return {
    isInTree: (path) => path.startsWith(`${projectDir}/`) || names.has(path),
    isInChange: () => false,
    isChangedFile: () => false,
  };
}

function describeEnd(
  ended: ExecResult | undefined,
  limitMs: number,
  facts: environments.EnvironmentFacts
): Trial {
  if (ended === undefined) return { kind: "notTried" };
  const { end, durationMs } = ended;
  const lines = outputLines(`${ended.stdout.text}\n${ended.stderr.text}`);
  const shown = lines.filter((line) => line.trim() !== "").slice(-SHOWN_LINES);
  switch (end.kind) {
    case "exited": {
      if (end.code === 0) return { kind: "passed", durationMs };
      const how = `exit code ${end.code}`;
      const findings = matchAllFormats([lines]);
      const cause = environments.environmentCause({ lines, exitCode: end.code, findings }, facts);
      if (cause !== undefined) return { kind: "notFound", how: cause.line };
      if (end.code === 126 || end.code === 127) return { kind: "notFound", how };
      return { kind: "failed", how, durationMs, lines: shown };
    }
    case "signaled":
      return { kind: "failed", how: end.signal, durationMs, lines: shown };
    case "timedOut": {
      const line = lines.find((one) => WATCHES.test(one))?.trim();
      return line === undefined ? { kind: "unfinished", limitMs } : { kind: "watches", line };
    }
    case "cancelled":
      return { kind: "notTried" };
    case "lost":
    case "notStarted":
      return { kind: "notFound", how: end.message };
  }
}

/** Matches bytecode, which Python leaves beside any module that it runs, so that every test would change files. */
const BYTECODE = /(?:^|\/)__pycache__\//;

/**
 * Returns a function that lists the files that git does not ignore and that changed since its last call, or since it
 * was made. Paths are relative to the root of the repository. Outside of a repository it lists none.
 */
async function watchWorkTree(place: InitPlace): Promise<() => Promise<string[]>> {
  const { runtime, projectDir: cwd } = place;
  const root = await runGit(runtime, { cwd, args: ["rev-parse", "--show-toplevel"] });
  /** Returns the files that git reports as changed, with their status, size and time. */
  const dirtyFiles = async (): Promise<ReadonlyMap<string, string> | undefined> => {
    if (root.isErr()) return undefined;
    const dir = root.value.replace(/\n$/, "");
    const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"];
    const entries = (await runGit(runtime, { cwd: dir, args })).map((text) => text.split("\0"));
    if (entries.isErr()) return undefined;
    const files = entries.value
      .filter((entry) => entry !== "" && !BYTECODE.test(entry.slice(3)))
      .map(async (entry) => {
        const path = entry.slice(3);
        const stat = await lstat(posix.join(dir, path)).catch(() => undefined);
        return [path, `${entry.slice(0, 2)} ${stat?.size} ${stat?.mtimeMs}`] as const;
      });
    return new Map(await Promise.all(files));
  };
  let before = await dirtyFiles();
  return async () => {
    const [last, now] = [before, await dirtyFiles()];
    before = now;
    if (last === undefined || now === undefined) return [];
    const paths = new Set([...last.keys(), ...now.keys()]);
    return [...paths].filter((path) => last.get(path) !== now.get(path)).sort();
  };
}

const MAX_LINE = 200;
const MAX_FILES = 5;

/** Runs the checks, and prints each result. At a terminal, Enter skips the check that is running. */
export async function runTrials(
  checks: readonly CheckProposal[],
  place: InitPlace,
  signal: AbortSignal,
  context: CliContext
): Promise<ReadonlyMap<string, Trial>> {
  if (checks.length === 0) return new Map();
  const { stdin, stdout, env } = context;
  const style = styleFor(stdout, env);
  const live = new LiveLines(stdout, isLive(stdout, env));
  const canSkip = stdin.isTTY === true && live.live;
  let skip = new AbortController();
  const onKey = (): void => {
    skip.abort();
  };
  const all = checks.length === 1 ? "the check" : `the ${checks.length} checks`;
  live.print(`Trying ${all} once (at most 20 s each, 60 s together):`);
  if (canSkip) stdin.on("data", onKey).resume();
  try {
    return await tryChecks(checks, place, {
      signal,
      beginCheck: ({ name, command }) => {
        skip = new AbortController();
        live.show([visible(`  ${name}: ${command} (Enter skips this trial)`)]);
        return skip.signal;
      },
      onTried: ({ name, command }, trial) => {
        live.print(`${mark(trial, style)} ${name}: ${visible(describeTrial(trial, command))}`, []);
        for (const line of trial.kind === "failed" ? trial.lines : []) {
          live.print(`    | ${visible(clip(line, MAX_LINE))}`, []);
        }
      },
    });
  } finally {
    if (canSkip) stdin.off("data", onKey).pause();
  }
}

function mark({ kind }: Trial, { green, red, yellow }: Style): string {
  if (kind === "passed") return green("✓");
  if (kind === "failed") return red("✗");
  return kind === "unfinished" || kind === "notTried" ? yellow("-") : red("-");
}

/** Returns the result in a few words. */
export function describeTrial(trial: Trial, command: string): string {
  switch (trial.kind) {
    case "passed":
      return `passed in ${formatDuration(trial.durationMs)}`;
    case "failed":
      return `fails now (${trial.how}, ${formatDuration(trial.durationMs)}); written nevertheless`;
    case "unfinished":
      return `starts; not finished in ${formatDuration(trial.limitMs)}. If all checks together take longer than 290 s, run "${shownCommand()} init --limit 900"`;
    case "watches":
      return `left out, because it does not end (${trial.line}); add it as CI=1 ${command}, or without its watch mode`;
    case "notTried":
      return "not tried";
    case "notFound":
      return `left out, because it cannot run here (${trial.how})`;
    case "changesFiles":
      return `left out, because it changes files that git does not ignore: ${firstNames(trial.files, MAX_FILES)}`;
  }
}

/** Returns a comment for the file of the check; undefined if it was not tried. */
export function trialComment(trial: Trial, now: Date): string | undefined {
  const day = now.toISOString().slice(0, 10);
  switch (trial.kind) {
    case "passed":
      return `Passed on ${day} in ${formatDuration(trial.durationMs)}.`;
    case "failed":
      return `Failed on ${day} (${trial.how}).`;
    case "unfinished":
      return `Starts; on ${day} it was not finished in ${formatDuration(trial.limitMs)}.`;
    default:
      return undefined;
  }
}
