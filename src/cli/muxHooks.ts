/** Defines and runs the command line of `mux-stop-hooks hooks`. Each subcommand is loaded when it is called. */
import { Argument, InvalidArgumentError, Option, type Command } from "commander";
import * as commander from "@/cli/commanderHelpers";
import { addCompletion } from "@/cli/completion";
import type { CliContext } from "@/cli/context";
import { runAsProcess } from "@/cli/runAsProcess";
import { FILE_LAYERS, HOOK_EVENTS, type HookEventName } from "@/node/services/hooks/index";

const ABOUT = "Runs hooks that decide whether a coding agent may stop.";

const NAME = "mux-stop-hooks hooks";

const AFTER_HELP = `
Examples:
  ${NAME} list                               list the hooks that would run at a stop
  ${NAME} test Stop --last-message "Done."   run them now, and print the message to the agent
  ${NAME} validate                           check the settings files
  ${NAME} trust                              trust the hooks of this checkout
  ${NAME} import                             show the hooks of Claude Code, and turn them on
  ${NAME} log --follow                       show how hooks end at each stop
  ${NAME} attach -- mux server               start Mux with the hooks
  ${NAME} doctor                             check whether hooks run in Mux, and if not, why

Exit codes:
  0    success; warnings of hooks do not change it
  1    a file or folder cannot be used, the turn ended with an error, or validate or doctor found
       problems
  2    the command line is invalid
  3    test: the hooks would send the agent back
  130  interrupted
attach exits with the exit code of the program that it starts.`;

const PROJECT = [
  "--project <dir>",
  "the project folder (default: the checkout that contains the current folder)",
] as const;

function workspaceOption(): Option {
  return new Option(
    "--workspace <url>",
    "a project on another machine, as ssh://[user@]host[:port]/path"
  ).conflicts("project");
}

/** Parses the arguments and runs the command. Never throws; prints every error to standard error. */
export async function main(args: readonly string[], context: CliContext): Promise<number> {
  return await commander.runCommander(args, context, createProgram);
}

/** Runs {@link main} with the arguments, streams and exit code of this process. */
export async function runProcess(): Promise<void> {
  await runAsProcess((context) => main(process.argv.slice(2), context));
}

function createProgram(context: CliContext, end: commander.ExitProcess): Command {
  const action = commander.lazyAction(context, end);
  const program = commander
    .newProgram(NAME, ABOUT, context)
    .showHelpAfterError("(see --help)")
    .addHelpText("after", AFTER_HELP);

  /** Adds a command for the project that `--project` names. */
  const inProject = (name: string, about: string): Command =>
    program
      .command(name)
      .description(about)
      .option(...PROJECT);
  /** Adds a command for a project on this machine or on another one. */
  const inWorkspace = (name: string, about: string): Command =>
    inProject(name, about).addOption(workspaceOption());

  inWorkspace(
    "list",
    "list the hooks that would run at a stop, in order, and the skipped ones with the reason"
  )
    .option("--event <event>", "Stop or SubagentStop (default: both)", hookEvent)
    .option("--agent-type <type>", "only the SubagentStop hooks for this type of agent")
    .option("--json", "print JSON")
    .action(action(async () => (await import("@/cli/commands/list")).list));

  inWorkspace("test", "run the hooks now, as at a stop, and print the message to the agent")
    .argument("<event>", "Stop or SubagentStop", hookEvent)
    .option(
      "--transcript <file>",
      "the chat.jsonl that the hooks read (default: a minimal new one)"
    )
    .option("--last-message <text>", "the agent's last message (default: the transcript's)")
    .option("--agent-type <type>", "the type of the sub-agent, for SubagentStop")
    .option(
      "--continuation <n>",
      "run as if hooks had already sent the agent back n times",
      commander.wholeNumber(0, 999)
    )
    .option("--json", "print JSON")
    .addHelpText("after", "\nExit code: 0 if the agent may stop, 3 if it would be sent back.")
    .action(action(async () => (await import("@/cli/commands/test")).test));

  inProject("validate", "check the settings files and hook scripts without running them").action(
    action(async () => (await import("@/cli/commands/validate")).validate)
  );

  inWorkspace("trust", "trust the hooks of this checkout, as they are defined now")
    .option("--show", "only print the hooks to trust, and their changes")
    .option("--yes", "do not ask for confirmation; required without a terminal")
    .option("--only", "discard all earlier definitions of this project")
    .addOption(new Option("--revoke", "revoke the trust").conflicts(["show", "only"]))
    .action(action(async () => (await import("@/cli/commands/trust")).trust));

  inProject("import", "show which hooks of Claude Code would run here, and turn them on")
    .addOption(
      new Option("--layer <layer>", "the settings file to change")
        .choices(FILE_LAYERS)
        .default("local")
    )
    .option("--dry-run", "write nothing")
    .option("--yes", "do not ask for confirmation; required without a terminal")
    .action(action(async () => (await import("@/cli/commands/import")).importHooks));

  inProject("log", "show how the hooks of this project ended at the last stops")
    .option("--lines <n>", "how many runs to show (default: 50)", commander.wholeNumber(0, 10_000))
    .option("--follow", "go on with new runs, until Ctrl-C")
    .option("--json", "print one JSON object per line")
    .action(action(async () => (await import("@/cli/commands/log")).log));

  for (const command of ["disable", "enable"]) {
    const enabled = command === "enable";
    const about = `turn a hook ${enabled ? "on" : "off"}, in the settings file that defines it`;
    inProject(command, about)
      .argument("<name>", 'the name that "list" shows, or a part of its command')
      .action(action(async () => (await import("@/cli/commands/switchHook")).switchHook(enabled)));
  }

  program
    .command("attach")
    .description("start Mux with the hooks, as in attach -- mux server")
    .usage("[options] -- <mux> [arguments...]")
    .argument("<mux>", "the program: its name on the PATH, or its path")
    .argument("[arguments...]", "the arguments of the program")
    .option(
      "--unverified-exit <code>",
      "the exit code of mux run if it would be 0, but the last stop was not verified",
      commander.wholeNumber(0, 255)
    )
    .action(action(async () => (await import("@/cli/commands/startMux")).attach));

  program
    .command("desktop")
    .description("add the hooks to an installed desktop app of Mux, or remove them")
    .addArgument(new Argument("<action>", "the action").choices(["install", "status", "uninstall"]))
    .option("--app <path>", "the app's program or folder (default: the installed app)")
    .option("--yes", "do not ask for confirmation; required without a terminal")
    .action(action(async () => (await import("@/cli/commands/desktop")).desktop));

  inProject("doctor", "find Mux, and check whether hooks run in it, and if not, why")
    .option("--mux <path>", "the folder or program of Mux (default: mux or xum on the PATH)")
    .action(action(async () => (await import("@/cli/commands/doctor")).doctor));

  program
    .command("run")
    .description("run a session with a scripted agent and the hooks of the project")
    .argument("<message>", "the user's message")
    .requiredOption("--script <file>", "a YAML file with the agent's turns")
    .option(...PROJECT)
    .addOption(workspaceOption())
    .option(
      "--session-dir <dir>",
      "the folder for the transcript and the hook records (default: a temporary folder)"
    )
    .action(action(async () => (await import("@/cli/commands/scriptedSession")).run));
  addCompletion(program, context, end, { hidden: true });
  return program;
}

function hookEvent(value: string): HookEventName {
  const event = HOOK_EVENTS.find((name) => name === value);
  if (event === undefined) throw new InvalidArgumentError(`Expected ${HOOK_EVENTS.join(" or ")}.`);
  return event;
}
