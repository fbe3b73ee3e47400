/** Change detection as a run does it, and the `git status` that it is compared with. */
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";
import type { ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { changedFiles } from "@/node/services/gauntlet/change/diff/changedFiles";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { keepSnapshots } from "@/node/services/gauntlet/change/git/gitQueries";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { benchEnv, pathOf, version, type Repository } from "./repositories";

class CountingRuntime extends FastStartRuntime {
  gits = 0;

  override exec(request: ExecRequest): Promise<ExecResult> {
    if ("file" in request.command && request.command.file === "git") this.gits++;
    return super.exec(request);
  }
}

const runtime = new CountingRuntime({ env: benchEnv });

/** A repository with the state that an earlier run leaves behind. */
export class Watched {
  /** The snapshot of the last look. */
  #last = "";
  /** The snapshot with which the next look compares. */
  #kept: string | undefined;

  private constructor(private readonly repository: Repository) {}

  static async create(repository: Repository): Promise<Watched> {
    const watched = new Watched(repository);
    await delay(1_100); // Git trusts the times in the index after one second.
    await watched.look();
    await watched.keep();
    await delay(1_100);
    await watched.look();
    return watched;
  }

  /** Detects changes as a run does, except for the final ref, which is not part of the detection. */
  async look(): Promise<void> {
    const context = await this.#open();
    const from = this.#kept ?? context.baseCommit ?? context.emptyTree;
    const taken = await takeSnapshot(runtime, context, { keepIndex: true, compareWith: [from] });
    const { id, changes } = taken._unsafeUnwrap();
    this.#last = id;
    (changes.get(from) ?? (await changedFiles(runtime, context, from, id)))._unsafeUnwrap();
  }

  /** Keeps the last snapshot as the end of a run does, so that the next look starts from it. */
  async keep(): Promise<void> {
    if (this.#last === this.#kept) return;
    (await keepSnapshots(runtime, await this.#open(), [this.#last]))._unsafeUnwrap();
    this.#kept = this.#last;
  }

  /** Returns how many git processes a look starts. */
  async processesOfLook(): Promise<number> {
    runtime.gits = 0;
    await this.look();
    return runtime.gits;
  }

  async #open(): Promise<GitContext> {
    const { dir } = this.repository;
    const opened = await openRepository(runtime, dir, { baseBranch: "main", env: {} });
    return opened._unsafeUnwrap();
  }
}

export function gitStatus({ dir: cwd }: Repository): Promise<unknown> {
  const env = { ...benchEnv, GIT_OPTIONAL_LOCKS: "0" };
  return execa("git", ["status", "--porcelain=v2", "-z"], { cwd, env });
}

/** Writes the `n`th version of new content to `count` files. */
export async function edit(repository: Repository, count: number, n = 0): Promise<void> {
  for (let i = 0; i < count; i++) await repository.write(pathOf(i), `// changed\n${version(n)}`);
}
