/** `mux-stop-hooks known`: records, lists and removes the failures that are older than the work (G44, G47). */
import { posix } from "node:path";
import { EXIT, interruptible, printError, type CliContext, type ExitCode } from "@/cli/context";
import { whyNotForPerson, withHome } from "@/cli/gauntlet/personOnly";
import { inProject, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { recordAndPrint } from "@/cli/gauntlet/render/recordEnd";
import { requireTrust } from "@/cli/gauntlet/trust/runTrust";
import { pathForUser } from "@/cli/render/format";
import { plural, visible } from "@/common/text";
import type { KnownFailure } from "@/node/services/gauntlet/known/identity";
import { forgetKnownRun, knownRecords } from "@/node/services/gauntlet/run/known/knownRecords";

interface KnownOptions extends PlaceOption {
  /** Names of the only gates. */
  readonly gate?: readonly string[];
  readonly shared?: boolean;
}

/** Records what fails at HEAD. Refused where an agent could have called it. */
async function record(
  { gate, shared = false, workspace }: KnownOptions,
  context: CliContext
): Promise<ExitCode> {
  const refusal = whyNotForPerson("known record", context);
  if (refusal !== undefined) return printError(context, refusal);
  const recordIn = async ({ runtime, dir, config: written, logDir }: ConfiguredProject) =>
    await interruptible(context, async (signal) => {
      const trusted = await requireTrust({ runtime, dir }, context);
      if (trusted.isErr()) return printError(context, trusted.error);
      const { config = written } = trusted.value;
      const place = { runtime, projectDir: dir, config, signal };
      const done = await recordAndPrint({ ...place, gates: gate, isShared: shared }, context);
      if (done.isErr()) return printError(context, done.error.message);
      await forgetKnownRun(runtime, logDir);
      if (!done.value.some(({ kind }) => kind !== "passed"))
        context.stdout.write("No check fails, so there is nothing to record.\n");
      return done.value.some(({ kind }) => kind === "refused") ? EXIT.failure : EXIT.ok;
    });
  return await inProject(context, recordIn, { workspace });
}

async function list(options: KnownOptions, context: CliContext): Promise<ExitCode> {
  return await withRecords(options, context, async (records) => {
    const lines = records.flatMap((one) => [
      recordHeading(one, context),
      ...one.failures.map(({ failure, isFixed }) => failureLine(failure, isFixed)),
    ]);
    context.stdout.write(
      `${lines.length === 0 ? "No failures are recorded." : lines.join("\n")}\n`
    );
    return Promise.resolve(EXIT.ok);
  });
}

/** Removes the failures that no longer occur from the records. An agent may do this, because less is known then. */
async function prune(options: KnownOptions, context: CliContext): Promise<ExitCode> {
  return await withRecords(options, context, async (records) => {
    for (const one of records) {
      const pruned = await one.prune();
      if (pruned.isErr()) return printError(context, pruned.error);
      context.stdout.write(
        `${visible(one.check)}: ${plural(pruned.value, "failure")} removed that no longer ${pruned.value === 1 ? "occurs" : "occur"}\n`
      );
    }
    return EXIT.ok;
  });
}

/** Removes records. An agent may do this, because nothing is known then. */
async function clear(options: KnownOptions, context: CliContext): Promise<ExitCode> {
  return await withRecords(options, context, async (records) => {
    for (const { check, path, remove } of records) {
      const removed = await remove();
      if (removed.isErr()) return printError(context, removed.error.message);
      context.stdout.write(`${visible(check)}: removed ${pathForUser(path, context)}\n`);
    }
    return EXIT.ok;
  });
}

type Records = Awaited<ReturnType<typeof knownRecords>>;

async function withRecords(
  { gate, workspace }: KnownOptions,
  context: CliContext,
  act: (records: Records) => Promise<ExitCode>
): Promise<ExitCode> {
  const actIn = async ({ runtime, dir, config, logDir }: ConfiguredProject) => {
    const env = withHome(context);
    const records = await knownRecords({ runtime, projectDir: dir, config, env });
    const wanted = records.filter(
      ({ check }) => gate?.includes(posix.basename(check.replaceAll(":", "/"))) ?? true
    );
    const code = await act(wanted);
    await forgetKnownRun(runtime, logDir);
    return code;
  };
  return await inProject(context, actIn, { workspace });
}

function recordHeading(
  { check, at, commit, isShared, isTrusted, path }: Records[number],
  context: CliContext
): string {
  const kind = isShared ? "shared" : "local";
  const doubt = isTrusted ? "" : "; it does not count, because this command did not write it";
  return `${visible(check)} (${kind}, recorded on ${at} at ${commit.slice(0, 10)}${doubt}): ${pathForUser(path, context)}`;
}

function failureLine(failure: KnownFailure, isFixed: boolean): string {
  const { file, test, rule, message, line, nth, flaky } = failure;
  const parts = [file, test ?? rule ?? message ?? line, nth === undefined ? undefined : `(${nth})`];
  const text = parts.filter((part) => part !== undefined).join(" ");
  const state = flaky === true ? " (flaky)" : isFixed ? " (no longer occurs)" : "";
  return `  ${visible(text)}${state}`;
}

const ACTIONS = { record, list, prune, clear };

export async function known(
  action: keyof typeof ACTIONS,
  options: KnownOptions,
  context: CliContext
): Promise<ExitCode> {
  return await ACTIONS[action](options, context);
}
