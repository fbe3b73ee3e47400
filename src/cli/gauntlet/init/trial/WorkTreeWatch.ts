import { posix } from "node:path";
import { lstat } from "node:fs/promises";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";

/** Files in a working tree that git reports as changed, with their status, size and time. */
type DirtyFiles = ReadonlyMap<string, string>;

/** Detects that a command changed files that git does not ignore. Outside a repository it detects nothing. */
export class WorkTreeWatch {
  #before: DirtyFiles | undefined;

  constructor(private readonly place: Pick<InitPlace, "runtime" | "projectDir">) {}

  async begin(): Promise<void> {
    this.#before = await this.#dirtyFiles();
  }

  /** Returns the paths that changed since `begin`, relative to the root of the repository. */
  async changed(): Promise<string[]> {
    const [before, now] = [this.#before, await this.#dirtyFiles()];
    if (before === undefined || now === undefined) return [];
    const paths = new Set([...before.keys(), ...now.keys()]);
    return [...paths].filter((path) => before.get(path) !== now.get(path)).sort();
  }

  async #dirtyFiles(): Promise<DirtyFiles | undefined> {
    const { runtime, projectDir: cwd } = this.place;
    const root = await runGit(runtime, { cwd, args: ["rev-parse", "--show-toplevel"] });
    const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"];
    const printed = await runGit(runtime, { cwd, args });
    if (root.isErr() || printed.isErr()) return undefined;
    const entries = printed.value.split("\0").filter((entry) => entry !== "");
    return new Map(
      await Promise.all(
        entries.map(async (entry): Promise<[string, string]> => {
          const path = entry.slice(3);
          const stat = await lstat(posix.join(root.value.trim(), path)).catch(() => undefined);
          return [path, `${entry.slice(0, 2)} ${stat?.size} ${stat?.mtimeMs}`];
        })
      )
    );
  }
}
