/**
 * Makes a temporary worktree of HEAD, with links to installed dependencies, in which checks run to find the failures that
 * are recorded as known, while the working tree has uncommitted changes (G44).
 */
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import * as git from "@/node/services/gauntlet/change/git/runGit";

/** Folders of dependencies, which a checkout has but git does not. */
const DEPENDENCIES = new Set(["node_modules", ".venv", "venv", "vendor", ".bundle", ".tox"]);
const MAX_LINKS = 500;

export class HeadWorktree {
  #opened: Promise<Result<string, git.GitFailure>> | undefined;
  #root: string | undefined;

  constructor(
    private readonly runtime: HookRuntime,
    private readonly context: GitContext
  ) {}

  /** Returns the absolute folder of the project in the worktree. Every call returns the same one. */
  async open(): Promise<Result<string, git.GitFailure>> {
    return await (this.#opened ??= this.#create());
  }

  /** Removes the worktree, if there is one. */
  async remove(): Promise<void> {
    if (this.#root === undefined) return;
    const { projectDir: cwd } = this.context;
    await git.execGit(this.runtime, { cwd, args: ["worktree", "remove", "--force", this.#root] });
    await this.runtime.remove(posix.dirname(this.#root));
    await git.execGit(this.runtime, { cwd, args: ["worktree", "prune"] });
  }

  async #create(): Promise<Result<string, git.GitFailure>> {
    const { projectDir: cwd, root, prefix, head = "HEAD", signal } = this.context;
    const parent = this.runtime.isRemote
      ? (await this.runtime.scratchDir()).mapErr(({ message }) => git.failed(message))
      : ok(tmpdir());
    if (parent.isErr()) return err(parent.error);
    const folder = `agent-gauntlet-${crypto.randomUUID()}`;
    this.#root = posix.join(parent.value, folder, posix.basename(root));
    const args = ["worktree", "add", "--quiet", "--detach", this.#root, head];
    const added = await git.runGit(this.runtime, { cwd, args, signal });
    if (added.isErr()) return err(added.error);
    await this.#linkDependencies(this.#root);
    return ok(posix.join(this.#root, prefix));
  }

  /** Links the ignored folders of dependencies, as far as there are any. */
  async #linkDependencies(worktree: string): Promise<void> {
    const { root: cwd, signal } = this.context;
    const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
    const listed = await git.runGit(this.runtime, { cwd, args, signal });
    const folders = listed
      .unwrapOr("")
      .split("\0")
      .filter((path) => path.endsWith("/") && DEPENDENCIES.has(posix.basename(path)))
      .slice(0, MAX_LINKS);
    const pairs = folders.flatMap((path) => [posix.join(cwd, path), posix.join(worktree, path)]);
    if (pairs.length === 0) return;
    const script = 'while [ $# -gt 1 ]; do ln -s "${1%/}" "${2%/}"; shift 2; done';
    await this.runtime.exec({ command: { script, args: pairs }, cwd: worktree, isBrief: true });
  }
}
