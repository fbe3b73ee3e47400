/** Explains why a program could not be started, with the next step (H23), and finds programs on a PATH. */
import { access, constants, open, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { describeError, errorCode } from "@/common/errors";
import type { ExecEnd } from "@/node/runtime/HookRuntime";
import { notStarted } from "@/node/runtime/messages";
import type { Program } from "@/node/runtime/process/spawnGroup";

type NotStarted = Extract<ExecEnd, { kind: "notStarted" }>;

/**
 * Returns why a program could not be started. The system reports ENOENT for a missing folder, a missing program and a
 * missing interpreter alike, so this checks which it is.
 */
export async function explainStartFailure(program: Program, thrown: unknown): Promise<NotStarted> {
  const code = await trueCode(program, errorCode(thrown));
  // A file that this user may not read explains nothing.
  const fileProblem = await brokenFile(program, code).catch(() => undefined);
  const reason = nulByte(program) ?? (await brokenFolder(program.cwd)) ?? fileProblem;
  const message = reason ?? notStarted.other(program.file, describeError(thrown));
  return { kind: "notStarted", code, message };
}

/**
 * Returns ENOENT instead of an EACCES that only means that a folder on the PATH may not be searched. In that case the
 * system reports EACCES for every program that it cannot find.
 */
async function trueCode(
  { file, env }: Program,
  code: string | undefined
): Promise<string | undefined> {
  if (code !== "EACCES" || file.includes("/")) return code;
  return (await isFileOnPath(file, env.PATH)) ? code : "ENOENT";
}

function nulByte({ file, args, cwd, env }: Program): string | undefined {
  const hasNul = [file, ...args, cwd, ...Object.entries(env).flat()].some((text) =>
    text?.includes("\0")
  );
  return hasNul ? notStarted.nulByte : undefined;
}

async function brokenFolder(cwd: string): Promise<string | undefined> {
  try {
    if (!(await stat(cwd)).isDirectory()) return notStarted.notFolder(cwd);
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === "ENOENT") return notStarted.folderMissing(cwd);
    return notStarted.notEntered(cwd, code ?? describeError(thrown));
  }
}

async function brokenFile(program: Program, code: string | undefined): Promise<string | undefined> {
  const { file } = program;
  switch (code) {
    case "ENOENT": {
      const path = await locate(program);
      return path === undefined ? notStarted.programMissing(file) : await missingInterpreter(path);
    }
    case "EACCES": {
      const path = await locate(program);
      const isFolder = path !== undefined && (await stat(path)).isDirectory();
      return isFolder ? notStarted.isFolder(file) : notStarted.notExecutable(file);
    }
    case "E2BIG":
      return notStarted.tooLong(file);
    case "ENOEXEC":
      return `“${file}” is not a program that this machine can run; a script needs a first line such as #!/bin/sh`;
    case "EMFILE":
    case "ENFILE":
      return `“${file}” could not be started because no file descriptor is free (${code}); raise the limit with ulimit -n`;
    case "EAGAIN":
    case "ENOMEM":
      return `“${file}” could not be started because the system cannot create another process (${code}); end some processes, or raise the limit with ulimit -u`;
    default:
      return undefined;
  }
}

/** Returns the path of the file, or undefined if it does not exist. */
async function locate({ file, cwd, env }: Program): Promise<string | undefined> {
  if (!file.includes("/")) return findOnPath(file, env.PATH);
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  return (await stat(path).catch(() => undefined)) === undefined ? undefined : path;
}

/** Explains an ENOENT for a file that exists: the interpreter that its first line names, or its loader, does not. */
async function missingInterpreter(path: string): Promise<string> {
  const line = await firstLine(path);
  return line.startsWith("#!")
    ? notStarted.interpreterMissing(path, line)
    : `“${path}” exists, but the loader that it was built for does not exist on this machine; install a build for this machine`;
}

async function firstLine(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(200), 0, 200, 0);
    return buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0] ?? "";
  } finally {
    await file.close();
  }
}

/** Returns the absolute path of the first file of that name on `searchPath` that this user may execute. */
export async function findOnPath(name: string, searchPath = ""): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    if (await isExecutableFile(file)) return file;
  }
  return undefined;
}

/** Returns whether `searchPath` has a file of that name, executable or not. */
async function isFileOnPath(name: string, searchPath = ""): Promise<boolean> {
  const paths = searchPath.split(delimiter).map((folder) => join(folder, name));
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return found.some((file) => file !== undefined);
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
