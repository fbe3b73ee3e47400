/**
 * Defines and runs the command line of `mux-stop-hooks`. A subcommand is loaded when it is called. `hooks`, `stop-hook`
 * and `turn-start` are here only for the help: the programs in `bin/` run them.
 */
import { shownCommand } from "@/common/ownCommandName";
import { Argument, Help, InvalidArgumentError, Option, type Command } from "commander";
import {
  lazyAction,
  newProgram,
  runCommander,
  wholeNumber,
  type ExitProcess,
  type LazyAction,
} from "@/cli/commanderHelpers";
import { addCompletion } from "@/cli/completion";
import { printError, type CliContext, type ExitCode } from "@/cli/context";
import type { GauntletRunCommandOptions } from "@/cli/gauntlet/commands/run";
import {
  CI_NAMES,
  GIT,
  HOOK_NAMES,
  NO_HOST,
  gateNames,
  reportRequest,
  withJobTotal,
  withScope,
  withShard,
  workspaceOption,
} from "@/cli/gauntlet/options";
import { MAX_LIMIT_S } from "@/cli/gauntlet/stopHook/options";
import { REPORT_FORMATS } from "@/node/services/gauntlet/domain/runReportFormats";
import { visible } from "@/common/safeText";
import { MAX_PAUSE_MINUTES, MAX_PAUSE_TURNS } from "@/node/services/gauntlet/turn/pauseRecord";
import { runAsProcess } from "@/cli/runAsProcess";

const ABOUT = "Runs the gates that a coding agent's work must pass before the agent may stop.";

const NAME = "mux-stop-hooks";

/** The commands of the help's first screen, in its order. */
const USUAL = [
  ...["init", "run", "status", "doctor", "pause"],
  ...["known", "trust", "hooks", "uninstall", "help"],
];

const ONLY_USUAL = `
More commands: ${NAME} help --all`;

const AFTER_HELP = `
Examples:
  ${NAME} init           find the checks of this project, and install the hook
  ${NAME} run            run the gates of the changed files
  ${NAME} run -g lint    run only the gate lint
  ${NAME} status         show the result of the last run, and the unresolved gates

Exit codes:
  0      success; for run, check, review and merge: every gate passed, or none had to run
  1      gates failed, or the command failed
  2      the command line is invalid
  128+n  ended by signal n: 130 for SIGINT (Ctrl-C), 143 for SIGTERM`;

type AddCommand = (name: string, description: string) => Command;

function createProgram(context: CliContext, end: ExitProcess): Command {
  const action = lazyAction(context, end);
  let all = false;
  const program: Command = newProgram(NAME, ABOUT, context)
    .configureOutput({
      outputError: (text) => {
        // Most commands accept no arguments. Most people who pass one mean a gate.
        const [problem = "", ...hints] = text
          .replace(/^error: /, "")
          .replace(
            /^(too many arguments for '(?:run|check|review)')\..*/s,
            "$1; name a gate with -g"
          )
          .trim()
          .replace(/\.$/, "")
          .split("\n");
        printError(
          context,
          `${[visible(problem), ...hints].join(" ")}; see "${shownCommand()} help"`
        );
      },
    })
    .configureHelp({
      visibleCommands: (command) =>
        command !== program || all
          ? new Help().visibleCommands(command)
          : USUAL.flatMap((name) => command.commands.find((c) => c.name() === name) ?? []),
    })
    .addHelpText("after", () => (all ? AFTER_HELP : ONLY_USUAL + "\n" + AFTER_HELP));

  const add: AddCommand = (name, description) => program.command(name).description(description);
  addRuns(add, action);
  addPause(add, action);
  addKnown(add, action);
  addSharding(add, action);
  addInspection(add, action);
  addInstallation(add, action);
  // For the help only: bin/agent-gauntlet.cjs loads the commands of hooks.
  add("hooks", "list, test and trust the hooks of a project, or start Mux with them");
  addCompletion(program, context, end, {
    listGates: async () => (await import("@/cli/gauntlet/commands/list")).listGates(context),
  });
  add("help", "print the help of a command")
    .argument("[command]")
    .option("--all", "list every command")
    .action((name: string | undefined, options: { readonly all?: boolean }) => {
      all = options.all === true;
      const command =
        name === undefined ? program : program.commands.find((c) => c.name() === name);
      if (command === undefined) return program.error(`error: unknown command '${name ?? ""}'`);
      command.help();
    });
  return program;
}

function addRuns(add: AddCommand, action: LazyAction): void {
  const command = (name: string, description: string): Command =>
    withScope(add(name, description))
      .option(
        "-g, --gate <name>",
        "run only this gate, if the changes require it (repeatable)",
        gateNames
      )
      .option("--no-cache", "also run checks whose inputs have not changed since they passed")
      .option("--json", "print the result as one line of JSON")
      .option(
        "--report <format>",
        `write a report (${REPORT_FORMATS.join(", ")}), as in junit=FILE (repeatable)`,
        reportRequest
      )
      .option("--verbose", "show all findings, more of each log, and the last line of each pass")
      .addOption(
        new Option("--quiet", "show only failed gates, warnings and the verdict").conflicts(
          "verbose"
        )
      );
  const runOf = (only?: "check" | "review") =>
    action(async () => {
      const { run } = await import("@/cli/gauntlet/commands/run");
      return (options: GauntletRunCommandOptions, context: CliContext) =>
        run(options, context, only);
    });
  withShard(command("run", "run the gates of the changed files"))
    .option("--all", "run every gate on every file, changed or not")
    .option("--force", "run the gates of all changes since the base, even if they have passed")
    .option("--fix", "first run the fix commands of the checks that are due")
    .action(runOf());
  for (const only of ["check", "review"] as const) {
    command(only, `like run, but only ${only}s`).action(runOf(only));
  }
  add("report", "write the result of the last run as a page, and open it")
    .option("--no-open", "only write it, and print its path")
    .action(action(async () => (await import("@/cli/gauntlet/commands/report")).report));
  add("skip", "skip a violation of a review; status lists their IDs")
    .argument("<id>", "the ID of the violation, or a unique beginning of it")
    .requiredOption("--reason <text>", "the reason, which the result contains")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/skipViolation")).skip));
  add("clean", "archive the logs and the state of earlier runs, so that the next run starts again")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/cleanAndUndo")).clean));
  add("undo-fix", "restore the files that the last fix changed, unless they were changed again")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/cleanAndUndo")).undoLastFix));
}

/** Adds `pause` and `resume`, with which a person turns the Stop hook off for a while (G42). */
function addPause(add: AddCommand, action: LazyAction): void {
  add("pause", "turn the Stop hook off in this project for a while; only in a terminal")
    .addOption(
      new Option("--turns <count>", "for this many turns of a user (default: 1)")
        .argParser(wholeNumber(1, MAX_PAUSE_TURNS))
        .conflicts("minutes")
    )
    .option("--minutes <count>", "for this time", wholeNumber(1, MAX_PAUSE_MINUTES))
    .option("-g, --gate <name>", "only this gate; the others run (repeatable)", gateNames)
    .option("--reason <text>", "why; each stop shows it")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/pause")).pause));
  add("resume", "end a pause")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/pause")).resume));
}

/** Adds `known`, the command about failures that are older than the agent's work (G44). */
function addKnown(add: AddCommand, action: LazyAction): void {
  add("known", "record, list, prune or clear the failures that are older than the work")
    .addArgument(
      new Argument(
        "<action>",
        "record what fails at HEAD (only in a terminal), list it, prune what no longer occurs, or clear the records"
      ).choices(["record", "list", "prune", "clear"])
    )
    .option("-g, --gate <name>", "only this gate (repeatable)", gateNames)
    .option("--shared", "record: write .gauntlet/known, for the whole team")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/knownFailures")).known));
}

/** Adds `plan` and `merge`, which divide a run among several machines. */
function addSharding(add: AddCommand, action: LazyAction): void {
  withJobTotal(withScope(add("plan", "list the jobs of a run, and the shard of each")))
    .option("--json", "print JSON")
    .action(action(async () => (await import("@/cli/gauntlet/commands/planAndDetect")).plan));
  add("merge", "merge the results of run --job I --job-total N --json into one verdict")
    .argument(
      "<files...>",
      "files with one result each, or - for standard input with one result per line"
    )
    .option("--json", "print the verdict as one line of JSON")
    .action(action(async () => (await import("@/cli/gauntlet/commands/mergeShards")).merge));
}

function addInspection(add: AddCommand, action: LazyAction): void {
  withScope(add("detect", "list the changed files, and the gates that would run")).action(
    action(async () => (await import("@/cli/gauntlet/commands/planAndDetect")).detect)
  );
  add("list", "list the entry points and their gates")
    .addOption(workspaceOption())
    .option("--json", "print JSON")
    .action(action(async () => (await import("@/cli/gauntlet/commands/list")).list));
  add("validate", "check the configuration, and print every problem with its position")
    .addOption(workspaceOption())
    .option("--fix", "write globs whose meaning changed so that they keep it")
    .action(action(async () => (await import("@/cli/gauntlet/commands/validate")).validate));
  add("status", "show the result of the last run, the attempts used, and the unresolved gates")
    .addOption(workspaceOption())
    .option("--json", "print JSON")
    .action(action(async () => (await import("@/cli/gauntlet/commands/status")).status));
  add("health", "list the reviewers that are installed")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/health")).health));
}

function addInstallation(add: AddCommand, action: LazyAction): void {
  add("init", "find the project's checks, write them to .gauntlet/, and install the hook")
    .option("-y, --yes", "accept the proposed checks without a screen; hooks only with --hook")
    .option("--no-try", "write the checks without running them once")
    .option("--dry-run", "print what would be written, and write nothing")
    .addOption(
      hookOption("install the hook for this host, or git's pre-push (repeatable)", [
        ...HOOK_NAMES,
        GIT,
        NO_HOST,
      ])
    )
    .option("--shared", "write the hook to the committed file of the host, for the whole team")
    .option("--limit <seconds>", "the time limit of the hooks", wholeNumber(1, MAX_LIMIT_S))
    .addOption(
      new Option("--ci <name>", "write a workflow that runs the gates there").choices(CI_NAMES)
    )
    .option("--trust-codex", "record in Codex that you trust the hook")
    .action(action(async () => (await import("@/cli/gauntlet/commands/init")).init));
  add("trust", "show the commands of the gates, and let them run at stops")
    .option("--show", "only show them")
    .option("-y, --yes", "record without a question")
    .addOption(new Option("--revoke", "forget the project").conflicts(["never", "all"]))
    .addOption(new Option("--never", "never run its gates, and never ask").conflicts("all"))
    .option("--all", "ask for each project in which a stop was not checked")
    .addOption(workspaceOption())
    .action(action(async () => (await import("@/cli/gauntlet/commands/trust")).trust));
  add("uninstall", "remove the hooks that init installed")
    .option(
      "-y, --yes",
      "remove what serves other projects too, and the records, without a question"
    )
    .addOption(hookOption("remove only the hook of this host (repeatable)", [...HOOK_NAMES, GIT]))
    .action(action(async () => (await import("@/cli/gauntlet/commands/uninstall")).uninstall));
  add("doctor", "check whether the installed hooks work, and print how to fix each problem")
    .option("--fix", "update installed hooks that do not start or do not verify, and ask for trust")
    .option("--json", "print JSON")
    .action(action(async () => (await import("@/cli/gauntlet/commands/doctor")).doctor));
  add("pre-push", "git's hook: run the gates before a push; reads the refs on stdin")
    .argument("[remote]", "the name of the remote")
    .argument("[url]")
    .action(action(async () => (await import("@/cli/gauntlet/commands/prePush")).prePush));
  // bin/agent-gauntlet.cjs runs both before it loads this module; these are their help texts.
  add(
    "stop-hook",
    "decide whether an agent may stop: reads the hook input on stdin, prints the decision"
  )
    .option("--verify", "also check an agent that already continues because of a stop hook")
    .option("--host <name>", "print the decision for this agent host (default: detected)")
    .option("--answer <form>", "print it in this form: claude, exit2, followup or ok")
    .option("--limit <seconds>", "the time limit of the hook", "300");
  add(
    "turn-start",
    "record the start of a user's turn, which resets the retries: reads the hook input on stdin"
  );
}

function hookOption(description: string, names: readonly string[]): Option {
  return new Option("--hook <host>", description)
    .choices(names)
    .argParser((value: string, before?: readonly string[]) => {
      if (!names.includes(value)) {
        throw new InvalidArgumentError(`Expected ${names.join(" or ")}.`);
      }
      return [...(before ?? []), value];
    });
}

/** Runs the command line. Never throws; errors are printed on standard error. */
export async function main(args: readonly string[], context: CliContext): Promise<ExitCode> {
  return await runCommander(args, context, createProgram);
}

/** Runs {@link main} with this process's own arguments, streams and exit code. */
export async function runProcess(): Promise<void> {
  await runAsProcess((context) => main(process.argv.slice(2), context));
}
