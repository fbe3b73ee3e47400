/**
 * `mux-stop-hooks plan` shows the jobs of a run, with `--job-total` also the shard of each (a part for one machine of a
 * CI), without regard to passes and failures recorded here, as text or as JSON for a CI matrix; `detect` shows the
 * changed files and the jobs that a run here would start. Both run no gates.
 */
import type { Result } from "neverthrow";
import { EXIT, interruptible, printError, type CliContext, type ExitCode } from "@/cli/context";
import { scopeOf, type ScopeOptions } from "@/cli/gauntlet/commands/run";
import { inProject, type ConfiguredProject } from "@/cli/gauntlet/project";
import { alignColumns, oneLine } from "@/cli/render/formatText";
import { plainText, visible, plural, clip } from "@/common/safeText";
import * as detection from "@/node/services/gauntlet/run/plan/previewJobs";
import { configWithMeaning } from "@/node/services/gauntlet/run/plan/oldGlobMeaning";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { commandOf } from "@/node/services/gauntlet/gates/runCheck";
import { NO_GATES_MATCH } from "@/node/services/gauntlet/messages/shared";
import { shardOfJob } from "@/node/services/gauntlet/run/shards/assignShards";

/** Prints the jobs of a run, and with `--job-total` the shard of each. */
export async function plan(
  options: ScopeOptions & { readonly jobTotal?: number; readonly json?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const { jobTotal, json } = options;
  return await printFound(options, context, async (place, written) => {
    const config = await configWithMeaning(place.runtime, place.projectDir, written);
    return (await detection.planJobs(place, config)).map((found) => ({
      warnings: found.warnings,
      lines: json === true ? [JSON.stringify(toJson(found, jobTotal))] : planLines(found, jobTotal),
    }));
  });
}

/** Prints the changed files, and the gates that a run would start. */
export async function detect(options: ScopeOptions, context: CliContext): Promise<ExitCode> {
  return await printFound(options, context, async (place, config) =>
    (await detection.previewJobs(place, config)).map((found) => ({
      warnings: found.warnings,
      lines: [...changeLines(found), ...jobLines(found)],
    }))
  );
}

/** Prints what `find` returns about the changes of the project, or its error. */
async function printFound(
  options: ScopeOptions,
  context: CliContext,
  find: (
    place: detection.DetectOptions,
    config: GauntletConfig
  ) => Promise<Result<{ warnings: readonly string[]; lines: string[] }, { message: string }>>
): Promise<ExitCode> {
  const { stdout, stderr, env } = context;
  const print = ({ runtime, dir, config }: ConfiguredProject): Promise<ExitCode> =>
    interruptible(context, async (signal) => {
      const { baseBranch } = options;
      const place = { runtime, projectDir: dir, env, signal, baseBranch, scope: scopeOf(options) };
      const found = await find(place, config);
      if (found.isErr()) return printError(context, found.error.message);
      const { warnings, lines } = found.value;
      for (const text of warnings) stderr.write(`Warning: ${plainText(text)}\n`);
      stdout.write(`${lines.join("\n")}\n`);
      return EXIT.ok;
    });
  return await inProject(context, print, options);
}

function toJson({ of: { snapshot, base, config }, jobs }: detection.SharedPlan, jobTotal?: number) {
  const listed = jobs.map(({ id, gate, entryPoint }) => ({
    ...{ id, kind: gate.kind, gate: gate.name, entryPoint },
    shard: jobTotal === undefined ? undefined : shardOfJob(id, jobTotal),
  }));
  const shared = { snapshot, base, config, jobs: listed };
  return jobTotal === undefined ? shared : { jobTotal, parts: partsOf(jobs, jobTotal), ...shared };
}

/** Returns the shards that have a job; else the first one, because a matrix must not be empty. */
function partsOf(jobs: detection.SharedPlan["jobs"], jobTotal: number): number[] {
  if (jobs.length === 0) return [0];
  return [...new Set(jobs.map(({ id }) => shardOfJob(id, jobTotal)))].sort((a, b) => a - b);
}

function planLines(
  { of: { snapshot, base }, jobs }: detection.SharedPlan,
  jobTotal?: number
): string[] {
  if (jobs.length === 0) return ["There are no jobs to divide into shards: no gate would run."];
  const compared = base === undefined ? "" : `, compared with ${visible(base)}`;
  const heading = `${plural(jobs.length, "job")} for the changed files (snapshot of the files: ${snapshot}${compared}):`;
  const note = jobTotal === undefined ? [] : ["Shards are numbered from 0."];
  const rows = jobs.map(({ id }) => [
    `  ${visible(id)}`,
    jobTotal === undefined ? "" : `shard ${shardOfJob(id, jobTotal)} of ${jobTotal}`,
  ]);
  return [heading, ...alignColumns(rows), ...note];
}

const MAX_COMMAND_CHARS = 100;

function changeLines({ changed }: detection.Detection): string[] {
  // Scripts match this line.
  const found = `Found ${changed.length} changed files`;
  if (changed.length === 0) return [found];
  return [`${found}:`, ...changed.map((path) => `  - ${visible(path)}`), ""];
}

function jobLines({ isRerun, jobs, changed, hasChanges }: detection.Detection): string[] {
  if (jobs.length > 0) {
    const rows = jobs.map(({ id, gate }) => [
      `  ${visible(id)}`,
      gate.kind === "check" ? clip(oneLine(commandOf(gate, isRerun)), MAX_COMMAND_CHARS) : "",
    ]);
    return ["Would run:", ...alignColumns(rows)];
  }
  if (changed.length === 0) return ["No gate would run."];
  const why = hasChanges ? NO_GATES_MATCH : "every gate has passed on these files";
  return [`No gate would run: ${why}.`];
}
