/** A run in a repository whose git folder cannot be written, as in the sandbox of some agents (G9). */
import { posix } from "node:path";
import { uniqueName } from "@/common/uniqueName";
import type { ExecRequest, HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { QUESTION_PREFIX } from "@/node/services/gauntlet/state/runFiles";
import { TEMPORARY } from "@/node/services/gauntlet/change/snapshot/TemporaryIndex";

interface Scratch {
  /** Starts git so that it writes its objects to the scratch folder. */
  readonly runtime: HookRuntime;
  readonly context: GitContext;
  readonly remove: () => Promise<void>;
}

/**
 * Returns undefined if the git folder can be written, or if no other folder can.
 *
 * @param logDir absolute
 */
export async function openScratch(
  runtime: HookRuntime,
  context: GitContext,
  logDir: string
): Promise<Scratch | undefined> {
  const probe = posix.join(context.gitDir, `${TEMPORARY}${Date.now()}.${uniqueName()}`);
  const isWritable = (await runtime.createFile(probe, "")).isOk();
  if (isWritable) {
    await runtime.remove(probe);
    return undefined;
  }
  // No exclude file can name the folder of the logs.
  const written = await runtime.writeFile(posix.join(logDir, ".gitignore"), "*\n");
  const folder = posix.join(logDir, `${QUESTION_PREFIX}${uniqueName()}`);
  const objects = posix.join(folder, "objects");
  const pack = await runtime.writeFile(posix.join(objects, "info", "exists"), "");
  if (written.isErr() || pack.isErr()) return undefined;
  return {
    runtime: withObjects(runtime, objects, posix.join(context.commonDir, "objects")),
    context: { ...context, scratch: folder },
    remove: async () => void (await runtime.remove(folder)),
  };
}

/** Commands of checks only read the objects, for a commit that they compare with. */
function withObjects(runtime: HookRuntime, own: string, others: string): HookRuntime {
  const exec = async (request: ExecRequest) => {
    const isGit = "file" in request.command && request.command.file === "git";
    const env: Record<string, string> = isGit
      ? { GIT_OBJECT_DIRECTORY: own, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(others) }
      : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(own) };
    return await runtime.exec({ ...request, env: { ...env, ...request.env } });
  };
  return new Proxy(runtime, {
    get: (target, name) => {
      if (name === "exec") return exec;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The paths in that variable are separated by colons, unless one is quoted. */
function quoted(path: string): string {
  return /[:"]/.test(path) ? JSON.stringify(path) : path;
}
