/** The command with which the shell of an agent host starts this program (G29). */
import { realpath } from "node:fs/promises";
import { pathOutside } from "@/cli/ownCommands";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import type { ExecResult } from "@/node/runtime/HookRuntime";
import { shellWord } from "@/node/runtime/remote/shellLine";

export const PROGRAM_NAME = "agent-gauntlet";
/** The time limit of a trial. */
export const TRY_MS = 5_000;

/** Programs that every clone of a project has after its installation. None of them can download anything. */
export const CLONE_PROGRAMS: readonly string[] = [
  `./node_modules/.bin/${PROGRAM_NAME}`,
  `npx --no-install ${PROGRAM_NAME}`,
];

const PLAIN_PATH = /^[\w./@+-]+$/;
const HOOK_COMMAND =
  /^(agent-gauntlet|\.\/node_modules\/\.bin\/agent-gauntlet|npx --no-install agent-gauntlet|(?:[\w./@+-]*\/)?node (?:'.*agent-gauntlet\.cjs'|\S*agent-gauntlet\.cjs)) (.+)$/;

export interface HookCommand {
  /** The words that start the gauntlet. */
  readonly program: string;
  readonly args: string;
}

/** Parses a command that `init` wrote on any machine. Returns undefined for any other one. */
export function parseHookCommand(command: string): HookCommand | undefined {
  const [, program, args] = HOOK_COMMAND.exec(command) ?? [];
  return program === undefined || args === undefined ? undefined : { program, args };
}

const SCRIPT_OF_NODE = /^(node|\/[\w./@+-]+) (?:'((?:[^']|'\\'')*)'|([\w./@+-]+))$/;

export interface NodeScript {
  /** `node`, or its absolute path. */
  readonly node: string;
  /** Absolute. */
  readonly script: string;
}

/** Returns the parts of words that start the gauntlet by a path. Undefined if a shell would read more in them. */
export function parseNodeScript(program: string): NodeScript | undefined {
  const [, node, quoted, plain] = SCRIPT_OF_NODE.exec(program) ?? [];
  const script = quoted?.replaceAll("'\\''", "'") ?? plain;
  if (node === undefined || script?.startsWith("/") !== true) return undefined;
  return { node, script };
}

/** Returns whether the words that start the gauntlet name no path of one machine. */
export function isPortable(program: string): boolean {
  return [PROGRAM_NAME, ...CLONE_PROGRAMS].includes(program);
}

/** Returns only the name if the shell finds a program of that name with `--verify`; else the path of this one. */
export async function findHookProgram(place: InitPlace): Promise<string> {
  const { acceptsOptions, hasNode } = await tryName(place);
  if (acceptsOptions) return PROGRAM_NAME;
  const called = await realpath(place.program).catch(() => place.program);
  // It starts with another script if the user called it by the package's name.
  const path = called.replace(/mux-stop-hooks\.cjs$/, `${PROGRAM_NAME}.cjs`);
  const node = hasNode || !PLAIN_PATH.test(process.execPath) ? "node" : process.execPath;
  return `${node} ${PLAIN_PATH.test(path) ? path : shellWord(path)}`;
}

interface Tried {
  /** Whether the program of that name has `--verify`. An older one would refuse the options. */
  readonly acceptsOptions: boolean;
  /** Whether the shell finds `node`. */
  readonly hasNode: boolean;
}

async function tryName(place: InitPlace): Promise<Tried> {
  const script = `${PROGRAM_NAME} stop-hook --help; code=$?; command -v node >&2; exit $code`;
  const { end, stdout, stderr } = await execAsHost(place, script);
  const hasEnded = end.kind === "exited" && end.code === 0;
  return {
    acceptsOptions: hasEnded && stdout.text.includes("--verify"),
    hasNode: /\/node\s*$/.test(stderr.text),
  };
}

/**
 * Runs a script in the shell that hosts use, in the folder of the project, for at most `TRY_MS`. The shell finds no
 * program of the project: nothing of it may run before the user agrees.
 */
export async function execAsHost(place: InitPlace, script: string): Promise<ExecResult> {
  const { runtime, projectDir } = place;
  return await runtime.exec({
    command: { script, shell: "/bin/sh" },
    cwd: projectDir,
    env: { PATH: pathOutside(projectDir, place) },
    timeoutMs: TRY_MS,
  });
}
