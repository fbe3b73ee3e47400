/** The command line of `mux-stop-hooks`. Each subcommand is loaded when it is called. */
import { ownCommand } from "@/common/ownCommand";
import { Argument, Command, Help, InvalidArgumentError, Option } from "commander";
import type { ExitProcess } from "@/cli/commandLine";
import { addCompletion } from "@/cli/completion";
import { knownSize, type CliContext } from "@/cli/context";
import type { DoctorOptions } from "@/cli/gauntlet/commands/doctor";
import type { InitOptions } from "@/cli/gauntlet/commands/init";
import type { ValidateOptions } from "@/cli/gauntlet/commands/validate";
import type { GauntletListOptions } from "@/cli/gauntlet/commands/list";
import type { KnownAction, KnownOptions } from "@/cli/gauntlet/commands/known";
import type { MergeOptions } from "@/cli/gauntlet/commands/merge";
import type { PauseOptions } from "@/cli/gauntlet/commands/pause";
import type { PlanOptions } from "@/cli/gauntlet/commands/plan";
import type { GauntletRunCommandOptions, ScopeOptions } from "@/cli/gauntlet/commands/run";
import type { ReportOptions } from "@/cli/gauntlet/commands/report";
import type { SkipOptions } from "@/cli/gauntlet/commands/skip";
import type { StatusOptions } from "@/cli/gauntlet/commands/status";
import type { TrustOptions } from "@/cli/gauntlet/commands/trust";
import type { UninstallOptions } from "@/cli/gauntlet/commands/uninstall";
import { HOOK_NAMES, NO_HOST } from "@/cli/gauntlet/hookNames";
import { printError } from "@/cli/render/printError";
import type { PlaceOption } from "@/cli/gauntlet/project";
import { MAX_LIMIT_S } from "@/cli/gauntlet/stopHook/options";
import { REPORT_FORMATS } from "@/node/services/gauntlet/domain/reports";
import {
  gateNames,
  reportRequest,
  wholeNumber,
  withJobTotal,
  withScope,
  withShard,
  workspaceOption,
} from "@/cli/gauntlet/options";
import { visible } from "@/common/text";
import { MAX_PAUSE_MINUTES, MAX_PAUSE_TURNS } from "@/node/services/gauntlet/turn/pause";
import * as messages from "@/cli/gauntlet/messages/shared";

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

const DEFAULT_WIDTH = 100;

export function createProgram(context: CliContext, end: ExitProcess): Command {
  let all = false;
  const program: Command = new Command(NAME)
    .description(ABOUT)
    .usage("<command> [options]")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text) => {
        const [problem = "", ...hints] = text
          .replace(/^error: /, "")
          .trim()
          .split("\n");
        printError(
          context,
          `${[visible(problem), ...hints].join(" ")}; see "${ownCommand()} help"`
        );
      },
      getOutHelpWidth: () => knownSize(context.stdout.columns, DEFAULT_WIDTH),
      getErrHelpWidth: () => knownSize(context.stderr.columns, DEFAULT_WIDTH),
    })
    // bin/agent-gauntlet.cjs handles this option before it loads this module.
    .option("-V, --version", "print the version")
    .helpCommand(false)
    .configureHelp({
      visibleCommands: (command) =>
        command !== program || all
          ? new Help().visibleCommands(command)
          : USUAL.flatMap((name) => command.commands.find((c) => c.name() === name) ?? []),
    })
    .addHelpText("after", () => (all ? AFTER_HELP : ONLY_USUAL + "\n" + AFTER_HELP));

  addRuns(program, context, end);
  addPause(program, context, end);
  addKnown(program, context, end);
  addSharing(program, context, end);
  addQuestions(program, context, end);
  addInstallation(program, context, end);
  // For the help only: bin/agent-gauntlet.cjs loads the commands of hooks.
  program
    .command("hooks")
    .description("list, test and trust the hooks of a project, or start Mux with them");
  addCompletion(program, context, end, {
    listGates: async () => (await import("@/cli/gauntlet/commands/list")).listGates(context),
  });
  program
    .command("help")
    .description("print the help of a command")
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

function addRuns(program: Command, context: CliContext, end: ExitProcess): void {
  const command = (name: string, description: string): Command =>
    withScope(program.command(name).description(description))
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
  withShard(command("run", "run the gates of the changed files"))
    .option("--all", "run every gate on every file, changed or not")
    .option("--force", "run the gates of all changes since the base, even if they have passed")
    .option("--fix", "first run the fix commands of the checks that are due")
    .action(async (options: GauntletRunCommandOptions) => {
      const { run } = await import("@/cli/gauntlet/commands/run");
      end(await run(options, context));
    });
  for (const only of ["check", "review"] as const) {
    command(only, `like run, but only ${only}s`).action(
      async (options: GauntletRunCommandOptions) => {
        const { run } = await import("@/cli/gauntlet/commands/run");
        end(await run(options, context, only));
      }
    );
  }
  program
    .command("report")
    .description("write the result of the last run as a page, and open it")
    .option("--no-open", "only write it, and print its path")
    .action(async (options: ReportOptions) => {
      const { report } = await import("@/cli/gauntlet/commands/report");
      end(await report(options, context));
    });
  program
    .command("skip")
    .description("skip a violation of a review; status lists their IDs")
    .argument("<id>", "the ID of the violation, or a unique beginning of it")
    .requiredOption("--reason <text>", "the reason, which the result contains")
    .addOption(workspaceOption())
    .action(async (id: string, options: SkipOptions) => {
      const { skip } = await import("@/cli/gauntlet/commands/skip");
      end(await skip(id, options, context));
    });
  program
    .command("clean")
    .description(
      "archive the logs and the state of earlier runs, so that the next run starts again"
    )
    .addOption(workspaceOption())
    .action(async (options: PlaceOption) => {
      const { clean } = await import("@/cli/gauntlet/commands/clean");
      end(await clean(options, context));
    });
  program
    .command("undo-fix")
    .description("restore the files that the last fix changed, unless they were changed again")
    .addOption(workspaceOption())
    .action(async (options: PlaceOption) => {
      const { undoFixCommand } = await import("@/cli/gauntlet/commands/undoFix");
      end(await undoFixCommand(options, context));
    });
}

/** Adds a person's own way out (G42). */
function addPause(program: Command, context: CliContext, end: ExitProcess): void {
  program
    .command("pause")
    .description("turn the Stop hook off in this project for a while; only in a terminal")
    .addOption(
      new Option("--turns <count>", "for this many turns of a user (default: 1)")
        .argParser(wholeNumber(1, MAX_PAUSE_TURNS))
        .conflicts("minutes")
    )
    .option("--minutes <count>", "for this time", wholeNumber(1, MAX_PAUSE_MINUTES))
    .option("--reason <text>", "why; each stop shows it")
    .action(async (options: PauseOptions) => {
      const { pause } = await import("@/cli/gauntlet/commands/pause");
      end(await pause(options, context));
    });
  program
    .command("resume")
    .description("end a pause")
    .action(async () => {
      const { resume } = await import("@/cli/gauntlet/commands/pause");
      end(await resume(context));
    });
}

/** Adds the command about failures that are older than the work (G44). */
function addKnown(program: Command, context: CliContext, end: ExitProcess): void {
  program
    .command("known")
    .description("record, list, prune or clear the failures that are older than the work")
    .addArgument(
      new Argument(
        "<action>",
        "record what fails at HEAD (only in a terminal), list it, prune what no longer occurs, or clear the records"
      ).choices(["record", "list", "prune", "clear"])
    )
    .option("-g, --gate <name>", "only this gate (repeatable)", gateNames)
    .option("--shared", "record: write .gauntlet/known, for the whole team")
    .addOption(workspaceOption())
    .action(async (action: KnownAction, options: KnownOptions) => {
      const commands = await import("@/cli/gauntlet/commands/known");
      end(await commands[action](options, context));
    });
}

/** Adds the commands that spread a run over several machines. */
function addSharing(program: Command, context: CliContext, end: ExitProcess): void {
  withJobTotal(withScope(program.command("plan")))
    .description("list the jobs of a run, and the shard of each")
    .option("--json", "print JSON")
    .action(async (options: PlanOptions) => {
      const { plan } = await import("@/cli/gauntlet/commands/plan");
      end(await plan(options, context));
    });
  program
    .command("merge")
    .description("merge the results of run --job I --job-total N --json into one verdict")
    .argument(
      "<files...>",
      "files with one result each, or - for standard input with one result per line"
    )
    .option("--json", "print the verdict as one line of JSON")
    .action(async (files: string[], options: MergeOptions) => {
      const { merge } = await import("@/cli/gauntlet/commands/merge");
      end(await merge(files, options, context));
    });
}

function addQuestions(program: Command, context: CliContext, end: ExitProcess): void {
  withScope(program.command("detect"))
    .description("list the changed files, and the gates that would run")
    .action(async (options: ScopeOptions) => {
      const { detect } = await import("@/cli/gauntlet/commands/detect");
      end(await detect(options, context));
    });
  program
    .command("list")
    .description("list the entry points and their gates")
    .addOption(workspaceOption())
    .option("--json", "print JSON")
    .action(async (options: GauntletListOptions) => {
      const { list } = await import("@/cli/gauntlet/commands/list");
      end(await list(options, context));
    });
  program
    .command("validate")
    .description("check the configuration, and print every problem with its position")
    .addOption(workspaceOption())
    .option("--fix", "write globs whose meaning changed so that they keep it")
    .action(async (options: ValidateOptions) => {
      const { validate } = await import("@/cli/gauntlet/commands/validate");
      end(await validate(options, context));
    });
  program
    .command("status")
    .description("show the result of the last run, the attempts used, and the unresolved gates")
    .addOption(workspaceOption())
    .option("--json", "print JSON")
    .action(async (options: StatusOptions) => {
      const { status } = await import("@/cli/gauntlet/commands/status");
      end(await status(options, context));
    });
  program
    .command("health")
    .description("list the reviewers that are installed")
    .addOption(workspaceOption())
    .action(async (options: PlaceOption) => {
      const { health } = await import("@/cli/gauntlet/commands/health");
      end(await health(options, context));
    });
}

function addInstallation(program: Command, context: CliContext, end: ExitProcess): void {
  program
    .command("init")
    .description("find the project's checks, write them to .gauntlet/, and install the hook")
    .option("-y, --yes", "accept the proposed checks without a screen; hooks only with --hook")
    .option("--no-try", "write the checks without running them once")
    .option("--dry-run", "print what would be written, and write nothing")
    .addOption(hookOption("install the hook for this host (repeatable)", [...HOOK_NAMES, NO_HOST]))
    .option("--shared", "write the hook to the committed file of the host, for the whole team")
    .option("--limit <seconds>", "the time limit of the hooks", wholeNumber(1, MAX_LIMIT_S))
    .option("--trust-codex", "record in Codex that you trust the hook")
    .action(async (options: InitOptions) => {
      const { init } = await import("@/cli/gauntlet/commands/init");
      end(await init(options, context));
    });
  program
    .command("trust")
    .description("show the commands of the gates, and let them run at stops")
    .option("--show", "only show them")
    .option("-y, --yes", "record without a question")
    .addOption(new Option("--revoke", "forget the project").conflicts(["never", "all"]))
    .addOption(new Option("--never", "never run its gates, and never ask").conflicts("all"))
    .option("--all", "ask for each project in which a stop was not checked")
    .addOption(workspaceOption())
    .action(async (options: TrustOptions) => {
      const { trust } = await import("@/cli/gauntlet/commands/trust");
      end(await trust(options, context));
    });
  program
    .command("uninstall")
    .description("remove the hooks that init installed")
    .addOption(hookOption("remove only the hook of this host (repeatable)"))
    .action(async (options: UninstallOptions) => {
      const { uninstall } = await import("@/cli/gauntlet/commands/uninstall");
      end(await uninstall(options, context));
    });
  program
    .command("doctor")
    .description("check whether the installed hooks work, and print how to fix each problem")
    .option("--fix", "update the commands of installed hooks whose program has moved")
    .option("--json", "print JSON")
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import("@/cli/gauntlet/commands/doctor");
      end(await doctor(options, context));
    });
  // bin/agent-gauntlet.cjs runs both before it loads this module; these are their help texts.
  program
    .command("stop-hook")
    .description(
      "decide whether an agent may stop: reads the hook input on stdin, prints the decision"
    )
    .option("--verify", "also check an agent that already continues because of a stop hook")
    .option("--host <name>", "print the decision for this agent host (default: detected)")
    .option("--answer <form>", "print it in this form: claude, exit2, followup or ok")
    .option("--limit <seconds>", "the time limit of the hook", "300");
  program
    .command("turn-start")
    .description(
      "record the start of a user's turn, which resets the retries: reads the hook input on stdin"
    );
}

function hookOption(description: string, names: readonly string[] = HOOK_NAMES): Option {
  return new Option("--hook <host>", description)
    .choices(names)
    .argParser((value: string, before?: readonly string[]) => {
      if (!names.includes(value)) {
        throw new InvalidArgumentError(messages.expected(names.join(" or ")));
      }
      return [...(before ?? []), value];
    });
}
