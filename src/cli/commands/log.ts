/** `mux-stop-hooks hooks log`: shows how the hooks of this project ended at the stops of sessions, and which stops they block. */
import { ownCommand } from "@/common/ownCommand";
import { realpathSync } from "node:fs";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { HookLogReader } from "@/cli/hookLog";
import { findProject, type ProjectOption } from "@/cli/project";
import { renderLogLine } from "@/cli/render/logLine";
import { printError } from "@/cli/render/printError";
import { styleFor } from "@/cli/render/style";
import { describeError } from "@/common/errors";
import { findUserRoot, type HookLogEntry } from "@/node/services/hooks/index";
import { createRuntime } from "@/wiring";
import * as messages from "@/cli/messages/shared";

export interface LogOptions extends ProjectOption {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly lines?: number;
}

const DEFAULT_LINES = 50;

export async function log(options: LogOptions, context: CliContext): Promise<ExitCode> {
  const project = await findProject(options.project, context);
  if (project.isErr()) return printError(context, project.error);
  const root = await findUserRoot(createRuntime(context.env).host, context);
  if (root === undefined) return printError(context, messages.NO_USER_ROOT);

  const reader = new HookLogReader(root);
  const isWanted = belongsTo(project.value);
  const print = printer(options, context);
  const printLast = async (): Promise<boolean> => {
    const entries = (await reader.readAll()).filter(isWanted);
    const lines = options.lines ?? DEFAULT_LINES;
    for (const entry of lines === 0 ? [] : entries.slice(-lines)) print(entry);
    return entries.length > 0;
  };
  if (options.follow === true)
    return await follow(reader, root, { printLast, isWanted, print }, context);
  if (!(await printLast()) && options.json !== true) {
    context.stdout.write(
      `No stop of ${project.value} is in ${reader.path} yet. Hooks of sessions are logged, those of "${ownCommand()} hooks test" are not.\n`
    );
  }
  return EXIT.ok;
}

interface Printing {
  readonly printLast: () => Promise<unknown>;
  readonly isWanted: (entry: HookLogEntry) => boolean;
  readonly print: (entry: HookLogEntry) => void;
}

async function follow(
  reader: HookLogReader,
  root: string,
  { printLast, isWanted, print }: Printing,
  context: CliContext
): Promise<ExitCode> {
  const interrupt = new AbortController();
  const stopListening = context.onInterrupt(() => {
    interrupt.abort();
  });
  try {
    const entries = reader.follow(interrupt.signal, async () => {
      await printLast();
    });
    for await (const entry of entries) {
      if (context.stdout.destroyed === true) return EXIT.ok;
      if (isWanted(entry)) print(entry);
    }
    return EXIT.interrupted;
  } catch (thrown) {
    return printError(
      context,
      `the folder ${root} cannot be watched: ${describeError(thrown)}; run "${ownCommand()} hooks log" without --follow`
    );
  } finally {
    stopListening();
  }
}

function printer({ json = false }: LogOptions, { stdout, env }: CliContext) {
  const style = styleFor(stdout, env);
  return (entry: HookLogEntry): void => {
    stdout.write(json ? `${JSON.stringify(entry)}\n` : renderLogLine(entry, style));
  };
}

/** Returns a filter for the entries of a checkout, and of the linked worktrees if it is their main one. */
function belongsTo(projectDir: string): (entry: HookLogEntry) => boolean {
  const known = new Map<string, boolean>();
  const isHere = (name: string): boolean => {
    const found = known.get(name) ?? (name === projectDir || realPath(name) === projectDir);
    known.set(name, found);
    return found;
  };
  return ({ workspace, project }) => isHere(workspace) || isHere(project);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
