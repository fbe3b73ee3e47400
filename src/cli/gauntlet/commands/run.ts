/**
 * `mux-stop-hooks run`, `check` and `review`: require trust in the gates, run them, show their progress, and write
 * reports (G24a, G30). These commands skip the gates that `MUX_STOP_HOOKS_SKIP` names (G42), and warn of a Stop hook
 * that was removed or does not start.
 */
import { type CliContext, EXIT, type ExitCode, printError, interruptible } from "@/cli/context";
import { withProject, type PlaceOption, type Project } from "@/cli/gauntlet/project";
import { openRunOutput } from "@/cli/gauntlet/render/printEvents";
import { requireTrust } from "@/cli/gauntlet/trust/requireTrust";
import { describeError } from "@/common/errors";
import {
  loadGauntletConfig,
  type GauntletConfig,
} from "@/node/services/gauntlet/config/loadConfig";
import type { ReportRequest } from "@/node/services/gauntlet/domain/runReportFormats";
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import type * as runs from "@/node/services/gauntlet/run/runOptions";

/** Options that select the changes to check. */
export interface ScopeOptions extends PlaceOption {
  readonly baseBranch?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
}

export interface ShardOptions {
  readonly job?: number;
  readonly jobTotal?: number;
}

export interface GauntletRunCommandOptions
  extends ScopeOptions, ShardOptions, Pick<runs.RunOptions, "all" | "force" | "fix" | "pushing"> {
  readonly gate?: readonly string[];
  /** False with `--no-cache`. */
  readonly cache: boolean;
  readonly json?: boolean;
  readonly report?: readonly ReportRequest[];
  readonly verbose?: boolean;
  readonly quiet?: boolean;
}

const SKIP_VARIABLE = "MUX_STOP_HOOKS_SKIP";

/** Runs the gates. @param kind the kind of the gates to run; both if absent */
export async function run(
  options: GauntletRunCommandOptions,
  context: CliContext,
  kind?: GateDefinition["kind"]
): Promise<ExitCode> {
  const printResult = (result: RunResult): void => {
    if (options.json === true) context.stdout.write(`${JSON.stringify(result)}\n`);
  };
  const given = options.report ?? [];
  // In GitHub Actions, `github` is one of the reports.
  const isDefault =
    context.env.GITHUB_ACTIONS === "true" && !given.some(({ format }) => format === "github");
  const requests = isDefault ? [...given, { format: "github" } as const] : given;
  const report = async (
    result: RunResult,
    { runtime, dir: projectDir }: Project,
    trusted: GauntletConfig | undefined,
    startedAt: Date
  ): Promise<void> => {
    const { env, cwd, stderr } = context;
    const loaded =
      trusted === undefined ? await loadGauntletConfig(runtime, projectDir, { env }) : undefined;
    const config = trusted ?? (loaded?.kind === "valid" ? loaded.config : undefined);
    if (requests.length === 0 && config?.reports === undefined) return;
    const { createReport } = await import("@/node/services/gauntlet/run/reports/createReport");
    const { writeConfigured } = await import("@/node/services/gauntlet/run/reports/writeReports");
    const { writeReports } = await import("@/cli/gauntlet/commands/report");
    const run = {
      ...{ runtime, projectDir, config, env, result, startedAt },
      ...{ baseBranch: options.baseBranch, scope: scopeOf(options) },
      logDir: config === undefined ? projectDir : await logDirOf(runtime, projectDir, config),
      durationMs: Date.now() - startedAt.getTime(),
    };
    // With --json, standard output has only the result.
    const stdout = options.json === true ? stderr : context.stdout;
    const problems: string[] = [];
    if (requests.length > 0) {
      const outputs = { stdout, stderr, env, cwd };
      problems.push(...(await writeReports(requests, await createReport(run), outputs)));
    }
    const isConfigured = config !== undefined && result.consoleLogPath !== undefined;
    if (isConfigured) problems.push(...(await writeConfigured(run, config)));
    for (const problem of problems) printError(context, problem);
  };
  const runGates = async (project: Project): Promise<ExitCode> => {
    const { runtime, dir } = project;
    const trusted = await requireTrust(project, context);
    if (trusted.isErr()) {
      const code = printError(context, trusted.error);
      printResult(createResult("stop_hook_disabled", { errorMessage: trusted.error }));
      return code;
    }
    const { config, notice } = trusted.value;
    if (notice !== undefined) printError(context, notice);
    const output = openRunOutput(runtime, context, {
      plain: options.json === true,
      detail: options.verbose === true ? "verbose" : options.quiet === true ? "quiet" : "normal",
    });
    // Not imported above, because the bundle of a stop contains this file. It reads files while the run waits for git.
    const vanished = import("@/cli/gauntlet/doctor/findVanishedHook")
      .then(({ findVanishedHook }) => findVanishedHook(project, context))
      .catch(describeError);
    const startedAt = new Date();
    const { cache: useCache, gate: gates, baseBranch, all, force, fix, pushing } = options;
    const code = await interruptible(context, async (signal) => {
      const result = await executeRun({
        ...{ runtime, projectDir: dir, config, signal, env: context.env, kind },
        ...{ useCache, gates, baseBranch, all, force, fix, pushing },
        listener: output.listener,
        scope: scopeOf(options),
        shard: shardOf(options),
        skip: skipOf(context.env),
      });
      await output.end();
      printResult(result);
      await report(result, project, config, startedAt);
      return isSuccessStatus(result.status) ? EXIT.ok : EXIT.failure;
    });
    const message = await vanished;
    if (message !== undefined) printError(context, message);
    return code;
  };
  return await withProject(context, runGates, options, () => {
    printResult(createResult("no_config", { shard: shardOf(options) }));
    return undefined;
  });
}

/** Returns the changes that the options select; undefined for the default. */
export function scopeOf({ commit, uncommitted }: ScopeOptions): runs.RunScope | undefined {
  if (commit !== undefined) return { kind: "commit", commit };
  return uncommitted === true ? { kind: "uncommitted" } : undefined;
}

/** Returns the gates that the variable names, separated by commas. The Stop hook does not read it (G42). */
function skipOf(env: Readonly<NodeJS.ProcessEnv>): runs.SkippedGates | undefined {
  const names = (env[SKIP_VARIABLE] ?? "").split(",").map((name) => name.trim());
  const given = names.filter((name) => name !== "");
  return given.length === 0 ? undefined : { names: given, why: `by ${SKIP_VARIABLE}` };
}

function shardOf({ job, jobTotal }: ShardOptions): runs.Shard | undefined {
  return job === undefined || jobTotal === undefined ? undefined : { job, jobTotal };
}
