/**
 * `mux-stop-hooks init`: creates the first configuration from the project's own commands, and installs the gauntlet as
 * a Stop hook of agents (G29).
 */
import { plural } from "@/common/text";
import { ownCommand } from "@/common/ownCommand";
import { signalExitCode, type CliContext } from "@/cli/context";
import type { ExitCode } from "@/cli/exitCodes";
import { EXIT } from "@/cli/exitCodes";
import { NO_HOST } from "@/cli/gauntlet/hookNames";
import { EXAMPLE_PATH } from "@/cli/gauntlet/init/firstConfig";
import { findInitFolder } from "@/cli/gauntlet/init/folder";
import { InitPlan } from "@/cli/gauntlet/init/InitPlan";
import { changesOf, choose, namedChoice, type Choice } from "@/cli/gauntlet/init/screen/choose";
import { Setup } from "@/cli/gauntlet/init/Setup";
import { runTrials } from "@/cli/gauntlet/init/trial/runTrials";
import type { Trial } from "@/cli/gauntlet/init/trial/tryChecks";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { running, oldLogs } from "@/cli/gauntlet/messages/shared";
import { printError } from "@/cli/render/printError";
import { agentVariable, withHome } from "@/cli/gauntlet/personOnly";
import { recordEnd } from "@/cli/gauntlet/render/recordEnd";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { analyzeCheck } from "@/cli/gauntlet/init/detect/splitChecks";
import { recordKnown } from "@/node/services/gauntlet/run/known/recordKnown";
import { nameIn } from "@/cli/gauntlet/doctor/report";
import { makeRepairs } from "@/cli/gauntlet/doctor/repair";
import { oldLogEdits } from "@/cli/gauntlet/init/oldLogs";
import { confirm } from "@/cli/render/confirm";
import { createRuntime } from "@/wiring";

export interface InitOptions {
  /** Accept the proposed checks without a screen. */
  readonly yes?: boolean;
  /** Install the hook for these hosts. `none` stands for no host. */
  readonly hook?: readonly string[];
  /** Install it for the whole team, in files that are committed. */
  readonly shared?: boolean;
  /** The time limit of the hooks in seconds. With a configuration, only that is changed. */
  readonly limit?: number;
  /** Record in Codex that the user trusts the hook. */
  readonly trustCodex?: boolean;
  /** Whether to run the selected checks once; the default is true. */
  readonly try?: boolean;
  /** Print the changes, and write nothing. */
  readonly dryRun?: boolean;
}

/** Reports a step that fails, and continues with the others. */
export async function init(options: InitOptions, context: CliContext): Promise<ExitCode> {
  const { env, home, program, stdout } = context;
  const runtime = createRuntime(env);
  const projectDir = await findInitFolder(runtime, context);
  const place = { runtime, projectDir, env, home, program };
  const { limit, shared = false } = options;
  const hook = options.hook?.filter((name) => name !== NO_HOST);
  return await interruptible(context, async (signal) => {
    const plan = await InitPlan.create(place);
    const isForLimit = limit !== undefined && !plan.isNew;
    const wanted = isForLimit ? (hook ?? (await plan.installedHosts())) : hook;
    if (isForLimit && wanted?.length === 0) {
      return printError(
        context,
        "no agent has the Stop hook, so there is no time limit to change; name the agent with --hook"
      );
    }
    const named = namedChoice(plan, { hook: wanted });
    if (options.dryRun === true) {
      const lines = [
        ...(await changesOf(plan, named, { shared, limit })),
        "Nothing was written, because of --dry-run.",
      ];
      stdout.write(`${lines.join("\n")}\n`);
      return EXIT.ok;
    }
    const asks = options.yes !== true && !isForLimit && isAtTerminal(context);
    const choice = asks ? await choose(plan, { hook, shared, limit }, signal, context) : named;
    if (choice === undefined || signal.aborted) return cancelled(context);
    const tries = (asks || options.yes === true) && options.try !== false;
    return await carryOut(plan, choice, { context, signal, asks, tries, options });
  });
}

interface CarryOut {
  readonly context: CliContext;
  readonly signal: AbortSignal;
  readonly options: InitOptions;
  /** Whether the user can be asked. */
  readonly asks: boolean;
  /** Whether the checks are tried before they are written. */
  readonly tries: boolean;
}

async function carryOut(
  plan: InitPlan,
  { checks, hosts }: Choice,
  { context, signal, asks, tries, options }: CarryOut
): Promise<ExitCode> {
  const { stdout } = context;
  const selected = plan.checks.filter(({ name }) => checks.has(name));
  for (const { name, program } of plan.unavailable) {
    stdout.write(
      `the check ${name} is left out, because ${program} was not found; install it and add the check by hand\n`
    );
  }
  const trials: ReadonlyMap<string, Trial> = tries
    ? await runTrials(selected, plan.place, signal, context)
    : new Map<string, Trial>();
  if (signal.aborted) return cancelled(context);
  const trustsCodex =
    options.trustCodex === true ||
    (asks &&
      hosts.has("codex") &&
      (await confirm("Codex runs the hook only once you trust it. Trust it now?", context)));
  const setup = await Setup.begin(plan.place, context, { trustCodex: trustsCodex });
  if (plan.isNew) {
    const files = plan.configFiles(checks, trials, new Date());
    if (files.some(({ path }) => path === EXAMPLE_PATH)) {
      stdout.write(
        `${whyExample(plan, checks)}, so an example check is written to ${EXAMPLE_PATH}; replace it with a command of your own.\n`
      );
    } else if (!tries)
      stdout.write(
        `The checks were not tried. Run "${ownCommand()} run --all" to run all of them.\n`
      );
    await setup.writeConfig(files);
  } else {
    setup.keepConfig();
    const edits = await oldLogEdits(plan.place);
    if (
      edits.length > 0 &&
      asks &&
      (await confirm(
        "The files of runs are in gauntlet_logs, where formatters and linters read them. Keep them in the git folder instead?",
        context
      ))
    ) {
      await makeRepairs(edits, plan.place, context);
    } else {
      for (const { path } of edits) stdout.write(`${oldLogs(nameIn(plan.place, path))}\n`);
    }
  }
  for (const planned of await plan.planHooks(hosts, options)) {
    await setup.installHook(planned);
  }
  if (trustsCodex) await setup.trustCodex();
  // Everything is installed by now, so an interrupt only ends the records.
  if (plan.isNew && tries) await recordFailures(plan, trials, signal, context);
  return await setup.finish();
}

const RECORD_LIMITS = { checkMs: 120_000, totalMs: 300_000 };

/** Records what fails today, so that an agent is sent back only for new failures (G44). */
async function recordFailures(
  { place }: InitPlan,
  trials: ReadonlyMap<string, Trial>,
  signal: AbortSignal,
  context: CliContext
): Promise<void> {
  const gates = [...trials].flatMap(([name, { kind }]) =>
    kind === "failed" || kind === "unfinished" ? [name] : []
  );
  if (gates.length === 0) return;
  const { stdout } = context;
  const env = withHome(context);
  const marker = agentVariable(context);
  if (marker !== undefined) {
    stdout.write(
      `Failures that exist today are not recorded, because ${marker} is set, so an agent may have started this. Run "${ownCommand()} known record" in a terminal.\n`
    );
    return;
  }
  const { runtime, projectDir } = place;
  const loaded = await loadGauntletConfig(runtime, projectDir);
  if (loaded.kind !== "valid") return;
  stdout.write(
    `\nRunning ${plural(gates.length, "check")} twice to record the failures of today (at most 5 minutes; Ctrl-C ends it):\n`
  );
  const done = await recordKnown({
    ...{ runtime, projectDir, config: loaded.config, env, gates, signal },
    ...{ isShared: false, limits: RECORD_LIMITS, now: () => new Date() },
    onStart: ({ id, gate }) => {
      stdout.write(`${running(id, gate.command)}\n`);
    },
    analyze: async (job) => await analyzeCheck(runtime, projectDir, job),
    onEnd: (end) => void stdout.write(`${recordEnd(end, context)}\n`),
  });
  if (done.isErr()) stdout.write(`${done.error.message}\n`);
}

/** Returns why the configuration has none of the checks. */
function whyExample({ checks, unavailable }: InitPlan, selected: ReadonlySet<string>): string {
  if (checks.length + unavailable.length === 0)
    return "No test, lint or type-check command was found in this project";
  return checks.length > 0 && selected.size === 0
    ? "No check is selected"
    : "None of the checks of this project can be used here";
}

function cancelled({ stdout }: CliContext): ExitCode {
  stdout.write(`Nothing was written.\n`);
  return signalExitCode("SIGINT");
}

function isAtTerminal({ stdin, stdout }: CliContext): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
