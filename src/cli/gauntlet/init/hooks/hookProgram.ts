/**
 * Finds, parses and tries the commands with which the shell of an agent host starts `agent-gauntlet`, from PATH, from a
 * path, or from the dependencies of a project (G29). Also determines whether the project depends on this package.
 */
import { realpath } from "node:fs/promises";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { pathOutside, withParents } from "@/cli/findOwnCommand";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { programForHome } from "@/cli/gauntlet/init/hooks/packageCopy";
import { isJsonObject, objectOf, type JsonObject } from "@/common/json";
import { readJson } from "@/node/runtime/fileContents";
import { MIB } from "@/common/limits";
import type { ExecResult } from "@/node/runtime/HookRuntime";
import { commandWord } from "@/common/safeText";
import { shellWord } from "@/node/runtime/remote/shellLine";

export const PROGRAM_NAME = "agent-gauntlet";
/** The name of this package in a registry. */
export const PACKAGE_NAME = "mux-stop-hooks";
/** The time limit of a command that is tried. */
export const TRY_MS = 5_000;

/** The folder of the project for Claude Code, which runs hooks in the folder to which the agent changed. */
const CLAUDE_PROJECT = '"${CLAUDE_PROJECT_DIR:-.}"';

/** Programs that every clone of a project has after its installation. None of them can download anything. */
export const CLONE_PROGRAMS: readonly string[] = [
  `./node_modules/.bin/${PROGRAM_NAME}`,
  `npx --no-install ${PROGRAM_NAME}`,
  `${CLAUDE_PROJECT}/node_modules/.bin/${PROGRAM_NAME}`,
];

const HOOK_COMMAND =
  /^(agent-gauntlet|(?:\.|"\$\{CLAUDE_PROJECT_DIR:-\.\}")\/node_modules\/\.bin\/agent-gauntlet|npx --no-install agent-gauntlet|(?:[\w./@+-]*\/)?node[\w.-]* (?:'.*agent-gauntlet\.cjs'|\S*agent-gauntlet\.cjs)) (.+)$/;

export interface HookCommand {
  /** The words that start the gauntlet. */
  readonly program: string;
  readonly args: string;
  /** The time limit in seconds that the command or its handler names. */
  readonly limitS?: number;
}

/** Parses a command that `init` wrote on any machine. Returns undefined for any other one. */
export function parseHookCommand(command: string): HookCommand | undefined {
  const [, program, args] = HOOK_COMMAND.exec(command) ?? [];
  if (program === undefined || args === undefined) return undefined;
  const [, limit] = / --limit ([1-9]\d{0,4})$/.exec(args) ?? [];
  return { program, args, limitS: limit === undefined ? undefined : Number(limit) };
}

const SCRIPT_OF_NODE = /^(node|\/[\w./@+-]+) (?:'((?:[^']|'\\'')*)'|([\w./@+-]+))$/;

/**
 * Returns the parts of words that start the gauntlet by a path: `node` or its absolute path, and the absolute path of
 * the script. Returns undefined if a shell would read more in them.
 */
export function parseNodeScript(program: string) {
  const [, node, quoted, plain] = SCRIPT_OF_NODE.exec(program) ?? [];
  const script = quoted?.replaceAll("'\\''", "'") ?? plain;
  if (node === undefined || script?.startsWith("/") !== true) return undefined;
  return { node, script };
}

/** Returns the program for a host. That of a clone has to start from any folder in Claude Code. */
export function cloneProgramFor(host: string, program: string): string {
  return host === "claude" ? program.replace(/^\.(?=\/)/, CLAUDE_PROJECT) : program;
}

/** Returns whether the words that start the gauntlet name no path of one machine. */
export function isPortable(program: string): boolean {
  return program === PROGRAM_NAME || CLONE_PROGRAMS.includes(program);
}

/** Returns the first path that a program needs and that does not exist. `file` is the one with the hook. */
export async function findMissing(
  program: string,
  file: string,
  { runtime, projectDir }: Pick<InitPlace, "runtime" | "projectDir">,
  engine?: { readonly pathOf?: (program: string, file: string) => string }
): Promise<string | undefined> {
  const { node = "", script = "" } = parseNodeScript(program) ?? {};
  const local = program.replace(CLAUDE_PROJECT, ".");
  const own = local.startsWith("./") ? [posix.join(projectDir, local)] : [node, script];
  const paths =
    engine === undefined
      ? own.filter((path) => path.startsWith("/"))
      : [engine.pathOf?.(program, file) ?? file];
  const stats = await runtime.stat(paths);
  return paths.find((_, i) => stats[i]?.kind === "missing");
}

/** The programs that handlers name, by the kind of their file. */
export interface HookPrograms {
  /** In a file of this user in the project. */
  readonly personal: string;
  /** In a file of the user, which all projects share. An error explains why there is none. */
  readonly inHome: Result<string, string>;
  /** In a file of the whole team, so that it starts in every clone. Absent unless such a hook was requested. */
  readonly shared?: Result<string, string>;
}

/** The trials by place, so that a call of `init` that plans the hooks of many hosts tries the program once. */
const trials = new WeakMap<InitPlace, ReturnType<typeof tryName>>();

/** Returns whether the shell finds a program of this name with `--verify`, and whether it finds Node. */
async function tryName(place: InitPlace) {
  const script = `${PROGRAM_NAME} stop-hook --help; code=$?; command -v node >&2; exit $code`;
  const { end, stdout, stderr } = await execAsHost(place, script);
  // An older program would refuse the options.
  const acceptsOptions = stdout.text.includes("--verify");
  const isUsable = end.kind === "exited" && end.code === 0 && acceptsOptions;
  return { isUsable, hasNode: /\/node\s*$/.test(stderr.text) };
}

/**
 * Returns the programs for handlers: only the name if the shell finds a program that accepts our options, else the
 * path of this one.
 */
export async function findPrograms(place: InitPlace, isShared: boolean): Promise<HookPrograms> {
  const trial = trials.get(place) ?? tryName(place);
  trials.set(place, trial);
  const { isUsable, hasNode } = await trial;
  const node =
    hasNode || commandWord(process.execPath) !== process.execPath ? "node" : process.execPath;
  const wordsFor = async (program: string): Promise<string> => {
    const called = await realpath(program).catch(() => program);
    // The user may have called the script with the name of the package.
    const path = called.replace(/mux-stop-hooks\.cjs$/, `${PROGRAM_NAME}.cjs`);
    return `${node} ${commandWord(path)}`;
  };
  return {
    personal: isUsable ? PROGRAM_NAME : await wordsFor(place.program),
    inHome: ok(isUsable ? PROGRAM_NAME : await wordsFor(await programForHome(place))),
    shared: isShared ? await findCloneProgram(place) : undefined,
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

/** Returns the words that start the gauntlet in every clone, or why there are none. Only reads files. */
async function findCloneProgram(place: InitPlace): Promise<Result<string, string>> {
  const independent = await describeMissingDependency(place);
  if (independent !== undefined) return err(independent);
  for (const program of CLONE_PROGRAMS) {
    if ((await findInstalled(place, program)) !== undefined) return ok(program);
  }
  return err(
    `package.json depends on ${PACKAGE_NAME}, but node_modules does not have it, neither here nor in a folder above; install the dependencies of the project first`
  );
}

/**
 * Returns the package.json of the package that one of {@link CLONE_PROGRAMS} starts. npx also looks in the folders
 * around the project.
 */
export async function findInstalled(
  place: InitPlace,
  program: string
): Promise<JsonObject | undefined> {
  const folders = withParents(place.projectDir);
  for (const folder of program.startsWith("npx ") ? folders : folders.slice(0, 1)) {
    const modules = posix.join(folder, "node_modules");
    const [bin] = await place.runtime.stat([posix.join(modules, ".bin", PROGRAM_NAME)]);
    const manifest = await readManifest(place, posix.join(modules, PACKAGE_NAME));
    const isExecutable = bin?.kind === "file" && bin.executable;
    if (isExecutable && manifest.name === PACKAGE_NAME) return manifest;
  }
  return undefined;
}

/** Returns a message if the project's package.json does not depend on this package. */
export async function describeMissingDependency(place: InitPlace): Promise<string | undefined> {
  const manifest = await readManifest(place, place.projectDir);
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const isDependency = [dependencies, devDependencies, optionalDependencies].some(
    (packages) => isJsonObject(packages) && Object.hasOwn(packages, PACKAGE_NAME)
  );
  if (isDependency) return undefined;
  return `a shared hook must work in every clone of the project, but its package.json does not depend on ${PACKAGE_NAME}; omit --shared to install the hook only for you; or, ${await stepToAddDependency(place)}`;
}

/** Returns the step that adds this package to package.json from its own folder, because no registry has it. */
export async function stepToAddDependency({ program }: InitPlace): Promise<string> {
  const path = await realpath(program).catch(() => program);
  const folder = shellWord(posix.dirname(posix.dirname(path)));
  return `to add it, run this, and commit the package with package.json: npm install --save-dev "$(npm pack --silent --ignore-scripts ${folder})"`;
}

/** Returns the package.json of a folder, or an empty object if it cannot be read. */
export async function readManifest({ runtime }: InitPlace, folder: string): Promise<JsonObject> {
  return objectOf(await readJson(runtime, posix.join(folder, "package.json"), { maxBytes: MIB }));
}
