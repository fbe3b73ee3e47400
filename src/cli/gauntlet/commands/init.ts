/**
 * `agent-gauntlet init`: creates the first configuration from the project's own commands, and installs the gauntlet as
 * a Stop hook of agents (G29).
 */
import { signalExitCode, type CliContext } from "@/cli/context";
import type { GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { EXIT } from "@/cli/gauntlet/exitCodes";
import { findInitFolder } from "@/cli/gauntlet/init/folder";
import { InitPlan } from "@/cli/gauntlet/init/InitPlan";
import { changesOf, choose, defaultChoice, type Choice } from "@/cli/gauntlet/init/screen/choose";
import { Setup } from "@/cli/gauntlet/init/Setup";
import { runTrials } from "@/cli/gauntlet/init/trial/runTrials";
import { interruptible } from "@/cli/gauntlet/interruptible";
import * as messages from "@/cli/gauntlet/messages/initScreen";
import { createRuntime } from "@/wiring";

export interface InitOptions {
  /** Accept the proposed checks without a screen. */
  readonly yes?: boolean;
  /** Install the hook for these agents. */
  readonly hook?: readonly string[];
  /** Whether to run the selected checks once; the default is true. */
  readonly try?: boolean;
  /** Print the changes, and write nothing. */
  readonly dryRun?: boolean;
}

/** Reports a step that fails, and continues with the others. */
export async function init(options: InitOptions, context: CliContext): Promise<GauntletExitCode> {
  const { env, home, program, stdout } = context;
  const runtime = createRuntime(env);
  const projectDir = await findInitFolder(runtime, context);
  const place = { runtime, projectDir, env, home, program };
  return await interruptible(context, async (signal) => {
    const plan = await InitPlan.create(place);
    const initial = defaultChoice(plan, options.hook ?? []);
    if (options.dryRun === true) {
      const lines = [...(await changesOf(plan, initial)), messages.DRY_RUN];
      stdout.write(`${lines.join("\n")}\n`);
      return EXIT.ok;
    }
    const asks = options.yes !== true && isAtTerminal(context);
    const choice = asks ? await choose(plan, initial, signal, context) : initial;
    if (choice === undefined || signal.aborted) return cancelled(context);
    const agreed = asks || options.yes === true;
    return await carryOut(plan, choice, {
      ...{ context, signal },
      tries: agreed && options.try !== false,
    });
  });
}

interface CarryOut {
  readonly context: CliContext;
  readonly signal: AbortSignal;
  /** Whether the checks are tried before they are written. */
  readonly tries: boolean;
}

async function carryOut(
  plan: InitPlan,
  { checks, hosts }: Choice,
  { context, signal, tries }: CarryOut
): Promise<GauntletExitCode> {
  const { stdout } = context;
  const selected = plan.checks.filter(({ name }) => checks.has(name));
  const setup = await Setup.begin(plan.place, context);
  for (const { name, program } of plan.unavailable) {
    stdout.write(`${messages.programMissing(name, program)}\n`);
  }
  const trials = tries ? await runTrials(selected, plan.place, signal, context) : new Map();
  if (signal.aborted) return cancelled(context);
  if (plan.isNew) {
    if (selected.length === 0) stdout.write(`${messages.NO_CHECKS}\n`);
    else if (!tries) stdout.write(`${messages.NOT_TRIED}\n`);
    await setup.writeConfig(plan.configFiles(checks, trials, new Date()));
  } else {
    setup.keepConfig();
  }
  for (const planned of plan.hosts) {
    if (hosts.has(planned.host.name)) await setup.installHook(planned);
  }
  return await setup.finish();
}

function cancelled({ stdout }: CliContext): GauntletExitCode {
  stdout.write(`${messages.CANCELLED}\n`);
  return signalExitCode("SIGINT");
}

function isAtTerminal({ stdin, stdout }: CliContext): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
