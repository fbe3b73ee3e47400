/**
 * Reads the state that a run continues, or its copy (G16), and adapts it: moves logs away after a change of branch or a
 * merge, and keeps the unresolved gates of each branch (G18, G18a). Names commits that were pushed although gates had
 * failed (G51), and ignores passes of runs by hand in another environment (G7a).
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { shownCommand } from "@/common/ownCommandName";
import { visible } from "@/common/safeText";
import { sha256 } from "@/common/hash";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { isAncestor } from "@/node/services/gauntlet/change/git/gitQueries";
import { execGit, runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import { stateRestored } from "@/node/services/gauntlet/messages/shared";
import { moveLogsAway, restoreState } from "@/node/services/gauntlet/run/logs/cleanLogs";
import type { GauntletRunContext, RunFailure } from "@/node/services/gauntlet/run/runContext";
import * as executionState from "@/node/services/gauntlet/state/executionState";
import { isOfTurn, latestTurn } from "@/node/services/gauntlet/turn/StopHistory";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

/** Returns the state for this context. Puts away logs of another branch or of merged work; keeps unresolved gates. */
export async function currentState(
  given: GauntletRunContext
): Promise<Result<executionState.ExecutionState, RunFailure>> {
  const { runtime, projectDir, options, context, logDir, reporter } = given;
  const read = await executionState.readState(runtime, logDir);
  if (read.lost !== undefined) return err(read.lost);
  if (read.warning !== undefined) reporter.warn(read.warning);
  const { gitDir } = context;
  const copy = read.state ? undefined : await restoreState(runtime, { gitDir, projectDir, logDir });
  if (copy !== undefined) reporter.warn(stateRestored(visible(logDir), copy.open));
  const state = read.state ?? copy;
  if (state === undefined) return ok(executionState.NO_STATE);
  const changed = await contextChange(runtime, context, state, options.baseBranch);
  if (changed.isErr()) return err(changed.error);
  const sorted = await sortByBranch(runtime, context, state);
  for (const [branch, failures] of Object.entries(sorted.elsewhere ?? {})) {
    for (const id of Object.keys(failures)) {
      reporter.warn(
        `${visible(id)} failed on branch ${visible(branch)} and has not passed there since; to check it, run "${shownCommand()} run" on that branch`
      );
    }
  }
  if (changed.value === undefined) return ok(sorted);
  const { open: unresolved, elsewhere } = sorted;
  const kept = { unresolved, elsewhere, baselines: state.branch === context.branch };
  const turn = options.stop ?? (await latestTurn(new TurnStore(runtime, gitDir)));
  // In a later turn, the violations of another branch do not count on this one (G18a).
  const reviews = Object.entries(sorted.reviews).filter(([id]) => {
    const failure = state.failures[id];
    return [undefined, context.branch].includes(failure?.branch) || isOfTurn(failure, turn);
  });
  const left = { ...sorted, reviews: Object.fromEntries(reviews) };
  const cleaned = await moveLogsAway(runtime, logDir, left, kept);
  if (cleaned.isErr()) return err(cleaned.error);
  reporter.report("info", changed.value);
  return ok(cleaned.value.state);
}

/**
 * Returns a printable description of the change of context, or undefined if the context is the same. A base for this
 * run only (`-b`) does not show whether work was merged.
 */
export async function contextChange(
  runtime: HookRuntime,
  context: GitContext,
  state: executionState.ExecutionState,
  requestedBase: string | undefined
): Promise<Result<string | undefined, GitFailure>> {
  const { branch, baseRef, baseRevision } = context;
  if (state.branch !== undefined && state.branch !== branch) {
    return ok(`Auto-clean: branch changed (${state.branch} → ${branch})`);
  }
  if (requestedBase !== undefined) return ok(undefined);
  // If the base already contained the commit at the last run, this comparison does not show a merge.
  if (state.commit === undefined || baseRevision === undefined || state.base_had_commit === true) {
    return ok(undefined);
  }
  const merged = await isAncestor(runtime, context, state.commit, baseRevision);
  return merged.map((isMerged) =>
    isMerged ? `Auto-clean: commit merged into ${baseRef ?? baseRevision}` : undefined
  );
}

const MAX_BRANCHES = 20;

/**
 * Returns the state with the gates that are unresolved on this branch as its unresolved gates. One that failed on
 * another branch is also kept for that branch, as long as the branch has commits that HEAD does not have.
 */
async function sortByBranch(
  runtime: HookRuntime,
  context: GitContext,
  state: executionState.ExecutionState
): Promise<executionState.ExecutionState> {
  const { projectDir: cwd, signal } = context;
  const { [context.branch]: ofThis = {}, ...others } = state.elsewhere ?? {};
  const found = new Map(Object.entries(others));
  for (const id of state.open) {
    const failure = state.failures[id];
    const { branch = context.branch } = failure ?? {};
    if (failure === undefined || branch === context.branch) continue;
    found.set(branch, { ...found.get(branch), [id]: failure });
  }
  const entries = [...found].slice(-MAX_BRANCHES);
  // In doubt, a branch has commits of its own. One that does not exist has none.
  const hasWork = await Promise.all(
    entries.map(async ([branch]) => {
      const revisions = ["--end-of-options", `refs/heads/${branch}`, "^HEAD"];
      const args = ["rev-list", "--max-count=1", ...revisions];
      const listed = await execGit(runtime, { cwd, args, signal });
      return listed.isErr() || (listed.value.code === 0 && listed.value.stdout !== "");
    })
  );
  const kept = entries.filter((_, i) => hasWork[i]);
  return {
    ...state,
    open: [...new Set([...state.open, ...Object.keys(ofThis)])],
    failures: { ...ofThis, ...state.failures },
    elsewhere: kept.length === 0 ? undefined : Object.fromEntries(kept),
  };
}

/** Shows the user, once, the commits that were pushed although the gates had failed for that push (G51). */
export async function namePushed(
  { runtime, projectDir: cwd, reporter }: GauntletRunContext,
  state: executionState.ExecutionState
): Promise<executionState.ExecutionState> {
  const { refused_push: refused = [] } = state;
  if (refused.length === 0) return state;
  const args = ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/remotes"];
  const listed = (await runGit(runtime, { cwd, args })).unwrapOr("");
  const refs = listed.split("\n").map((line) => line.split(" "));
  const pushed = refs.filter(([commit = ""]) => refused.includes(commit));
  for (const [commit = "", name = ""] of pushed) {
    reporter.weaken(`${commit.slice(0, 9)} was pushed to ${name} although the gates had failed`);
  }
  const left = refused.filter((commit) => !pushed.some(([one]) => one === commit));
  return { ...state, refused_push: left.length === 0 ? undefined : left };
}

/** Matches variables that affect checks, without those that agents set for the editor, the pager and prompts of git. */
const VARIABLES =
  /^(?:BASH_ENV|ENV|NODE_OPTIONS|PYTHON.*|PYTEST_ADDOPTS|RUBYOPT|D?Y?LD_.*|MAKEFLAGS|CI|GIT_(?!(?:SEQUENCE_)?EDITOR$|PAGER$|TERMINAL_PROMPT$|ASKPASS$).*)$/;
const MAX_WORDS = 100;

/** Returns a digest of these variables, and of the files on PATH with a name that is a word of a check's command. */
export async function environmentOf(given: GauntletRunContext): Promise<string> {
  const { runtime, projectDir, config, env } = given;
  const gates = config.entryPoints.flatMap((point) => point.gates);
  const texts = gates.flatMap((gate) =>
    gate.kind === "check" ? [gate.command, gate.rerunCommand ?? "", gate.full ?? ""] : []
  );
  const named = texts.flatMap(
    (text) => text.match(/(?<![^\s;&|({])\w[\w.+-]*(?![^\s;&|)}])/g) ?? []
  );
  const words = [...new Set(named)].slice(0, MAX_WORDS);
  const folders = (env.PATH ?? "").split(":").map((folder) => posix.resolve(projectDir, folder));
  const paths = words.map((word) => folders.map((folder) => posix.join(folder, word)));
  const stats = await runtime.stat(paths.flat());
  const files = new Set(paths.flat().filter((_, i) => stats[i]?.kind === "file"));
  const found = paths.map((some) => some.find((path) => files.has(path)));
  const set = Object.entries(env).filter(([name]) => VARIABLES.test(name));
  return sha256(JSON.stringify([found, set.sort()]), 32);
}

/** Returns the state without passes of runs by hand in another environment, which count at no stop. */
export async function withoutForeign(
  given: GauntletRunContext,
  state: executionState.ExecutionState
): Promise<executionState.ExecutionState> {
  const { passed, baselines } = state;
  const isByHand = [passed, ...Object.values(baselines)].some((one) => one?.environment);
  if (given.options.stop === undefined || !isByHand) return state;
  const here = await environmentOf(given);
  const counts = (one: typeof passed): boolean => [undefined, here].includes(one?.environment);
  const left = Object.entries(baselines).filter(([, one]) => counts(one));
  const kept = counts(passed) ? passed : undefined;
  return { ...state, baselines: Object.fromEntries(left), passed: kept };
}
