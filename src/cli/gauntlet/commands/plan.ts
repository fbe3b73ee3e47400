/** `mux-stop-hooks plan`: shows the jobs of a run, and the shard of each. Runs no gates. */
import type { CliContext } from "@/cli/context";
import { scopeOf, type ScopeOptions } from "@/cli/gauntlet/commands/run";
import { printError } from "@/cli/render/printError";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { inProject, type ConfiguredProject } from "@/cli/gauntlet/project";
import { alignColumns } from "@/cli/render/format";
import { definedOnly } from "@/common/definedOnly";
import { plainText, visible, plural } from "@/common/text";
import { configWithMeaning } from "@/node/services/gauntlet/run/plan/globMeaning";
import { planJobs, type SharedPlan } from "@/node/services/gauntlet/run/plan/detectChanges";
import { shardOfJob } from "@/node/services/gauntlet/run/shards/shard";
import { warning } from "@/cli/gauntlet/messages/shared";

export interface PlanOptions extends ScopeOptions {
  readonly jobTotal?: number;
  readonly json?: boolean;
}

export async function plan(options: PlanOptions, context: CliContext): Promise<ExitCode> {
  const { baseBranch, jobTotal, json } = options;
  const look = ({ runtime, dir, config: written }: ConfiguredProject): Promise<ExitCode> =>
    interruptible(context, async (signal) => {
      const config = await configWithMeaning(runtime, dir, written);
      const place = { runtime, projectDir: dir, env: context.env, signal };
      const scope = scopeOf(options);
      const planned = await planJobs({ ...place, ...definedOnly({ baseBranch, scope }) }, config);
      return planned.match(
        (shared) => {
          for (const text of shared.warnings) {
            context.stderr.write(`${warning(plainText(text))}\n`);
          }
          const lines = json === true ? [JSON.stringify(toJson(shared, jobTotal))] : [];
          if (json !== true) lines.push(...planLines(shared, jobTotal));
          context.stdout.write(`${lines.join("\n")}\n`);
          return EXIT.ok;
        },
        ({ message }) => printError(context, message)
      );
    });
  return await inProject(context, look, options);
}

function toJson({ of: { snapshot, base, config }, jobs }: SharedPlan, jobTotal?: number) {
  const listed = jobs.map(({ id, gate, entryPoint }) => ({
    ...{ id, kind: gate.kind, gate: gate.name, entryPoint },
    ...(jobTotal === undefined ? {} : { shard: shardOfJob(id, jobTotal) }),
  }));
  const shared = { snapshot, base, config, jobs: listed };
  return jobTotal === undefined ? shared : { jobTotal, parts: partsOf(jobs, jobTotal), ...shared };
}

/** Returns the shards that have a job; else the first one, because a matrix must not be empty. */
function partsOf(jobs: SharedPlan["jobs"], jobTotal: number): number[] {
  if (jobs.length === 0) return [0];
  return [...new Set(jobs.map(({ id }) => shardOfJob(id, jobTotal)))].sort((a, b) => a - b);
}

function planLines({ of: { snapshot, base }, jobs }: SharedPlan, jobTotal?: number): string[] {
  if (jobs.length === 0) return ["There are no jobs to divide into shards: no gate would run."];
  const comparedWith = base === undefined ? undefined : visible(base);
  const heading = jobsOfSnapshot(jobs.length, snapshot, comparedWith);
  const note = jobTotal === undefined ? [] : ["Shards are numbered from 0."];
  const rows = jobs.map(({ id }) => [
    `  ${visible(id)}`,
    jobTotal === undefined ? "" : `shard ${shardOfJob(id, jobTotal)} of ${jobTotal}`,
  ]);
  return [heading, ...alignColumns(rows), ...note];
}

/** @param base the base of the comparison, if there is one */
function jobsOfSnapshot(count: number, snapshot: string, base: string | undefined): string {
  const compared = base === undefined ? "" : `, compared with ${base}`;
  return `${plural(count, "job")} for the changed files (snapshot of the files: ${snapshot}${compared}):`;
}
