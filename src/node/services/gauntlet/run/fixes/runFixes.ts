/** Runs the fixes of the checks that are due, before all gates (G35). */
import { posix } from "node:path";
import { ok, safeTry, type Result } from "neverthrow";
import { visible } from "@/common/text";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/placeholders";
import { shellCalls, shownCommand } from "@/node/services/gauntlet/gates/fileArguments";
import { runCheck } from "@/node/services/gauntlet/gates/runCheck";
import * as messages from "@/node/services/gauntlet/messages/fixes";
import { filesToFix } from "@/node/services/gauntlet/run/fixes/filesToFix";
import {
  fixJobs,
  wantsFixes,
  whyNoFix,
  type FixJob,
} from "@/node/services/gauntlet/run/fixes/fixRules";
import { beginFixes, endFixes, restoredFiles } from "@/node/services/gauntlet/run/fixes/fixHistory";
import type {
  FailedFix,
  FixedFiles,
  GauntletRunContext,
  Plan,
  RunFailure,
  UnfixedFiles,
} from "@/node/services/gauntlet/run/runContext";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { checkLogName } from "@/node/services/gauntlet/state/runFiles";

export interface FixedTree {
  /** The tree after the fixes. */
  readonly snapshot: string;
  readonly fixed: FixedFiles;
  readonly unfixed: UnfixedFiles;
  readonly failed: readonly FailedFix[];
}

type FixPlan = Pick<Plan, "run" | "snapshot" | "jobs" | "scopes">;

/** Returns undefined if no fix may run. A fix that fails, or that cannot be run, is a warning. */
export async function runFixes(
  given: GauntletRunContext,
  plan: FixPlan
): Promise<Result<FixedTree | undefined, RunFailure>> {
  const jobs = wantsFixes(given) ? fixJobs(plan.jobs) : [];
  if (jobs.length === 0) return ok(undefined);
  const refusal = await whyNoFix(given);
  if (refusal !== undefined) {
    given.reporter.report("warning", refusal);
    return ok(undefined);
  }
  return await safeTry<FixedTree | undefined, RunFailure>(async function* () {
    const { options, context, reporter } = given;
    const { runtime } = options;
    const candidates = [...new Set(jobs.flatMap((job) => filesOf(job, plan)))];
    const { allowed, older } = yield* await filesToFix(given, candidates, plan.snapshot);
    const { stop } = options;
    const place = { runtime, projectDir: options.projectDir, gitDir: context.gitDir };
    const left = stop === undefined ? [] : await restoredFiles(place, stop.session);
    for (const file of left) allowed.delete(file);
    const due = jobs.filter((job) =>
      getsFiles(job) ? filesOf(job, plan, allowed).length > 0 : left.length === 0
    );
    const unfixed = new Map(
      jobs.flatMap((job) => {
        const files = getsFiles(job) ? filesOf(job, plan, older) : [];
        const calls = shellCalls(job.gate.fix, folderOf(job), files);
        return files.length === 0 ? [] : [[job.id, shownCommand(job.gate.fix, calls)] as const];
      })
    );
    if (due.length === 0)
      return ok({ snapshot: plan.snapshot, fixed: new Map(), unfixed, failed: [] });
    const copied = due.flatMap((job) =>
      getsFiles(job) ? filesOf(job, plan, allowed) : [...(plan.scopes.get(job.id)?.changed ?? [])]
    );
    const begun = await beginFixes(place, stop ?? BY_HAND, [...new Set(copied)]);
    if (begun.isErr()) {
      reporter.report(
        "warning",
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
      const { id } = yield* await takeSnapshot(runtime, context, {
        keepIndex: true,
        recent: snapshot,
      });
      const changes = yield* await changedFiles(runtime, context, snapshot, id);
      snapshot = id;
      const changed = changedPaths(changes);
      const own = getsFiles(job) ? changed.filter((file) => files.includes(file)) : changed;
      if (own.length > 0) {
        fixed.set(job.id, own);
        reporter.report("info", messages.fixedBy(visible(job.id), own.map(visible)));
      }
      const others = changed.filter((file) => !own.includes(file));
      if (others.length > 0) {
        reporter.report("warning", messages.changedOthers(visible(job.id), others.map(visible)));
      }
    }
    const all = [...new Set([...fixed.values()].flat())];
    const recorded = await endFixes(place, begun.value, all, plan.snapshot);
    if (recorded.isErr()) reporter.report("warning", recorded.error.message);
    return ok({ snapshot, fixed, unfixed, failed });
  });
}

/** All runs by hand are one turn, until a stop has a fix. */
const BY_HAND = { session: "by-hand", turn: "" };

/** Returns the changed files of a job. After a change of a global dependency, its command gets all files. */
function filesOf(
  { id }: Pick<FixJob, "id">,
  { scopes }: FixPlan,
  allowed?: ReadonlySet<string>
): string[] {
  const { files = [], changed } = scopes.get(id) ?? {};
  return files.filter((file) => changed?.has(file) === true && allowed?.has(file) !== false);
}

function folderOf({ gate, entryPoint }: FixJob): string {
  return gate.workingDirectory ?? entryPoint;
}

/**
 * Runs the command like that of a check, with a log, and a time limit that leaves time for the gates. Returns its failure,
 * which is reported when the run knows where the log will be.
 */
async function runFix(
  { options, logDir, now, signal }: GauntletRunContext,
  job: FixJob,
  files: readonly string[],
  run: number
): Promise<FailedFix[]> {
  const { runtime, projectDir } = options;
  const { rerunCommand: _, ...gate } = job.gate;
  const { result } = await runCheck(
    runtime,
    { ...job, gate: { ...gate, command: gate.fix, timeoutS: fixTimeout(gate.timeoutS, options) } },
    {
      projectDir,
      rerun: false,
      env: {},
      files,
      logPath: posix.join(logDir, checkLogName(job, run, "fix")),
      now,
      signal,
    }
  );
  const { outcome, message: why = outcome, logPath } = result;
  return outcome === "passed" || outcome === "no_files" ? [] : [{ jobId: job.id, why, logPath }];
}

/** Returns a time limit in seconds. */
function fixTimeout(timeoutS: number, { limitMs }: RunOptions): number {
  if (limitMs === undefined) return timeoutS;
  const least = Math.min(MIN_FIX_S, limitMs / 1000 / 2);
  return Math.min(timeoutS, Math.max(least, limitMs / 1000 / 10));
}

const MIN_FIX_S = 10;

/** Returns whether the command gets files. Otherwise it has the whole working tree (`fix_scope: all`). */
function getsFiles({ gate }: FixJob): boolean {
  return parseCommand(gate.fix).placeholder !== undefined;
}
