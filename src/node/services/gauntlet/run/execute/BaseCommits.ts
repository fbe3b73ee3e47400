/** The commits that the commands of a run compare with (G33). No git process runs unless a check needs one. */
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { failed, runGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import { treeCommit } from "@/node/services/gauntlet/change/git/queries";
import { getsBase } from "@/node/services/gauntlet/domain/checkFiles";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { JobScope } from "@/node/services/gauntlet/run/plan/selectJobs";

export interface FoundBase {
  readonly commit: string;
  /** The common ancestor of the commit and HEAD, with which tools compare HEAD. */
  readonly start: string;
}

export class BaseCommits {
  /** The commits that were made, for which a ref is needed. */
  readonly made: string[] = [];
  readonly #known = new Map<string, Promise<Result<FoundBase, GitFailure>>>();

  constructor(
    private readonly runtime: HookRuntime,
    private readonly context: GitContext
  ) {}

  /** Returns the commit that a job is compared with, or undefined if its command needs none. */
  async of(
    { gate }: Job,
    scope: JobScope | undefined
  ): Promise<Result<FoundBase | undefined, GitFailure>> {
    if (scope === undefined || !getsBase(gate)) return ok(undefined);
    const { from, head = "" } = scope;
    const key = `${from} ${head}`;
    const known = this.#known.get(key) ?? this.#commitOf(scope);
    this.#known.set(key, known);
    return await known;
  }

  /**
   * A tool such as `vitest --changed` finds no changes, and so passes, if the commit and HEAD have no common ancestor.
   * Then the base of the branch is used, from which a tool finds more changes, never fewer.
   */
  async #commitOf(scope: JobScope): Promise<Result<FoundBase, GitFailure>> {
    const { head, baseCommit = head } = this.context;
    if (head === undefined || baseCommit === undefined)
      return err(failed("the repository has no commit yet; make the first one"));
    for (const commit of [await this.#exactCommit(scope, baseCommit), baseCommit]) {
      if (commit === undefined) continue;
      const start = await this.#git("merge-base", "--end-of-options", commit, head);
      if (start.isOk()) return ok({ commit, start: start.value.trim() });
    }
    return err(
      failed(
        `${baseCommit} and HEAD have no common ancestor; fetch the complete history, or check "base_branch"`
      )
    );
  }

  /** Returns undefined for the empty tree, which no ancestor of HEAD has. */
  async #exactCommit({ from, head }: JobScope, baseCommit: string): Promise<string | undefined> {
    if (from === this.context.emptyTree) return undefined;
    if (from === baseCommit || from === this.context.head) return from;
    const isCommit = ["rev-parse", "--quiet", "--verify", "--end-of-options", `${from}^{commit}`];
    if (head === undefined && (await this.#git(...isCommit)).isOk()) return from;
    const made = await treeCommit(this.runtime, this.context, from, head ?? baseCommit);
    if (made.isOk()) this.made.push(made.value);
    return made.unwrapOr(undefined);
  }

  async #git(...args: readonly string[]): Promise<Result<string, GitFailure>> {
    const { projectDir: cwd, signal } = this.context;
    return await runGit(this.runtime, { cwd, args, signal });
  }
}

/** The variables for tools that read one (G33). */
export function baseVariables(base: string | undefined): Record<string, string> {
  if (base === undefined) return {};
  return { GAUNTLET_BASE: base, TURBO_SCM_BASE: base, NX_BASE: base };
}
