/** Runs the fixes of the checks that are due, before all gates (G35). */
import { posix } from "node:path";
import { ok, safeTry, type Result } from "neverthrow";
import { visible } from "@/common/text";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { parseCommand } from "@/node/services/gauntlet/domain/placeholders";
import { runCheck } from "@/node/services/gauntlet/gates/runCheck";
import * as messages from "@/node/services/gauntlet/messages/fixes";
import { filesToFix } from "@/node/services/gauntlet/run/fixes/filesToFix";
import {
  fixJobs,
  wantsFixes,
  whyNoFix,
  type FixJob,
} from "@/node/services/gauntlet/run/fixes/fixRules";
import { writeLastFix } from "@/node/services/gauntlet/run/fixes/lastFix";
import type {
  FixedFiles,
  GauntletRunContext,
  Plan,
  RunFailure,
} from "@/node/services/gauntlet/run/runContext";
import { checkLogName } from "@/node/services/gauntlet/state/runFiles";

export interface FixedTree {
  /** The tree after the fixes. */
  readonly snapshot: string;
  readonly fixed: FixedFiles;
}

type FixPlan = Pick<Plan, "run" | "snapshot" | "jobs" | "scopes">;

/** Returns undefined if no fix changed a file. A fix that fails, or that cannot be run, is a warning. */
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
    const candidates = [...new Set(jobs.flatMap((job) => plan.scopes.get(job.id)?.files ?? []))];
    const allowed = yield* await filesToFix(given, candidates, plan.snapshot);
    const due = jobs.filter((job) => !getsFiles(job) || filesOf(job, plan, allowed).length > 0);
    if (due.length === 0) return ok(undefined);
    // Without a record of the tree, a fix could not be undone.
    const place = { runtime, context };
    const kept = await writeLastFix(place, { before: plan.snapshot, files: [] });
    if (kept.isErr()) {
      reporter.report("warning", messages.fixNotPrepared(kept.error.message));
      return ok(undefined);
    }
    const fixed = new Map<string, string[]>();
    let snapshot = plan.snapshot;
    for (const job of due) {
      if (given.signal?.aborted === true) break;
      const files = filesOf(job, plan, allowed);
      await runFix(given, job, files, plan.run);
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
    const recorded = await writeLastFix(place, {
      before: plan.snapshot,
      after: snapshot,
      files: all,
    });
    if (recorded.isErr()) reporter.report("warning", recorded.error.message);
    return ok(snapshot === plan.snapshot ? undefined : { snapshot, fixed });
  });
}

function filesOf(job: FixJob, { scopes }: FixPlan, allowed: ReadonlySet<string>): string[] {
  return (scopes.get(job.id)?.files ?? []).filter((file) => allowed.has(file));
}

/** Runs the command like that of a check, with its time limit and a log. */
async function runFix(
  { options, logDir, now, signal, reporter }: GauntletRunContext,
  job: FixJob,
  files: readonly string[],
  run: number
): Promise<void> {
  const { runtime, projectDir } = options;
  const { rerunCommand: _, ...gate } = job.gate;
  const { result } = await runCheck(
    runtime,
    { ...job, gate: { ...gate, command: gate.fix } },
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
  if (result.outcome === "passed" || result.outcome === "no_files") return;
  const why = result.message ?? result.outcome;
  reporter.report("warning", messages.fixFailed(visible(job.id), why, result.logPath));
}

/** Returns whether the command gets files. Otherwise it has the whole working tree (`fix_scope: all`). */
function getsFiles({ gate }: FixJob): boolean {
  return parseCommand(gate.fix).placeholder !== undefined;
}
