/** Finds the project of a command. */
import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError, errorCode } from "@/common/errors";
import type { CliContext } from "@/cli/context";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { folderMissing, notFolder, notOpened } from "@/cli/messages/files";

export interface ProjectOption {
  readonly project?: string;
}

/** A project and the runtime that reaches it. */
export interface CliWorkspace {
  readonly runtime: HookRuntime;
  /** Absolute, on the machine of the runtime. */
  readonly projectDir: string;
}

/** Markers of a project root, by precedence: a checkout may contain packages that have hooks of their own. */
const MARKS = [[".git"], [".xum", ".mux"]] as const;

/** Returns the real path of the folder named by `--project`, else of the checkout around the current folder. */
export async function findProject(
  named: string | undefined,
  { cwd, home }: Pick<CliContext, "cwd" | "home">
): Promise<Result<string, string>> {
  if (named !== undefined) return await existingFolder(resolve(cwd, named));
  // The current folder is a real path, but home may not be.
  const realHome = await realpath(home).catch(() => home);
  return await existingFolder(await checkoutAround(cwd, realHome));
}

async function checkoutAround(cwd: string, home: string): Promise<string> {
  const folders = ancestors(cwd);
  for (const marks of MARKS) {
    for (const folder of folders) {
      // Settings in the home folder are the user's layer, not a project that contains all others.
      if (folder === home && folder !== cwd) continue;
      const found = await Promise.all(marks.map((mark) => exists(join(folder, mark))));
      if (found.includes(true)) return folder;
    }
  }
  return cwd;
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false
  );
}

async function existingFolder(path: string): Promise<Result<string, string>> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? ok(real) : err(notFolder(path));
  } catch (thrown) {
    const missing = errorCode(thrown) === "ENOENT";
    return err(missing ? folderMissing(path) : notOpened(path, describeError(thrown)));
  }
}
