/**
 * Finds the program that a command such as `mux` starts, with its kind, which determines how it gets the hooks, and
 * finds the preload with the hooks. Rejects programs that cannot load it, such as those of Bun or Windows.
 */
import { shownCommand } from "@/common/ownCommandName";
import { existsSync } from "node:fs";
import { open, realpath, stat } from "node:fs/promises";
import { basename, extname, isAbsolute, resolve } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import type { CliContext } from "@/cli/context";
import { type DesktopApp, findDesktopApp, isAppImage } from "@/cli/mux/desktop/findDesktopApp";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { notReadable } from "@/cli/messages/shared";
import { createRequire } from "node:module";

/** A program that starts Mux, by the way in which it gets the preload. */
export type HostProgram =
  /** JavaScript for Node. Without an entry it is Node itself, and its arguments name the script. */
  | {
      readonly kind: "node";
      readonly node: string;
      readonly flags: string[];
      readonly entry?: string;
    }
  /** Another program that starts Node, such as a shell script, npx or a process manager. */
  | { readonly kind: "launcher"; readonly file: string }
  /** A packaged app, which is run as Node. */
  | { readonly kind: "desktop"; readonly app: DesktopApp }
  | { readonly kind: "appimage"; readonly file: string };

type LookupPlace = Pick<CliContext, "cwd" | "env">;

const HEAD_BYTES = 512;

/** Finds and classifies a program. @param command a name to look up on the PATH, or a path */
export async function findHostProgram(
  command: string,
  place: LookupPlace
): Promise<Result<HostProgram, string>> {
  const found = await locate(command, place);
  if (found === undefined) {
    return err(
      command.includes("/")
        ? `${command} does not exist`
        : `${command} is not on the PATH; install it, or give the path of its dist/cli/index.js`
    );
  }
  try {
    return await classify(await realpath(found), place);
  } catch (thrown) {
    return err(notReadable(found, describeError(thrown)));
  }
}

async function locate(command: string, { cwd, env }: LookupPlace): Promise<string | undefined> {
  if (!command.includes("/")) return await findOnPath(command, env.PATH);
  const path = resolve(cwd, command);
  return existsSync(path) ? path : undefined;
}

async function classify(file: string, place: LookupPlace): Promise<Result<HostProgram, string>> {
  if (extname(file) === ".exe")
    return err(
      `${file} is a Windows program, which cannot load hooks from this system; install Mux on this system`
    );
  const app = await findDesktopApp(file);
  if (app !== undefined) return ok({ kind: "desktop", app });
  if ((await stat(file)).isDirectory()) {
    return err(
      `${file} is a folder; name the program in it, for example node <mux>/dist/cli/index.js`
    );
  }
  const head = await readHead(file);
  if (isAppImage(file, head)) return ok({ kind: "appimage", file });
  if (head.startsWith("#!")) return await classifyScript(file, head, place);
  if ([".js", ".cjs", ".mjs"].includes(extname(file))) {
    return ok({ kind: "node", node: await nodeOf("node", place), flags: [], entry: file });
  }
  const name = basename(file);
  if (["node", "nodejs"].includes(name)) return ok({ kind: "node", node: file, flags: [] });
  if (["bun", "bunx", "deno"].includes(name)) return err(notRunByNode(file, name));
  return ok({ kind: "launcher", file });
}

async function classifyScript(
  file: string,
  head: string,
  place: LookupPlace
): Promise<Result<HostProgram, string>> {
  const words = (head.split("\n", 1)[0] ?? "").slice(2).trim().split(/\s+/);
  const rest = words.filter((word) => !/^(?:\S*\/env|-S|\w+=\S*)$/.test(word));
  const [interpreter = "", ...flags] = rest;
  const name = basename(interpreter);
  if (name === "bun" || name === "deno") return err(notRunByNode(file, name));
  if (name !== "node" && name !== "nodejs") return ok({ kind: "launcher", file });
  return ok({ kind: "node", node: await nodeOf(interpreter, place), flags, entry: file });
}

/** Returns the Node that would run the script, or this process's own if there is no other. */
async function nodeOf(interpreter: string, { env }: LookupPlace): Promise<string> {
  if (isAbsolute(interpreter)) return interpreter;
  return (await findOnPath(interpreter, env.PATH)) ?? process.execPath;
}

async function readHead(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** @param runtime such as `bun` */
function notRunByNode(path: string, runtime: string): string {
  return `${path} is run by ${runtime}, which cannot load the hooks; start the build with Node: "${shownCommand()} hooks attach -- node <mux>/dist/cli/index.js …"`;
}

/** Returns the absolute path of the preload for hosts, or why there is none. */
export function findPreload(): Result<string, string> {
  try {
    return ok(createRequire(import.meta.url).resolve("mux-stop-hooks/register"));
  } catch {
    return err('mux-stop-hooks is not built; run "make build" in its folder');
  }
}
