/** The command line of `agent-gauntlet`. Each subcommand is loaded when it is called. */
import { Command, InvalidArgumentError, Option } from "commander";
import type { ExitProcess } from "@/cli/commandLine";
import { knownSize, type CliContext } from "@/cli/context";
import { AGENT_HOSTS } from "@/cli/gauntlet/agentHosts/index";
import type { InitOptions } from "@/cli/gauntlet/commands/init";
import type { GauntletListOptions } from "@/cli/gauntlet/commands/list";
import type { MergeOptions } from "@/cli/gauntlet/commands/merge";
import type { PlanOptions } from "@/cli/gauntlet/commands/plan";
import type { GauntletRunCommandOptions, ScopeOptions } from "@/cli/gauntlet/commands/run";
import type { SkipOptions } from "@/cli/gauntlet/commands/skip";
import { printError } from "@/cli/gauntlet/printError";
import type { PlaceOption } from "@/cli/gauntlet/project";
import { withJobTotal, withShard } from "@/cli/gauntlet/shardOptions";
import { visible } from "@/common/text";

const ABOUT = "Gates that the work of an agent has to pass before it may stop.";

const AFTER_HELP = `
Examples:
  agent-gauntlet init            write a .gauntlet/ folder for this project
  agent-gauntlet run             run the gates of what has changed
  agent-gauntlet run -g lint     run one gate, whatever the others say
  agent-gauntlet detect          show what has changed, and what would run
  agent-gauntlet status          show how the last run ended, and what is open

Exit codes:
  0      done; for run, check, review and merge: every gate passed, or none had to run
  1      gates failed, or what was asked for could not be done
  2      the command line is wrong
  128+n  ended by signal n: 130 by Ctrl-C, 143 by a request to end`;

const HOOK_NAMES = [
  ...AGENT_HOSTS.filter(({ install }) => install !== undefined).map(({ name }) => name),
  "mux",
];
const DEFAULT_WIDTH = 100;

export function createProgram(context: CliContext, end: ExitProcess): Command {
  const program = new Command("agent-gauntlet")
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
        const said = [visible(problem), ...hints].join(" ");
        printError(context, `${said}; agent-gauntlet help says more`);
      },
      getOutHelpWidth: () => knownSize(context.stdout.columns, DEFAULT_WIDTH),
      getErrHelpWidth: () => knownSize(context.stderr.columns, DEFAULT_WIDTH),
    })
    // bin/agent-gauntlet.cjs handles this option before it loads this module.
    .option("-V, --version", "print the version")
    .helpCommand(false)
    .addHelpText("after", AFTER_HELP);

  addRuns(program, context, end);
  addSharing(program, context, end);
  addQuestions(program, context, end);
  addInstallation(program, context, end);
  program
    .command("help")
    .description("say what a command does")
    .argument("[command]")
    .action((name: string | undefined) => {
      const asked = name === undefined ? program : program.commands.find((c) => c.name() === name);
      if (asked === undefined) return program.error(`error: unknown command '${name ?? ""}'`);
      asked.help();
    });
  return program;
}

function addRuns(program: Command, context: CliContext, end: ExitProcess): void {
  const command = (name: string, description: string): Command =>
    withScope(program.command(name).description(description))
      .option(
        "-g, --gate <name>",
        "only this gate, of those that the changes ask for (repeatable)",
        gateNames
      )
      .option(
        "--no-cache",
        "run checks also where nothing that they read has changed since they passed"
      )
      .option("--json", "print the result as one line of JSON");
  withShard(command("run", "run the gates of what has changed"))
    .option("--all", "run every gate on every file, changed or not")
    .option("--force", "run the gates of the change against the base again, although they passed")
    .action(async (options: GauntletRunCommandOptions) => {
      const { run } = await import("@/cli/gauntlet/commands/run");
      end(await run(options, context));
    });
  command("check", "as run, but checks only").action(async (options: GauntletRunCommandOptions) => {
    const { run } = await import("@/cli/gauntlet/commands/run");
    end(await run(options, context, "check"));
  });
  command("review", "as run, but reviews only").action(
    async (options: GauntletRunCommandOptions) => {
      const { run } = await import("@/cli/gauntlet/commands/run");
      end(await run(options, context, "review"));
    }
  );
  program
    .command("skip")
    .description("leave a violation of a review as it is; status shows their ids")
    .argument("<id>", "of the violation, or as much of it as no other begins with")
    .requiredOption("--reason <text>", "why, for whoever reads the result")
    .addOption(workspaceOption())
    .action(async (id: string, options: SkipOptions) => {
      const { skip } = await import("@/cli/gauntlet/commands/skip");
      end(await skip(id, options, context));
    });
  program
    .command("clean")
    .description("put logs and state of earlier runs away, so that the next one begins anew")
    .addOption(workspaceOption())
    .action(async (options: PlaceOption) => {
      const { clean } = await import("@/cli/gauntlet/commands/clean");
      end(await clean(options, context));
    });
}

/** Adds the commands that spread a run over several machines. */
function addSharing(program: Command, context: CliContext, end: ExitProcess): void {
  withJobTotal(withScope(program.command("plan")))
    .description("show the jobs that there are to share out over several machines")
    .option("--json", "print JSON")
    .action(async (options: PlanOptions) => {
      const { plan } = await import("@/cli/gauntlet/commands/plan");
      end(await plan(options, context));
    });
  program
    .command("merge")
    .description("make one verdict of what run --job I --job-total N --json printed for each part")
    .argument("<files...>", "one result each; - for standard input, with one on each line")
    .option("--json", "print the verdict as one line of JSON")
    .action(async (files: string[], options: MergeOptions) => {
      const { merge } = await import("@/cli/gauntlet/commands/merge");
      end(await merge(files, options, context));
    });
}

function addQuestions(program: Command, context: CliContext, end: ExitProcess): void {
  withScope(program.command("detect"))
    .description("show what has changed, and what would run")
    .action(async (options: ScopeOptions) => {
      const { detect } = await import("@/cli/gauntlet/commands/detect");
      end(await detect(options, context));
    });
  program
    .command("list")
    .description("show the entry points and their gates")
    .addOption(workspaceOption())
    .option("--json", "print JSON")
    .action(async (options: GauntletListOptions) => {
      const { list } = await import("@/cli/gauntlet/commands/list");
      end(await list(options, context));
    });
  program
    .command("validate")
    .description("check the configuration, and show every problem where it stands")
    .addOption(workspaceOption())
    .action(async (options: PlaceOption) => {
      const { validate } = await import("@/cli/gauntlet/commands/validate");
      end(await validate(options, context));
    });
  program
    .command("status")
    .description("show how the last run ended, how many are left, and what is open")
    .addOption(workspaceOption())
    .action(async (options: PlaceOption) => {
      const { status } = await import("@/cli/gauntlet/commands/status");
      end(await status(options, context));
    });
  program
    .command("health")
    .description("show which reviewers are installed")
    .addOption(workspaceOption())
    .action(async (options: PlaceOption) => {
      const { health } = await import("@/cli/gauntlet/commands/health");
      end(await health(options, context));
    });
}

function addInstallation(program: Command, context: CliContext, end: ExitProcess): void {
  program
    .command("init")
    .description("write a .gauntlet/ folder with an example check, and install the hook")
    .option("-y, --yes", "ask nothing, and install no hook but those of --hook")
    .addOption(
      new Option("--hook <host>", "install the hook for this host (repeatable)")
        .choices(HOOK_NAMES)
        .argParser(hookHosts)
    )
    .action(async (options: InitOptions) => {
      const { init } = await import("@/cli/gauntlet/commands/init");
      end(await init(options, context));
    });
  // bin/agent-gauntlet.cjs runs both before it loads this module; these are their help texts.
  program
    .command("stop-hook")
    .description(
      "answer an agent that wants to stop: its hook input on stdin, a decision on stdout"
    )
    .option("--verify", "check also an agent that continues because of a stop hook")
    .option("--host <name>", "answer in the format of this agent host (default: by the input)")
    .option("--limit <seconds>", "end within the time that the hook has", "300");
  program
    .command("turn-start")
    .description(
      "record that a user's turn began, so that retries count anew: hook input on stdin, no output"
    );
}

function withScope(command: Command): Command {
  return command
    .option(
      "-b, --base-branch <ref>",
      "compare with this branch instead of base_branch",
      branchName
    )
    .addOption(
      new Option("-c, --commit <sha>", "look at the changes of one commit")
        .argParser(commitName)
        .conflicts("uncommitted")
    )
    .option("-u, --uncommitted", "look at what is staged, unstaged and untracked")
    .addOption(workspaceOption());
}

function workspaceOption(): Option {
  return new Option(
    "--workspace <url>",
    "the project around a folder of another machine, as ssh://[user@]host[:port]/path"
  );
}

const branchName = (value: string): string => named(value, "the name of a branch");
const commitName = (value: string): string => named(value, "the ID or the name of a commit");
const gateNames = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  named(value, "the name of a gate"),
];

/** Rejects a value that begins with a dash: it is the next option, and the value is missing. */
function named(value: string, what: string): string {
  if (value.trim() === "" || value.startsWith("-")) {
    throw new InvalidArgumentError(`Give it ${what}.`);
  }
  return value;
}

function hookHosts(value: string, before: readonly string[] = []): readonly string[] {
  if (!HOOK_NAMES.includes(value)) {
    throw new InvalidArgumentError(`Use ${HOOK_NAMES.join(" or ")}.`);
  }
  return [...before, value];
}
