/**
 * Creates and removes the git index that each snapshot uses instead of the user's, and keeps one, with the list of its
 * large files, for the next snapshot (G9). Also removes those that killed runs left.
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { sha256 } from "@/common/hash";
import { uniqueName } from "@/common/randomName";
import { MIB } from "@/common/limits";
import { plainText } from "@/common/safeText";
import { readJson } from "@/node/runtime/fileContents";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { failed, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import * as hashLargeFiles from "@/node/services/gauntlet/change/snapshot/hashLargeFiles";

/** The tree that a kept index holds, and the large files that have stand-ins in it. */
export interface KeptTree {
  readonly tree: string;
  readonly large: hashLargeFiles.LargeFiles;
}

/**
 * A separate index in the git folder, for one snapshot. One of them may be kept between snapshots. Its name contains
 * its origin and the tree that it holds. An index in use has another name: only one run can use it, and an index that a
 * killed run left incomplete is never found under the kept name.
 */
export class TemporaryIndex {
  /** Absolute. The file does not exist before `copy` or `reuse`. */
  readonly path: string;
  /** Whether neither the index nor its lock file exists. */
  #isGone = true;

  private constructor(
    private readonly runtime: HookRuntime,
    private readonly context: GitContext,
    private readonly kept: readonly string[],
    private readonly origin: string,
    now: number
  ) {
    this.path = posix.join(folderOf(context), `${TEMPORARY}${now}.${uniqueName()}`);
  }

  /** Creates an index, and removes those that killed runs left. */
  static async open(
    runtime: HookRuntime,
    context: GitContext,
    now = Date.now()
  ): Promise<TemporaryIndex> {
    const [listed, origin] = await Promise.all([
      runtime.list(folderOf(context)),
      originOf(runtime, context),
    ]);
    const names = listed.unwrapOr([]);
    const forgotten = names.filter((name) => isForgotten(name, now));
    await Promise.all(forgotten.map((name) => runtime.remove(posix.join(folderOf(context), name))));
    const kept = names.filter((name) => name.startsWith(KEPT));
    return new TemporaryIndex(runtime, context, kept, origin, now);
  }

  /**
   * Copies the user's index, so that git need not read every file again. Keeps the modification time: git reads files
   * again that were changed at that time or later.
   */
  async copy(): Promise<Result<void, GitFailure>> {
    const { gitDir: cwd, signal } = this.context;
    const from = posix.join(cwd, "index");
    const [[stat]] = await Promise.all([this.runtime.stat([from]), this.remove()]);
    this.#isGone = false;
    if (stat?.kind === "missing") return ok(undefined);
    const command = { file: "cp", args: ["-p", from, this.path] };
    const { end, stderr } = await this.runtime.exec({ command, cwd, signal });
    if (end.kind === "exited" && end.code === 0) return ok(undefined);
    if (end.kind === "cancelled")
      return err({ reason: "cancelled", message: "cp was interrupted" });
    const words = end.kind === "notStarted" ? end.message : plainText(stderr.text).trim();
    return err(failed(`the git index ${from} could not be copied: ${words}`));
  }

  /**
   * Renames the kept index to `path` and returns its tree, or undefined if there is no usable index. A ref or HEAD must
   * hold the tree as well, because git may delete content that is only in an index.
   *
   * @param recent a tree that was written moments ago, which git does not delete yet
   */
  async reuse(recent?: string): Promise<KeptTree | undefined> {
    const { headTree, keptSnapshots } = this.context;
    const held = [recent, ...keptSnapshots, headTree].filter((id) => id !== undefined);
    const found = held
      .flatMap((tree) => ["", LARGE].map((suffix) => ({ tree, suffix })))
      .find(({ tree, suffix }) => this.kept.includes(keptName(this.origin, tree) + suffix));
    if (found === undefined) return undefined;
    const kept = this.#beside(keptName(this.origin, found.tree) + found.suffix);
    const large =
      found.suffix === ""
        ? hashLargeFiles.NO_LARGE_FILES
        : hashLargeFiles.parseLargeFiles(
            await readJson(this.runtime, `${kept}.json`, { maxBytes: MIB })
          );
    // Without its list, a change of a large file would not be noticed.
    if (large === undefined) return undefined;
    this.#isGone = false;
    if ((await this.runtime.rename(kept, this.path)).isErr()) return undefined;
    return { tree: found.tree, large };
  }

  /**
   * Keeps the index for the next snapshot instead of the previous one. If that fails, the next snapshot takes longer.
   */
  async saveForNext(tree: string, large = hashLargeFiles.NO_LARGE_FILES): Promise<void> {
    const suffix = large.size === 0 ? "" : LARGE;
    const name = keptName(this.origin, tree) + suffix;
    const list = `${name}.json`;
    if (suffix !== "") {
      const json = JSON.stringify([...large]);
      if ((await this.runtime.writeFile(this.#beside(list), json)).isErr()) return;
    }
    const others = this.kept.filter((other) => other !== name && other !== list);
    const litter = [...others.map((other) => this.#beside(other)), `${this.path}.lock`];
    const [renamed] = await Promise.all([
      this.runtime.rename(this.path, this.#beside(name)),
      ...litter.map((path) => this.runtime.remove(path)),
    ]);
    this.#isGone = renamed.isOk();
  }

  async remove(): Promise<void> {
    if (this.#isGone) return;
    await Promise.all([this.path, `${this.path}.lock`].map((path) => this.runtime.remove(path)));
  }

  #beside(name: string): string {
    return posix.join(folderOf(this.context), name);
  }
}

export const TEMPORARY = "agent-gauntlet-index.";
const KEPT = `${TEMPORARY}kept.`;
/** Ends the name of an index with stand-ins for large files. The name of their list has `.json` after it. */
const LARGE = ".large";
const FORGOTTEN_AFTER_MS = 60 * 60 * 1000;

function folderOf({ gitDir, scratch }: GitContext): string {
  return scratch ?? gitDir;
}

/** Returns whether a killed run left the file. Its name contains its creation time. */
function isForgotten(name: string, now: number): boolean {
  const madeAt = Number.parseInt(name.slice(TEMPORARY.length), 10);
  return name.startsWith(TEMPORARY) && now - madeAt > FORGOTTEN_AFTER_MS;
}

function keptName(origin: string, tree: string): string {
  return `${KEPT}${origin}.${tree}`;
}

/** Returns a digest of everything outside the working tree that determines the content of an index. */
async function originOf(
  runtime: HookRuntime,
  { gitDir, commonDir, outputs = [] }: Pick<GitContext, "gitDir" | "commonDir" | "outputs">
): Promise<string> {
  const stats = await runtime.stat([
    posix.join(gitDir, "index"),
    posix.join(gitDir, "config.worktree"),
    posix.join(gitDir, "info/sparse-checkout"),
    ...["config", "info/exclude", "info/attributes"].map((name) => posix.join(commonDir, name)),
  ]);
  const versions = stats.map((stat) =>
    "mtimeMs" in stat ? `${stat.identity}:${stat.size}:${stat.mtimeMs}` : stat.kind
  );
  versions.push(...outputs.flatMap(({ patterns }) => patterns));
  return sha256(versions.join(" "), 16);
}
