/**
 * Runs the fixes (commands that repair what a check rejects) of the due checks before the gates of a run, and records
 * them so that they can be undone (G35). Runs none in CI and during a git operation. A fix that gets the names of files
 * gets only regular ones that changed in the user's turn; a fix without them may change the whole working tree.
 */
import { posix } from "node:path";
import { ok, safeTry, type Result } from "neverthrow";
import { isCi } from "@/common/isCi";
import { visible } from "@/common/safeText";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { treeFiles } from "@/node/services/gauntlet/change/git/gitQueries";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/findPlaceholders";
import { shellCalls, shownCommand } from "@/node/services/gauntlet/gates/runWithFiles";
import { isCheckJob, runCheck, type CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import { type FailedFix, countedFiles } from "@/node/services/gauntlet/messages/autoFixes";
import * as undoHistory from "@/node/services/gauntlet/run/fixes/undoHistory";
import type * as runContext from "@/node/services/gauntlet/run/runContext";
import { checkLogName } from "@/node/services/gauntlet/state/runFiles";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

type FixJob = CheckJob & { readonly gate: { readonly fix: string } };

interface FixPlan extends Pick<runContext.Plan, "run" | "snapshot" | "jobs" | "scopes"> {
  /** Files whose content is not in the snapshot. A fix of all files may change them. */
  readonly large: readonly string[];
}

/** All runs by hand are one turn, until a stop has a fix. */
const BY_HAND = { session: "by-hand", turn: "" };
const MIN_FIX_S = 10;
/** Some file systems store times in whole seconds. */
const MTIME_SLACK_MS = 1_000;
const LINK_MODE = "120000";

/** Names in the git folder that exist during an operation of git. */
const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: "merge",
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_LOG: "bisect",
};

/** Returns the tree after the fixes, or undefined if no fix may run. A fix that fails or cannot be run is a warning. */
export async function runFixes(
  given: runContext.GauntletRunContext,
  plan: FixPlan
): Promise<Result<runContext.FixedTree | undefined, runContext.RunFailure>> {
  const { runtime, projectDir, options, context, reporter } = given;
  const { fix, scope, shard, configProblem, stop } = options;
  // Fixes run only on the working tree, and only with a valid configuration.
  const mayFix = fix === true && scope?.kind !== "commit" && !shard && configProblem === undefined;
  // The jobs are in the order of the configuration.
  const jobs = plan.jobs.filter(
    (job): job is FixJob => isCheckJob(job) && job.gate.fix !== undefined
  );
  if (!mayFix || jobs.length === 0) return ok(undefined);
  const refusal = await whyNoFix(given);
  if (refusal !== undefined) {
    reporter.warn(`no fix was run, because ${refusal}`);
    return ok(undefined);
  }
  return await safeTry<runContext.FixedTree | undefined, runContext.RunFailure>(async function* () {
    const candidates = [...new Set(jobs.flatMap((job) => filesOf(job, plan)))];
    const { allowed, older } = yield* await filesToFix(given, candidates, plan.snapshot);
    const place = { runtime, projectDir, gitDir: context.gitDir };
    const restored = stop === undefined ? [] : await undoHistory.restoredFiles(place, stop.session);
    for (const file of restored) allowed.delete(file);
    const due = jobs.filter((job) =>
      getsFiles(job) ? filesOf(job, plan, allowed).length > 0 : restored.length === 0
    );
    const unfixed = new Map(
      jobs.flatMap((job) => {
        const files = getsFiles(job) ? filesOf(job, plan, older) : [];
        const calls = shellCalls(job.gate.fix, job.gate.workingDirectory ?? job.entryPoint, files);
        return files.length === 0 ? [] : [[job.id, shownCommand(job.gate.fix, calls)] as const];
      })
    );
    if (due.length === 0)
      return ok({ snapshot: plan.snapshot, fixed: new Map(), unfixed, failed: [] });
    const copied = due.flatMap((job) =>
      getsFiles(job) ? filesOf(job, plan, allowed) : [...(plan.scopes.get(job.id)?.changed ?? [])]
    );
    const copies = [...new Set([...copied, ...(due.every(getsFiles) ? [] : plan.large)])];
    const begun = await undoHistory.beginFixes(place, stop ?? BY_HAND, copies);
    if (begun.isErr()) {
      reporter.warn(
        `no fix was run, because the files could not be prepared: ${begun.error.message}`
      );
      return ok(undefined);
    }
    const fixed = new Map<string, string[]>();
    const failed: FailedFix[] = [];
    let snapshot = plan.snapshot;
    for (const job of due) {
      if (given.signal?.aborted === true) break;
      const files = filesOf(job, plan, allowed);
      failed.push(...(await runFix(given, job, files, plan.run)));
      const how = { keepIndex: true, recent: snapshot };
      const { id } = yield* await takeSnapshot(runtime, context, how);
      const changes = yield* await changedFiles(runtime, context, snapshot, id);
      snapshot = id;
      const changed = changedPaths(changes);
      const own = getsFiles(job) ? changed.filter((file) => files.includes(file)) : changed;
      if (own.length > 0) {
        fixed.set(job.id, own);
        reporter.report("info", `the fix of ${visible(job.id)} changed ${countedFiles(own)}`);
      }
      const others = changed.filter((file) => !own.includes(file));
      if (others.length > 0) {
        const text = countedFiles(others, " that it did not get");
        reporter.warn(`the fix of ${visible(job.id)} also changed ${text}`);
      }
    }
    const all = [...new Set([...fixed.values()].flat())];
    const recorded = await undoHistory.endFixes(place, begun.value, all, plan.snapshot);
    if (recorded.isErr()) reporter.warn(recorded.error.message);
    return ok({ snapshot, fixed, unfixed, failed });
  });
}

/** Returns the changed files of a job. After a change of a global dependency, its command gets all files. */
function filesOf(
  { id }: Pick<FixJob, "id">,
  { scopes }: FixPlan,
  allowed?: ReadonlySet<string>
): string[] {
  const { files = [], changed } = scopes.get(id) ?? {};
  return files.filter((file) => changed?.has(file) === true && allowed?.has(file) !== false);
}

/**
 * Runs the command like that of a check, with a log, and a time limit that leaves time for the gates. Returns its
 * failure, which is reported when the run knows where the log will be.
 */
async function runFix(
  { runtime, projectDir, options: { limitMs }, logDir, now, signal }: runContext.GauntletRunContext,
  job: FixJob,
  files: readonly string[],
  run: number
): Promise<FailedFix[]> {
  const { rerunCommand: _, ...gate } = job.gate;
  const least = limitMs && Math.max(Math.min(MIN_FIX_S, limitMs / 2_000), limitMs / 10_000);
  const timeoutS = Math.min(gate.timeoutS, least ?? Infinity);
  const logPath = posix.join(logDir, checkLogName(job, run, "fix"));
  const { result } = await runCheck(
    runtime,
    { ...job, gate: { ...gate, command: gate.fix, timeoutS } },
    { projectDir, rerun: false, env: {}, files, logPath, now, signal }
  );
  const { outcome, message: why = outcome } = result;
  const isDone = outcome === "passed" || outcome === "no_files";
  return isDone ? [] : [{ jobId: job.id, why, logPath: result.logPath }];
}

/** Returns whether the command gets files. Otherwise it has the whole working tree (`fix_scope: all`). */
function getsFiles({ gate }: FixJob): boolean {
  return parseCommand(gate.fix).placeholder !== undefined;
}

/** Returns why no fix may run now, or undefined. Costs one look at the git folder. */
async function whyNoFix(given: runContext.GauntletRunContext): Promise<string | undefined> {
  const { runtime, context, env } = given;
  if (isCi(env)) return "this is a CI run";
  const operations = Object.entries(OPERATIONS);
  const stats = await runtime.stat(operations.map(([name]) => posix.join(context.gitDir, name)));
  const running = operations.find((_, i) => stats[i]?.kind !== "missing");
  return running && `a ${running[1]} is in progress; finish or abort it first`;
}

/**
 * Returns the files that fixes may change: regular files without conflicts that changed since the user's turn began, if
 * its time is known. A link is left out, because a fix would change its target. `older`: files that only their time
 * excludes.
 *
 * @param files relative to the project, of the tree `snapshot`
 */
function filesToFix(
  { runtime, projectDir, context, options: { stop } }: runContext.GauntletRunContext,
  files: readonly string[],
  snapshot: string
) {
  return safeTry(async function* () {
    // Conflicts may remain after a merge ended, as with `git stash pop`.
    const args = ["ls-files", "--unmerged", "-z"];
    const call = { cwd: projectDir, args, signal: context.signal };
    const listed = yield* await runGit(runtime, call);
    // Each entry is a mode, an ID and a stage, then a tab and the path.
    const unmerged = new Set(listed.split("\0").map((entry) => entry.split("\t")[1] ?? ""));
    const tree = yield* await treeFiles(runtime, context, snapshot);
    const links = new Set(tree.flatMap(({ path, id }) => (id.startsWith(LINK_MODE) ? [path] : [])));
    // The clock of another machine may differ, so a time of this one is not used there.
    const session = runtime.isRemote ? undefined : stop?.session;
    const store = new TurnStore(runtime, context.gitDir);
    const since = session && (await store.read("turns", session))?.at;
    const stats = await runtime.stat(files.map((file) => posix.join(projectDir, file)));
    const [allowed, older] = [new Set<string>(), new Set<string>()];
    for (const [i, file] of files.entries()) {
      const stat = stats[i];
      if (stat?.kind !== "file" || links.has(file) || unmerged.has(file)) continue;
      const isOlder = since !== undefined && stat.mtimeMs + MTIME_SLACK_MS < Date.parse(since);
      (isOlder ? older : allowed).add(file);
    }
    return ok({ allowed, older });
  });
}
