/** The commits that the commands of a run compare with (G33). No git process runs unless a check needs one. */
import { ok, type Result } from "neverthrow";
import { execGit, type GitFailure } from "@/node/services/gauntlet/change/git/runGit";
import { treeCommit } from "@/node/services/gauntlet/change/snapshot/treeCommit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { getsBase } from "@/node/services/gauntlet/domain/checkFiles";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { JobScope } from "@/node/services/gauntlet/run/selectJobs";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

export class BaseCommits {
  readonly #known = new Map<string, Promise<Result<string, GitFailure>>>();
  readonly #made = new Set<string>();

  constructor(
    private readonly runtime: HookRuntime,
    private readonly context: GitContext
  ) {}

  /** The commits that were made, for which a ref is needed. */
  get made(): readonly string[] {
    return [...this.#made];
  }

  /** Returns the commit that a job is compared with, or undefined if its command needs none. */
  async of(
    { gate }: Job,
    scope: JobScope | undefined
  ): Promise<Result<string | undefined, GitFailure>> {
    if (scope === undefined || !getsBase(gate)) return ok(undefined);
    const { from, head = "" } = scope;
    const key = `${from} ${head}`;
    const known = this.#known.get(key) ?? this.#commitOf(scope);
    this.#known.set(key, known);
    return await known;
  }

  async #commitOf({ from, head }: JobScope): Promise<Result<string, GitFailure>> {
    const { baseCommit, head: current, emptyTree } = this.context;
    if (from === baseCommit || from === current) return ok(from);
    if (from === emptyTree) return await this.#make(from, undefined);
    if (head !== undefined) {
      const made = await this.#make(from, head);
      if (made.isOk()) return made;
    } else if (await this.#isCommit(from)) return ok(from);
    // An older parent makes a tool find more changes, never fewer.
    return await this.#make(from, baseCommit ?? current);
  }

  async #make(tree: string, parent: string | undefined): Promise<Result<string, GitFailure>> {
    const made = await treeCommit(this.runtime, this.context, tree, parent);
    if (made.isOk()) this.#made.add(made.value);
    return made;
  }

  async #isCommit(id: string): Promise<boolean> {
    const { projectDir: cwd, signal } = this.context;
    const args = ["rev-parse", "--quiet", "--verify", "--end-of-options", `${id}^{commit}`];
    const found = await execGit(this.runtime, { cwd, args, signal });
    return found.isOk() && found.value.code === 0;
  }
}

/** The variables for tools that read one (G33). */
export function baseVariables(base: string | undefined): Record<string, string> {
  if (base === undefined) return {};
  return { GAUNTLET_BASE: base, TURBO_SCM_BASE: base, NX_BASE: base };
}
