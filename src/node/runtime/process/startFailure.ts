import { access, constants, open, stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { describeError, errorCode } from "@/common/errors";
import { findOnPath, isFileOnPath } from "@/node/runtime/process/findOnPath";
import type { Program } from "@/node/runtime/process/spawnGroup";
import type { ExecEnd } from "@/node/runtime/HookRuntime";

type NotStarted = Extract<ExecEnd, { kind: "notStarted" }>;

/**
 * Explains why a program could not be started, with the next step (H23). The system reports ENOENT for a missing
 * folder, a missing program and a missing interpreter alike, so this checks which it is.
 */
export async function explainStartFailure(program: Program, thrown: unknown): Promise<NotStarted> {
  const code = await trueCode(program, errorCode(thrown));
  const reason =
    nulByte(program) ?? (await brokenFolder(program.cwd)) ?? (await brokenFile(program, code));
  const message =
    reason ?? `${quoted(program.file)} could not be started: ${describeError(thrown)}`;
  return { kind: "notStarted", ...(code === undefined ? {} : { code }), message };
}

/**
 * Returns ENOENT instead of an EACCES that only means that a folder on the PATH may not be searched. In that case the
 * system reports EACCES for every program that it cannot find.
 */
async function trueCode(
  { file, env }: Program,
  code: string | undefined
): Promise<string | undefined> {
  const isMissing =
    code === "EACCES" && !file.includes("/") && !(await isFileOnPath(file, env.PATH));
  return isMissing ? "ENOENT" : code;
}

function nulByte({ file, args, cwd, env }: Program): string | undefined {
  const hasNul = [file, ...args, cwd, ...Object.entries(env).flat()].some((text) =>
    text?.includes("\0")
  );
  if (!hasNul) return undefined;
  return "the command, its working directory or its environment holds a NUL byte, which no program can be given";
}

async function brokenFolder(cwd: string): Promise<string | undefined> {
  try {
    if (!(await stat(cwd)).isDirectory()) return `the working directory ${cwd} is not a folder`;
    await access(cwd, constants.X_OK);
    return undefined;
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === "ENOENT") return `the working directory ${cwd} does not exist`;
    return `the working directory ${cwd} cannot be entered (${code ?? describeError(thrown)})`;
  }
}

async function brokenFile(program: Program, code: string | undefined): Promise<string | undefined> {
  const name = quoted(program.file);
  switch (code) {
    case "ENOENT": {
      const path = await locate(program);
      if (path !== undefined) return await missingInterpreter(path);
      return program.file.includes("/")
        ? `${name} does not exist`
        : `${name} is not on the PATH; install it or give its path`;
    }
    case "EACCES": {
      const path = await locate(program);
      const isFolder = path !== undefined && (await stat(path)).isDirectory();
      if (isFolder) return `${name} is a folder, not a program`;
      return `${name} may not be executed; make it executable with chmod +x, or start it by its interpreter`;
    }
    case "E2BIG":
      return `the arguments and the environment of ${name} are longer than the system allows (E2BIG); hand the data over in a file or on standard input`;
    case "ENOEXEC":
      return `${name} is not a program of this machine; a script needs a first line such as #!/bin/sh`;
    case "EMFILE":
    case "ENFILE":
      return `${name} could not be started, because no file descriptor is free (${code}); raise the limit with ulimit -n`;
    case "EAGAIN":
    case "ENOMEM":
      return `${name} could not be started, because the system has no room for another process (${code}); end some, or raise the limit with ulimit -u`;
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
    ? `the interpreter of ${quoted(path)} does not exist; its first line is ${JSON.stringify(line)}`
    : `${quoted(path)} is there, but the loader that it was built for does not exist on this machine`;
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

function quoted(file: string): string {
  return `“${file}”`;
}
