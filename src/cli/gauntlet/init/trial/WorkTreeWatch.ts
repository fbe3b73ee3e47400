import { posix } from "node:path";
import { lstat } from "node:fs/promises";
import type { InitPlace } from "@/cli/gauntlet/init/place";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";

/** Files in a working tree that git reports as changed, with their status, size and time. */
type DirtyFiles = ReadonlyMap<string, string>;

/** What Python leaves beside any module that it runs, so that every test would change files. */
const BYTECODE = /(?:^|\/)__pycache__\//;

/** Detects that a command changed files that git does not ignore. Outside a repository it detects nothing. */
export class WorkTreeWatch {
  #before: DirtyFiles | undefined;

  private constructor(
    private readonly runtime: InitPlace["runtime"],
    /** The root of the repository; absent outside of one. */
    private readonly root: string | undefined
  ) {}

  static async begin({ runtime, projectDir: cwd }: InitPlace): Promise<WorkTreeWatch> {
    const root = await runGit(runtime, { cwd, args: ["rev-parse", "--show-toplevel"] });
    const watch = new WorkTreeWatch(runtime, root.unwrapOr(undefined)?.replace(/\n$/, ""));
    watch.#before = await watch.#dirtyFiles();
    return watch;
  }

  /** Returns the paths that changed since the last call or the begin, relative to the root of the repository. */
  async changed(): Promise<string[]> {
    const [before, now] = [this.#before, await this.#dirtyFiles()];
    this.#before = now;
    if (before === undefined || now === undefined) return [];
    const paths = new Set([...before.keys(), ...now.keys()]);
    return [...paths].filter((path) => before.get(path) !== now.get(path)).sort();
  }

  async #dirtyFiles(): Promise<DirtyFiles | undefined> {
    const { runtime, root } = this;
    if (root === undefined) return undefined;
    const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"];
    const printed = await runGit(runtime, { cwd: root, args });
    if (printed.isErr()) return undefined;
    const entries = printed.value
      .split("\0")
      .filter((entry) => entry !== "" && !BYTECODE.test(entry.slice(3)));
    return new Map(
      await Promise.all(
        entries.map(async (entry): Promise<[string, string]> => {
          const path = entry.slice(3);
          const stat = await lstat(posix.join(root, path)).catch(() => undefined);
          return [path, `${entry.slice(0, 2)} ${stat?.size} ${stat?.mtimeMs}`];
        })
      )
    );
  }
}
