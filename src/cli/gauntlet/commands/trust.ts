/**
 * `mux-stop-hooks trust`: shows the commands of a project's gates, and records, revokes or denies trust in them, or in
 * those of all projects where a stop waits for it (G24a). Only a person may change it. Also has the prompt for trust of
 * `run`.
 */
import * as messages from "@/cli/gauntlet/messages/gateTrust";
import { type Result, err, ok } from "neverthrow";
import { type CliContext, EXIT, type ExitCode, printError, printLine } from "@/cli/context";
import { whyNotForAgents, whyNotForPerson } from "@/cli/gauntlet/personOnly";
import { printProblems, withProject, type PlaceOption, type Project } from "@/cli/gauntlet/project";
import { areSame, readGates, readTrust, type FoundGates } from "@/cli/gauntlet/trust/gateTrust";
import { confirm } from "@/cli/render/confirm";
import { shownCommand } from "@/common/ownCommandName";
import { commandWord, visible } from "@/common/safeText";
import * as hooks from "@/node/services/hooks/index";
import { createRuntime, findTrustStore, trustedAs } from "@/wiring";
import { describeDifference, describeRequest } from "@/cli/render/unifiedDiff";
import { gateItems } from "@/node/services/gauntlet/hook/ConfigToTrust";

interface TrustOptions extends PlaceOption {
  readonly show?: boolean;
  readonly yes?: boolean;
  readonly revoke?: boolean;
  readonly never?: boolean;
  readonly all?: boolean;
}

export async function trust(options: TrustOptions, context: CliContext): Promise<ExitCode> {
  const refusal = options.show === true ? undefined : whyRefused(options, context);
  if (refusal !== undefined) return printError(context, refusal);
  if (options.all !== true)
    return await withProject(context, (project) => decide(project, options, context), options);
  const runtime = createRuntime(context.env);
  const store = await findTrustStore(runtime, context);
  const record = store && (await hooks.readTrustRecord(store));
  if (record === undefined) return printError(context, messages.NO_RECORD);
  if (record.isErr()) return printError(context, record.error);
  const { waiting = [] } = record.value;
  if (waiting.length === 0) context.stdout.write(`No stop waits for trust.\n`);
  let code: ExitCode = EXIT.ok;
  for (const dir of waiting) {
    if (!dir.startsWith("/")) {
      const command = `${shownCommand()} trust --workspace ${commandWord(dir)}`;
      context.stdout.write(`${visible(dir)} waits on another machine; run "${command}".\n`);
    } else if ((await decide({ runtime, dir }, options, context)) !== EXIT.ok) code = EXIT.failure;
  }
  return code;
}

/** Returns why the command is refused. `--yes` replaces the terminal, but variables show the shell of an agent. */
function whyRefused({ yes, revoke }: TrustOptions, context: CliContext): string | undefined {
  const why = yes === true || revoke === true ? whyNotForAgents : whyNotForPerson;
  return why("trust", context);
}

/** Shows the gates of one project, and changes the record as the options or the person decide. */
async function decide(
  { runtime, dir }: Project,
  options: TrustOptions,
  context: CliContext
): Promise<ExitCode> {
  const { stdout } = context;
  const store = await findTrustStore(runtime, context);
  if (store === undefined) return printError(context, messages.NO_RECORD);
  const name = trustedAs(runtime, dir);
  /** Prints that a decision is recorded, or that the one of another folder counts. */
  const report = async (done: Result<unknown, string>, text: string): Promise<ExitCode> => {
    const after = done.isErr() ? err(done.error) : await readTrust(store, runtime, dir);
    if (after.isErr()) return printError(context, after.error);
    const { sets, isRefused, main } = after.value;
    const isKept = isRefused || (options.revoke === true && sets.length > 0);
    if (isKept && options.never !== true) {
      const command = options.revoke === true ? "trust --revoke" : "trust";
      const next = `"${shownCommand()} ${main === undefined ? "hooks " : ""}${command}"`;
      const where = visible(main ?? "the folder above it whose hooks were trusted");
      return printError(
        context,
        `the trust of ${where} counts for ${visible(name)}; to change it for both, run ${next} there`
      );
    }
    return printLine(context, text);
  };
  if (options.never === true) {
    return await report(
      await hooks.refuseGates(store, name),
      `The gates of ${visible(name)} will not run, and no stop will mention them.`
    );
  }
  if (options.revoke === true) {
    return await report(
      await hooks.revokeTrust(store, name),
      `${visible(name)} is not trusted any more.`
    );
  }
  const found = await readGates(runtime, dir);
  if (found.loaded.kind === "none") {
    return await report(
      options.show === true ? ok() : await hooks.dropWaiting(store, name),
      `${visible(name)} has no configuration, so it does not wait for trust.`
    );
  }
  printProblems(context, found.loaded);
  if (found.loaded.kind !== "valid") return EXIT.failure;
  const trusted = await readTrust(store, runtime, dir);
  if (trusted.isErr()) return printError(context, trusted.error);
  const { sets, isRefused } = trusted.value;
  const before = sets.at(-1)?.files;
  stdout.write(`${describeGates({ name, found, before }, context)}\n\n`);
  if (options.show === true) {
    const isTrusted = !isRefused && sets.some(({ files }) => areSame(files, found.files));
    return printLine(context, isTrusted ? "Trusted." : "Not trusted.");
  }
  if (options.yes !== true && !(await confirm(messages.CONFIRM_GATES, context))) {
    stdout.write(`Nothing was recorded.\n`);
    return EXIT.failure;
  }
  return await report(
    await hooks.trustGates(store, name, found.files, new Date()),
    `Trusted from your next message on, as recorded in ${store.path}.`
  );
}

interface TrustQuestion {
  readonly store: hooks.TrustStore;
  /** The name of the project in the record. */
  readonly name: string;
  readonly found: FoundGates;
  /** The set that was trusted last. */
  readonly before?: hooks.GateFiles | undefined;
}

function describeGates(
  { name, found, before }: Omit<TrustQuestion, "store">,
  context: CliContext
): string {
  const definitionsOf = (files: hooks.GateFiles): hooks.Definitions => ({
    ...hooks.NO_DEFINITIONS,
    builtins: { gauntlet: { dir: "", files } },
  });
  const definitions = definitionsOf(found.files);
  const items = gateItems(found.loaded);
  const request = { projectDir: name, items, definitions, purpose: "look" } as const;
  const list = describeRequest(request, name, context, "gates");
  return before === undefined
    ? list
    : `${list}\n\n${describeDifference(definitionsOf(before), definitions)}`;
}

/** Shows the gates, and prompts a person for trust. Returns `refused`, and shows nothing, if no person is there. */
export async function askForTrust(
  question: TrustQuestion,
  context: CliContext
): Promise<Result<"trusted" | "refused", string>> {
  if (whyNotForPerson("trust", context) !== undefined) return ok("refused");
  context.stderr.write(`${describeGates(question, context)}\n`);
  if (!(await confirm(messages.CONFIRM_GATES, context))) return ok("refused");
  const { store, name, found } = question;
  return (await hooks.trustGates(store, name, found.files, new Date())).map(() => "trusted");
}
