/**
 * `mux-stop-hooks known`: records, lists and removes the failures of checks that exist before an agent's work, which
 * therefore do not block it (G44, G47). Only a person may record; an agent may remove. `init` records with a function
 * of this file.
 */
import type { Result } from "neverthrow";
import { EXIT, interruptible, printError, type CliContext, type ExitCode } from "@/cli/context";
import { whyNotForPerson, withHome } from "@/cli/gauntlet/personOnly";
import { inProject, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { requireTrust } from "@/cli/gauntlet/trust/requireTrust";
import { pathForUser } from "@/cli/render/formatText";
import { plural, visible } from "@/common/safeText";
import type { KnownFailure } from "@/node/services/gauntlet/known/failureIdentity";
import { forgetKnownRun, knownRecords } from "@/node/services/gauntlet/run/known/manageRecords";
import { selectGates } from "@/node/services/gauntlet/run/runOptions";
import { analyzeCheck } from "@/cli/gauntlet/init/detect/improveChecks";
import { styleFor } from "@/cli/render/style";
import * as recording from "@/node/services/gauntlet/run/known/recordAtHead";

interface KnownOptions extends PlaceOption {
  /** Names of the only gates. */
  readonly gate?: readonly string[];
  readonly shared?: boolean;
}

/** Records the failures at HEAD. Refuses if an agent could have started the command. */
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

type Records = Awaited<ReturnType<typeof knownRecords>>;
type UseRecords = (records: Records, context: CliContext) => Promise<ExitCode>;

/** Lists the records and their failures. */
const list: UseRecords = (records, context) => {
  const lines = records.flatMap((one) => [
    recordHeading(one, context),
    ...one.failures.map(({ failure, isFixed }) => failureLine(failure, isFixed)),
  ]);
  context.stdout.write(`${lines.length === 0 ? "No failures are recorded." : lines.join("\n")}\n`);
  return Promise.resolve(EXIT.ok);
};

/** Removes the failures that no longer occur from the records. An agent may do this, because less is known then. */
const prune = reducing(async (one) =>
  (await one.prune()).map(
    (count) =>
      `${plural(count, "failure")} removed that no longer ${count === 1 ? "occurs" : "occur"}`
  )
);

/** Removes records. An agent may do this, because nothing is known then. */
const clear = reducing(async ({ path, remove }, context) =>
  (await remove())
    .map(() => `removed ${pathForUser(path, context)}`)
    .mapErr(({ message }) => message)
);

/** Returns an action for each record. @param reduce returns what was done to a record, or why it could not be done */
function reducing(
  reduce: (record: Records[number], context: CliContext) => Promise<Result<string, string>>
): UseRecords {
  return async (records, context) => {
    for (const record of records) {
      const done = await reduce(record, context);
      if (done.isErr()) return printError(context, done.error);
      context.stdout.write(`${visible(record.check)}: ${done.value}\n`);
    }
    return EXIT.ok;
  };
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

const ACTIONS = { list, prune, clear };

export async function known(
  action: "record" | keyof typeof ACTIONS,
  options: KnownOptions,
  context: CliContext
): Promise<ExitCode> {
  if (action === "record") return await record(options, context);
  const { gate, workspace } = options;
  const actIn = async ({ runtime, dir, config, logDir }: ConfiguredProject) => {
    const env = withHome(context);
    const records = await knownRecords({ runtime, projectDir: dir, config, env });
    const isOf = ({ check }: Records[number], name: string): boolean =>
      check.replace(/#\d+$/, "").endsWith(`:${name}`);
    // A gate that was removed may have records.
    const gates = gate?.filter((name) => !records.some((record) => isOf(record, name)));
    const selected = selectGates(config, { gates }, env);
    if (selected.isErr()) return printError(context, selected.error);
    const wanted = records.filter((record) => gate?.some((name) => isOf(record, name)) ?? true);
    const code = await ACTIONS[action](wanted, context);
    if (action !== "list") await forgetKnownRun(runtime, logDir);
    return code;
  };
  return await inProject(context, actIn, { workspace });
}

type Request = Omit<recording.RecordRequest, "env" | "now" | "analyze" | "onStart" | "onEnd">;

/** Records the failures of checks, and prints the result of each. */
export async function recordAndPrint(request: Request, context: CliContext) {
  const { runtime, projectDir } = request;
  const { stdout } = context;
  return await recording.recordAtHead({
    ...request,
    env: withHome(context),
    now: () => new Date(),
    analyze: async (job) => await analyzeCheck(runtime, projectDir, job),
    onStart: ({ id, gate: { command } }) =>
      void stdout.write(`Running ${visible(id)} twice: ${visible(command)}\n`),
    onEnd: (end) => void stdout.write(`${describe(end, context)}\n`),
  });
}

function describe(end: recording.RecordEnd, context: CliContext): string {
  const { green, yellow } = styleFor(context.stdout, context.env);
  const name = visible(end.job.id);
  if (end.kind === "passed") return `${green("✓")} ${name} passes`;
  if (end.kind === "refused") {
    return `${yellow("-")} ${name} fails, but its failures are not recorded: ${visible(end.why)}`;
  }
  const { count, flaky, commit, path } = end;
  const also =
    flaky === 0 ? "" : `, and ${plural(flaky, "flaky failure")} that will be tried again`;
  return `${green("✓")} ${name}: ${plural(count, "failure")} of commit ${commit.slice(0, 10)} recorded${also} (${pathForUser(path, context)}); an agent is sent back only for new ones`;
}
