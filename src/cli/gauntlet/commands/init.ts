/**
 * `mux-stop-hooks init`: creates the first configuration from the project's own commands, and installs the gauntlet as
 * a Stop hook of agents (G29).
 */
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
import { notInAgent, recording, running } from "@/cli/gauntlet/messages/known";
import { printError } from "@/cli/render/printError";
import { agentVariable, withHome } from "@/cli/gauntlet/personOnly";
import { recordEnd } from "@/cli/gauntlet/render/recordEnd";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { analyzeCheck } from "@/cli/gauntlet/init/detect/splitChecks";
import { recordKnown } from "@/node/services/gauntlet/run/known/recordKnown";
import { nameIn } from "@/cli/gauntlet/doctor/report";
import { makeRepairs } from "@/cli/gauntlet/doctor/repair";
import { oldLogEdits } from "@/cli/gauntlet/init/oldLogs";
import { oldLogs, REMOVE_OLD_LOGS } from "@/cli/gauntlet/messages/init";
import { confirm } from "@/cli/render/confirm";
import * as messages from "@/cli/gauntlet/messages/initScreen";
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
      const lines = [...(await changesOf(plan, named, { shared, limit })), messages.DRY_RUN];
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
    stdout.write(`${messages.programMissing(name, program)}\n`);
  }
  const trials: ReadonlyMap<string, Trial> = tries
    ? await runTrials(selected, plan.place, signal, context)
    : new Map<string, Trial>();
  if (signal.aborted) return cancelled(context);
  const trustsCodex =
    options.trustCodex === true ||
    (asks && hosts.has("codex") && (await confirm(messages.TRUST_CODEX, context)));
  const setup = await Setup.begin(plan.place, context, { trustCodex: trustsCodex });
  if (plan.isNew) {
    const files = plan.configFiles(checks, trials, new Date());
    if (files.some(({ path }) => path === EXAMPLE_PATH)) {
      stdout.write(`${messages.exampleWritten(whyExample(plan, checks), EXAMPLE_PATH)}\n`);
    } else if (!tries) stdout.write(`${messages.checksNotTried()}\n`);
    await setup.writeConfig(files);
  } else {
    setup.keepConfig();
    const edits = await oldLogEdits(plan.place);
    if (edits.length > 0 && asks && (await confirm(REMOVE_OLD_LOGS, context))) {
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
    stdout.write(`${notInAgent(marker)}\n`);
    return;
  }
  const { runtime, projectDir } = place;
  const loaded = await loadGauntletConfig(runtime, projectDir);
  if (loaded.kind !== "valid") return;
  stdout.write(`${recording(gates.length)}\n`);
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
  if (checks.length + unavailable.length === 0) return messages.NONE_FOUND;
  return checks.length > 0 && selected.size === 0 ? messages.NONE_SELECTED : messages.NONE_USABLE;
}

function cancelled({ stdout }: CliContext): ExitCode {
  stdout.write(`${messages.CANCELLED}\n`);
  return signalExitCode("SIGINT");
}

function isAtTerminal({ stdin, stdout }: CliContext): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
