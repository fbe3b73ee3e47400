/** The command `mux-hooks`. Each subcommand is loaded when it is called. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { runAsProcess } from "@/cli/runAsProcess";
import { runCommander, type ExitProcess } from "@/cli/commandLine";
import { knownSize, type CliContext } from "@/cli/context";
import type { DesktopAction, DesktopOptions } from "@/cli/commands/desktop";
import type { DoctorOptions } from "@/cli/commands/doctor";
import type { ListOptions } from "@/cli/commands/list";
import type { RunCommandOptions } from "@/cli/commands/run";
import type { TestOptions } from "@/cli/commands/test";
import type { TrustOptions } from "@/cli/commands/trust";
import type { ProjectOption } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { HOOK_EVENTS, type HookEventName } from "@/node/services/hooks/index";

const ABOUT = "Hooks that an agent has to satisfy before it may stop.";

const AFTER_HELP = `
Examples:
  mux-hooks list                                 what would run at a stop here
  mux-hooks test Stop --last-message "Done."     run it now, and see what the agent would be sent
  mux-hooks validate                             check the settings files
  mux-hooks trust                                let the hooks of this checkout run
  mux-hooks attach -- mux server                 start Mux with the hooks
  mux-hooks doctor                               would hooks run in Mux here, and if not, why

Exit codes:
  0    done; warnings of hooks never change this
  1    a file or folder cannot be used, the turn ended with an error, or validate or doctor found
       problems
  2    the command line is wrong
  3    test: the hooks would send the agent back
  130  interrupted
attach ends as what it has started.`;

const DEFAULT_WIDTH = 100;

const PROJECT = [
  "--project <dir>",
  "the project (default: the checkout around this folder)",
] as const;

function workspaceOption(): Option {
  return new Option(
    "--workspace <url>",
    "a project on another machine, as ssh://[user@]host[:port]/path"
  ).conflicts("project");
}

/** Parses the arguments and runs the command. Never throws; prints every error as one line to standard error. */
export async function main(args: readonly string[], context: CliContext): Promise<number> {
  return await runCommander(args, context, createProgram, printError);
}

/** Runs {@link main} with the arguments, streams and exit code of this process. */
export async function runProcess(): Promise<void> {
  await runAsProcess((context) => main(process.argv.slice(2), context), printError);
}

function createProgram(context: CliContext, end: ExitProcess): Command {
  const program = new Command("mux-hooks")
    .description(ABOUT)
    .usage("<command> [options]")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      getOutHelpWidth: () => knownSize(context.stdout.columns, DEFAULT_WIDTH),
      getErrHelpWidth: () => knownSize(context.stderr.columns, DEFAULT_WIDTH),
    })
    .showHelpAfterError("(--help says more)")
    // For the help only: bin/mux-hooks.cjs handles it before this module is loaded.
    .option("-V, --version", "print the version")
    .helpCommand(false)
    .addHelpText("after", AFTER_HELP);

  program
    .command("list")
    .description("show what would run at a stop here, in order, and what would not and why")
    .option(...PROJECT)
    .addOption(workspaceOption())
    .option("--event <event>", "Stop or SubagentStop (default: both)", hookEvent)
    .option("--agent-type <type>", "SubagentStop hooks for this type of agent only")
    .option("--json", "print JSON")
    .action(async (options: ListOptions) => {
      const { list } = await import("@/cli/commands/list");
      end(await list(options, context));
    });

  program
    .command("test")
    .description("run the hooks now, as at a stop, and show what the agent would be sent")
    .argument("<event>", "Stop or SubagentStop", hookEvent)
    .option(...PROJECT)
    .addOption(workspaceOption())
    .option("--transcript <file>", "a chat.jsonl for the hooks to read (default: a small new one)")
    .option("--last-message <text>", "what the agent said last (default: the transcript's)")
    .option("--agent-type <type>", "the sub-agent's type, for SubagentStop")
    .option("--continuation <n>", "as if hooks had sent the agent back n times already", count)
    .option("--json", "print JSON")
    .addHelpText("after", "\nExit code: 0 if the agent may stop, 3 if it would be sent back.")
    .action(async (event: HookEventName, options: Omit<TestOptions, "event">) => {
      const { test } = await import("@/cli/commands/test");
      end(await test({ ...options, event }, context));
    });

  program
    .command("validate")
    .description("check the settings files and hook scripts; nothing is run")
    .option(...PROJECT)
    .action(async (options: ProjectOption) => {
      const { validate } = await import("@/cli/commands/validate");
      end(await validate(options, context));
    });

  program
    .command("trust")
    .description("let the hooks that came with this checkout run, as they are defined now")
    .option(...PROJECT)
    .addOption(workspaceOption())
    .option("--show", "only show what would be trusted, and what changed")
    .option("--yes", "do not ask; needed where there is no terminal")
    .option("--only", "forget everything else that was trusted of this project")
    .addOption(new Option("--revoke", "take the trust back").conflicts(["show", "only"]))
    .action(async (options: TrustOptions) => {
      const { trust } = await import("@/cli/commands/trust");
      end(await trust(options, context));
    });

  program
    .command("attach")
    .description("start Mux with the hooks: mux-hooks attach -- mux server")
    .usage("-- <mux> [arguments...]")
    .argument("<mux>", "the program, by its name on the PATH or by its path")
    .argument("[arguments...]", "its own arguments")
    .action(async (mux: string, args: string[]) => {
      const { attach } = await import("@/cli/commands/attach");
      end(await attach(mux, args, context));
    });

  program
    .command("desktop")
    .description("add the hooks to an installed desktop app of Mux, or take them away")
    .addArgument(new Argument("<action>", "what to do").choices(DESKTOP_ACTIONS))
    .option("--app <path>", "the app's program or folder (default: the one that is installed)")
    .option("--yes", "do not ask; needed where there is no terminal")
    .action(async (action: DesktopAction, options: DesktopOptions) => {
      const { desktop } = await import("@/cli/commands/desktop");
      end(await desktop(action, options, context));
    });

  program
    .command("doctor")
    .description("find Mux, and say whether hooks would run in it here, and if not, why")
    .option(...PROJECT)
    .option("--mux <path>", "the folder or the program of Mux (default: mux or xum on the PATH)")
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import("@/cli/commands/doctor");
      end(await doctor(options, context));
    });

  program
    .command("run")
    .description("play a session whose agent follows a script, with the hooks of the project")
    .argument("<message>", "what the user says")
    .requiredOption("--script <file>", "a YAML file with the agent's turns")
    .option(...PROJECT)
    .addOption(workspaceOption())
    .option(
      "--session-dir <dir>",
      "keep transcript and hook records there (default: a temporary folder)"
    )
    .action(async (message: string, options: Omit<RunCommandOptions, "message">) => {
      const { run } = await import("@/cli/commands/run");
      end(await run({ ...options, message }, context));
    });
  return program;
}

const DESKTOP_ACTIONS: readonly DesktopAction[] = ["install", "status", "uninstall"];

function hookEvent(value: string): HookEventName {
  const event = HOOK_EVENTS.find((name) => name === value);
  if (event === undefined) throw new InvalidArgumentError(`use ${HOOK_EVENTS.join(" or ")}.`);
  return event;
}

function count(value: string): number {
  if (!/^\d{1,3}$/.test(value)) throw new InvalidArgumentError("use a number, from 0.");
  return Number(value);
}
