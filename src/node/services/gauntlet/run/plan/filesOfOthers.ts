/** Files that came to this branch with commits of others (G32). */
import { uniqueName } from "@/common/uniqueName";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { isMadeHere, lastMoves, type Move } from "@/node/services/gauntlet/turn/workPoint";
import type { Result } from "neverthrow";

const NONE: ReadonlySet<string> = new Set();

export class FilesOfOthers {
  readonly #found = new Map<string | undefined, Promise<ReadonlySet<string>>>();

  /** @param differing returns the files that differ now from a commit */
  constructor(
    private readonly runtime: HookRuntime,
    private readonly context: GitContext,
    private readonly differing: (from: string) => Promise<Result<readonly string[], GitFailure>>
  ) {}

  /**
   * Returns the files that equal their version on the base branch, and that only commits changed which were not made in this
   * worktree. In doubt, returns none.
   *
   * @param head the commit since which they changed
   */
  async since(head: string | undefined): Promise<ReadonlySet<string>> {
    const found = this.#found.get(head) ?? this.#find(head);
    this.#found.set(head, found);
    return await found;
  }

  async #find(since: string | undefined): Promise<ReadonlySet<string>> {
    const { gitDir, projectDir: cwd, head, signal } = this.context;
    if (since === undefined || since === head) return NONE;
    const moves = (await lastMoves(this.runtime, gitDir)) ?? [];
    const last = moves.findLastIndex(({ after }) => after === since);
    // Most often all commits since were made here, and then git is not asked.
    if (last === -1 || !moves.slice(last + 1).some(bringsOthers)) return NONE;
    const base = await this.#mergedBase();
    if (base === undefined) return NONE;
    const made = new Set(moves.filter(isMadeHere).map(({ after }) => after));
    const mark = uniqueName();
    const format = ["-z", `--format=${mark}%H`, "-c", "--name-only", "--no-renames", "--relative"];
    const args = ["log", ...format, "--end-of-options", `${since}..${head}`, "--"];
    const [log, differing] = await Promise.all([
      runGit(this.runtime, { cwd, args, signal }),
      this.differing(base),
    ]);
    if (log.isErr() || differing.isErr()) return NONE;
    const theirs = new Set<string>();
    const kept = new Set(differing.value);
    for (const commit of log.value.split(mark).slice(1)) {
      const [id = "", ...names] = commit.split("\0");
      const files = names.map((name, i) => (i === 0 ? name.replace(/^\n/, "") : name));
      for (const file of files) (made.has(id) ? kept : theirs).add(file);
    }
    return new Set([...theirs].filter((file) => !kept.has(file)));
  }

  /** Returns the newest commit of the base branch, or of its branch on the remote, that HEAD contains. */
  async #mergedBase(): Promise<string | undefined> {
    const { projectDir: cwd, signal, branch, baseRef, head, headInBase, baseCommit } = this.context;
    if (baseRef === undefined || head === undefined) return undefined;
    const args = ["merge-base", "--end-of-options", head, `${baseRef}@{upstream}`];
    const printed = await runGit(this.runtime, { cwd, args, signal });
    if (printed.isOk()) return printed.value.trimEnd();
    if (!headInBase) return baseCommit;
    return baseRef === branch ? undefined : head;
  }
}

/** Returns whether the move may bring commits of others. A merge ends with a move of its own, or with a commit. */
function bringsOthers(move: Move): boolean {
  return !isMadeHere(move) || /^(?:merge|pull|commit \(merge\))/.test(move.text);
}
