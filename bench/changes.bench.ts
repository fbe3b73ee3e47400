/** The cost of change detection, compared with one `git status`. */
import { setTimeout as delay } from "node:timers/promises";
import { execa } from "execa";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { changedFiles } from "@/node/services/gauntlet/change/diff/changedFiles";
import { keepSnapshots } from "@/node/services/gauntlet/change/snapshot/snapshotRefs";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { inTurns, type Figure } from "./lib";
import { benchEnv, pathOf, Repository } from "./repositories";

class CountingRuntime extends LocalRuntime {
  gits = 0;

  override exec(request: ExecRequest): Promise<ExecResult> {
    if ("file" in request.command && request.command.file === "git") this.gits++;
    return super.exec(request);
  }
}

const runtime = new CountingRuntime({ env: benchEnv });

/** Detects changes as a run does, except for the final ref, which is not part of the detection. */
async function look({ dir }: Repository, since: string | undefined): Promise<string> {
  const opened = await openRepository(runtime, dir, { baseBranch: "main", env: {} });
  const context = opened._unsafeUnwrap();
  const taken = await takeSnapshot(runtime, context, { keepIndex: true });
  const { id } = taken._unsafeUnwrap();
  const from = since ?? context.baseCommit ?? context.emptyTree;
  (await changedFiles(runtime, context, from, id))._unsafeUnwrap();
  return id;
}

/** Creates the state that an earlier run leaves behind, and returns its snapshot. */
async function lookedAt(repository: Repository): Promise<string> {
  const open = () => openRepository(runtime, repository.dir, { baseBranch: "main", env: {} });
  await delay(1_100); // Git trusts the times in the index after one second.
  const id = await look(repository, undefined);
  (await keepSnapshots(runtime, (await open())._unsafeUnwrap(), [id]))._unsafeUnwrap();
  await delay(1_100);
  return await look(repository, undefined);
}

async function againstStatus(
  repository: Repository,
  { id, claim, rounds }: Pick<Figure, "id" | "claim"> & { rounds: number },
  before?: () => Promise<void>
): Promise<Figure> {
  const since = await lookedAt(repository);
  const { dir: cwd } = repository;
  const status = () => execa("git", ["status", "--porcelain=v2", "-z"], { cwd, env: STATUS_ENV });
  const sides = { floor: status, ours: () => look(repository, since) };
  const { floor, ours } = await inTurns(sides, rounds, before);
  const value = ours / floor;
  return { id, claim: `${claim}, against one git status`, value, unit: "ratio" };
}

const STATUS_ENV = { ...benchEnv, GIT_OPTIONAL_LOCKS: "0" };

async function edit(repository: Repository, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await repository.write(pathOf(i), `let changed${i};\n`);
}

export async function changes(): Promise<Figure[]> {
  const repository = await Repository.create(10_000);
  try {
    await edit(repository, 3);
    await repository.write("untracked.ts", "let new;\n");
    const claim = "nothing changed since the last look at 10,000 files";
    const figures = [
      await againstStatus(repository, { id: "changes-10k", claim, rounds: 40 }),
      await processes(repository),
    ];

    let edits = 0;
    const edited = { id: "changes-edited", claim: "one of 10,000 files edited", rounds: 25 };
    const save = () => repository.write("edited.ts", `let n = ${edits++};\n`);
    figures.push(await againstStatus(repository, edited, save));

    await edit(repository, 10_000);
    const modified = { id: "changes-modified", claim: "nothing changed since, 10,000 modified" };
    figures.push(await againstStatus(repository, { ...modified, rounds: 9 }));

    for (let i = 0; i < 10_000; i++) await repository.write(`new/${pathOf(i)}`, `let new${i};\n`);
    const untracked = { id: "changes-untracked", claim: "and 10,000 untracked files with them" };
    figures.push(await againstStatus(repository, { ...untracked, rounds: 9 }));
    return figures;
  } finally {
    await repository.remove();
  }
}

async function processes(repository: Repository): Promise<Figure> {
  const since = await lookedAt(repository);
  runtime.gits = 0;
  await look(repository, since);
  const claim = "git processes to learn that nothing changed";
  return { id: "git-processes", claim, value: runtime.gits, unit: "processes" };
}

export async function manyFiles(): Promise<Figure> {
  const repository = await Repository.create(100_000);
  try {
    await edit(repository, 3);
    const claim = "nothing changed since the last look at 100,000 files";
    return await againstStatus(repository, { id: "changes-100k", claim, rounds: 8 });
  } finally {
    await repository.remove();
  }
}
