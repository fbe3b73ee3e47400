/** `agent-gauntlet run`, `check` and `review`: run gates and show their progress (G30). */
import type { CliContext } from "@/cli/context";
import { EXIT, type GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { withProject, type PlaceOption, type Project } from "@/cli/gauntlet/project";
import { shardOf, type ShardOptions } from "@/cli/gauntlet/shardOptions";
import { GateProgress } from "@/cli/gauntlet/render/gateProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor } from "@/cli/render/style";
import { definedOnly } from "@/common/definedOnly";
import type { RunListener } from "@/node/services/gauntlet/domain/events";
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import { plainLines } from "@/node/services/gauntlet/report/plainLines";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { isCi } from "@/node/services/gauntlet/change/git/baseBranch";
import type { RunScope } from "@/node/services/gauntlet/run/runOptions";

export interface ScopeOptions extends PlaceOption {
  readonly baseBranch?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
}

export interface GauntletRunCommandOptions extends ScopeOptions, ShardOptions {
  readonly gate?: readonly string[];
  /** False with `--no-cache`. */
  readonly cache: boolean;
  readonly json?: boolean;
  readonly all?: boolean;
  readonly force?: boolean;
  readonly fix?: boolean;
}

/** @param kind runs gates of this kind only */
export async function run(
  options: GauntletRunCommandOptions,
  context: CliContext,
  kind?: GateDefinition["kind"]
): Promise<GauntletExitCode> {
  const printResult = (result: RunResult): void => {
    if (options.json === true) context.stdout.write(`${JSON.stringify(result)}\n`);
  };
  const runGates = async (project: Project): Promise<GauntletExitCode> => {
    const { runtime, dir } = project;
    const code = await interruptible(context, async (signal) => {
      const result = await executeRun({
        runtime,
        projectDir: dir,
        listener: listenerFor(options, context),
        signal,
        env: context.env,
        useCache: options.cache,
        baseBranch: options.baseBranch,
        gates: options.gate,
        scope: scopeOf(options),
        shard: shardOf(options),
        kind,
        all: options.all,
        force: options.force,
        fix: options.fix,
      });
      printResult(result);
      return isSuccessStatus(result.status) ? EXIT.ok : EXIT.failure;
    });
    // Loaded late, because a stop loads this file as well.
    const { reportVanishedHook } = await import("@/cli/gauntlet/doctor/vanishedHook");
    await reportVanishedHook(project, context);
    return code;
  };
  return await withProject(context, runGates, {
    workspace: options.workspace,
    whenNone: () => {
      printResult(createResult("no_config", definedOnly({ shard: shardOf(options) })));
    },
  });
}

export function scopeOf({ commit, uncommitted }: ScopeOptions): RunScope | undefined {
  if (commit !== undefined) return { kind: "commit", commit };
  return uncommitted === true ? { kind: "uncommitted" } : undefined;
}

function listenerFor(
  { json }: GauntletRunCommandOptions,
  { stderr, env, clock }: CliContext
): RunListener {
  const live = isLive(stderr, env) && json !== true && !isCi(env);
  if (!live) {
    return (event) => {
      for (const line of plainLines(event)) stderr.write(`${line}\n`);
    };
  }
  const lines = new LiveLines(stderr, live);
  const progress = new GateProgress({ lines, style: styleFor(stderr, env), clock });
  return (event) => {
    progress.onEvent(event);
  };
}
