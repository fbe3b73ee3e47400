/**
 * `mux-stop-hooks init`: creates a configuration from the project's own commands, or adds checks to it, tries these
 * checks once, and records what fails today (G29, G44). Installs the gauntlet as a Stop hook of agents, and on request
 * as git's pre-push hook and as a CI workflow. With a configuration, `--limit` changes only the hooks' time limit.
 */
import { shownCommand } from "@/common/ownCommandName";
import * as cli from "@/cli/context";
import { GIT, NO_HOST, type CiName } from "@/cli/gauntlet/options";
import type { FirstCheck } from "@/cli/gauntlet/init/configText";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { plural, visible } from "@/common/safeText";
import { describeGitHook, installGitHook } from "@/cli/gauntlet/init/hooks/gitHook";
import { describeWorkflow, writeWorkflow } from "@/cli/gauntlet/init/ciWorkflow";
import { findInitPlace } from "@/cli/gauntlet/init/targetProject";
import { InitPlan } from "@/cli/gauntlet/init/InitPlan";
import { changesOf, choose, namedChoice, type Choice } from "@/cli/gauntlet/init/screen";
import { Setup } from "@/cli/gauntlet/init/Setup";
import { runTrials, type Trial } from "@/cli/gauntlet/init/tryChecks";
import { oldLogs } from "@/cli/gauntlet/messages/shared";
import { agentVariable } from "@/cli/gauntlet/personOnly";
import { recordAndPrint } from "@/cli/gauntlet/commands/knownFailures";
import { isTrusted } from "@/cli/gauntlet/init/hooks/hookTrust";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { nameIn } from "@/cli/gauntlet/doctor/finding";
import { makeRepairs, oldLogEdits } from "@/cli/gauntlet/doctor/makeRepairs";
import { askFor, confirm } from "@/cli/render/confirm";
import { beginGates } from "@/node/services/hooks/index";
import { findTrustStore } from "@/wiring";

export interface InitOptions {
  /** Accept the proposed checks without a screen. */
  readonly yes?: boolean;
  /** Install the hook for these hosts. `none` stands for no host. */
  readonly hook?: readonly string[];
  /** Install it for the whole team, in files that are committed. */
  readonly shared?: boolean;
  /** The time limit of the hooks in seconds. With a configuration, only that is changed. */
  readonly limit?: number;
  /** Write a workflow that runs the gates there. */
  readonly ci?: CiName;
  /** Record in Codex that the user trusts the hook. */
  readonly trustCodex?: boolean;
  /** Whether to run the selected checks once; the default is true. */
  readonly try?: boolean;
  /** Print the changes, and write nothing. */
  readonly dryRun?: boolean;
}

/** Runs `init`. Reports a step that fails, and continues with the others. */
export async function init(options: InitOptions, context: cli.CliContext): Promise<cli.ExitCode> {
  const place = await findInitPlace(context);
  const { limit, shared = false } = options;
  const hook = options.hook?.filter((name) => name !== NO_HOST && name !== GIT);
  return await cli.interruptible(context, async (signal) => {
    const plan = await InitPlan.create(place);
    const isForLimit = limit !== undefined && !plan.isNew;
    const wanted = isForLimit ? (hook ?? (await plan.installedHosts())) : hook;
    if (isForLimit && wanted?.length === 0) {
      return cli.printError(
        context,
        "no agent has the Stop hook, so there is no time limit to change; name the agent with --hook"
      );
    }
    const named = namedChoice(plan, wanted);
    if (options.dryRun === true) {
      const lines = [
        ...describeProposals(plan, named),
        ...(await changesOf(plan, named, { shared, limit })),
        ...(options.hook?.includes(GIT) === true ? await describeGitHook(place) : []),
        ...(options.ci === undefined ? [] : await describeWorkflow(options.ci, place)),
        "Nothing was written, because of --dry-run.",
      ];
      return cli.printLine(context, lines.join("\n"));
    }
    const asks = options.yes !== true && !isForLimit && cli.isAtTerminal(context);
    const choice = asks ? await choose(plan, { hook, shared, limit }, signal, context) : named;
    if (choice === undefined || signal.aborted) return cancelled(context);
    return await carryOut(plan, choice, { context, signal, asks, options });
  });
}

/** The circumstances of the steps. */
interface CarryOut {
  readonly context: cli.CliContext;
  readonly signal: AbortSignal;
  readonly options: InitOptions;
  /** Whether the user is prompted. */
  readonly asks: boolean;
}

async function carryOut(
  plan: InitPlan,
  { checks, hosts, note }: Choice,
  { context, signal, asks, options }: CarryOut
): Promise<cli.ExitCode> {
  const { stdout } = context;
  const tries = (asks || options.yes === true) && options.try !== false;
  const selected = plan.checks.filter(({ name }) => checks.has(name));
  if (!asks) {
    const lines = describeProposals(plan, { checks });
    for (const line of lines.slice(plan.isNew ? selected.length : 0)) stdout.write(`${line}\n`);
  }
  const trials = await runTrials(tries ? selected : [], plan.place, signal, context);
  const answers = await settleFailures(trials, { asks, signal, context });
  const now = new Date();
  const trustsCodex =
    options.trustCodex === true ||
    (asks &&
      !signal.aborted &&
      hosts.has("codex") &&
      (await confirm("Codex runs the hook only once you trust it. Trust it now?", context)));
  if (signal.aborted) return cancelled(context);
  const wasTrusted = await isTrusted(plan.place);
  const setup = new Setup(plan.place, context, { trustCodex: trustsCodex, asks }, wasTrusted);
  const written = plan.chosen(checks, trials).filter(({ name }) => !answers.left.has(name));
  const edit = plan.configEdit(written, now);
  const files = plan.configFiles(written, now);
  if (plan.schemas !== undefined) await setup.copySchemas(plan.schemas);
  if (written.length > 0 && !tries) {
    stdout.write(
      `The checks were not tried. Run "${shownCommand()} run --all" to run all of them.\n`
    );
  }
  if (plan.isNew) {
    if (written.length === 0) {
      stdout.write(
        `${whyExample(plan, checks)}, so an example check is written to ${CONFIG_FILE}; replace it with a command of your own.\n`
      );
    }
    await setup.writeConfig(files, written.length === 0);
  } else {
    if (edit === undefined) setup.keepConfig();
    else await setup.addChecks(files, edit);
    const edits = await oldLogEdits(plan.place);
    if (edits.length > 0 && asks && (await confirm(MOVE_LOGS, context))) {
      await makeRepairs(edits, plan.place, context);
    } else {
      for (const { path } of edits) stdout.write(`${oldLogs(nameIn(plan.place, path))}\n`);
    }
  }
  await setup.notePasses(written);
  for (const planned of await plan.planHooks(hosts, options, written)) {
    await setup.installHook(planned);
  }
  if (note && plan.note !== undefined) await setup.addNote(plan.note);
  if (asks && hosts.size === 0) {
    stdout.write(
      `No agent is selected, so no Stop hook is installed; run "${shownCommand()} init" again to select one.\n`
    );
  }
  if (trustsCodex) await setup.trustCodex();
  // Everything is installed by now, so an interrupt only ends the records.
  if (tries) await recordAtHead(plan, written, answers.all, { signal, context });
  const codes = [
    options.hook?.includes(GIT) === true ? await installGitHook(plan.place, context) : cli.EXIT.ok,
    options.ci === undefined ? cli.EXIT.ok : await writeWorkflow(options.ci, plan.place, context),
    await setup.finish(),
  ];
  return codes.find((code) => code !== cli.EXIT.ok) ?? cli.EXIT.ok;
}

const MOVE_LOGS =
  "The files of runs are in gauntlet_logs, where formatters and linters read them. Keep them in the git folder instead?";

/** Records what fails today, so that an agent is sent back only for new failures (G44). */
async function recordAtHead(
  { place }: InitPlan,
  written: readonly FirstCheck[],
  blocking: ReadonlySet<string>,
  { signal, context }: Pick<CarryOut, "signal" | "context">
): Promise<void> {
  const gates = written.flatMap(({ name, trial: { kind } = { kind: "notTried" } }) =>
    (kind === "failed" || kind === "unfinished") && !blocking.has(name) ? [name] : []
  );
  if (gates.length === 0) return;
  const { stdout } = context;
  const marker = agentVariable(context);
  if (marker !== undefined) {
    stdout.write(
      `Failures that exist today are not recorded, because ${marker} is set, so an agent may have started this. Run "${shownCommand()} known record" in a terminal.\n`
    );
    return;
  }
  const { runtime, projectDir } = place;
  // This precedes the record of the starting commit, which would look like an earlier use of gates without trust.
  const store = await findTrustStore(runtime, place);
  if (store !== undefined) await beginGates(store, new Date());
  const loaded = await loadGauntletConfig(runtime, projectDir);
  if (loaded.kind !== "valid") return;
  stdout.write(
    `\nRunning ${plural(gates.length, "check")} twice to record the failures of today (at most 5 minutes; Ctrl-C ends it):\n`
  );
  const limits = { checkMs: 120_000, totalMs: 300_000 };
  const request = { runtime, projectDir, config: loaded.config, gates, signal, limits };
  const done = await recordAndPrint({ ...request, isShared: false }, context);
  if (done.isErr()) stdout.write(`${done.error.message}\n`);
}

/** Returns a line for each command that was found, the selected ones first. */
function describeProposals(
  { checks, leftOut, isNew }: InitPlan,
  { checks: selected }: Pick<Choice, "checks">
): string[] {
  const others = checks.filter(({ name }) => !selected.has(name));
  const label = isNew ? "not selected" : "new";
  const hint = `To add one of these, select it on the screen: run "${shownCommand()} init" in a terminal.`;
  return [
    ...checks
      .filter(({ name }) => selected.has(name))
      .map(({ name, command, reason }) => `check ${name}: ${command} (${reason})`),
    ...others.map(({ name, command, reason }) => `${label}: ${name}: ${command} (${reason})`),
    ...leftOut.map(({ command, reason, why }) => `left out: ${command} (${reason}): ${why}`),
    ...(others.length === 0 ? [] : [hint]),
  ].map(visible);
}

/** Prompts what to do with each check that fails today. Without a terminal, all of them block on new failures only. */
async function settleFailures(
  trials: ReadonlyMap<string, Trial>,
  { asks, signal, context }: Pick<CarryOut, "asks" | "signal" | "context">
): Promise<Readonly<Record<"left" | "all", ReadonlySet<string>>>> {
  const chosen = { left: new Set<string>(), all: new Set<string>() };
  for (const [name, { kind }] of asks ? trials : []) {
    if (kind !== "failed" || signal.aborted) continue;
    const question = `${name} fails today. Should it block on new failures only (n, default), be left out (l), or block on all (a)?`;
    const answer = await askFor(question, ["n", "l", "a"], context);
    if (answer === "l") chosen.left.add(name);
    if (answer === "a") chosen.all.add(name);
  }
  return chosen;
}

/** Returns why the configuration gets an example in place of the project's checks. */
function whyExample({ checks, leftOut }: InitPlan, selected: ReadonlySet<string>): string {
  if (checks.length + leftOut.length === 0)
    return "No test, lint or type-check command was found in this project";
  return checks.length > 0 && selected.size === 0
    ? "No check is selected"
    : "None of the checks of this project can be used here";
}

function cancelled({ stdout }: cli.CliContext): cli.ExitCode {
  stdout.write(`Nothing was written.\n`);
  return cli.signalExitCode("SIGINT");
}
