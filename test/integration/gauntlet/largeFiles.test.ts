/** Untracked files above 1 MiB, of which a snapshot has only the hash (G9). */
import * as fs from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { HookRuntime, PresentStat } from "@/node/runtime/HookRuntime";
import { stampOf } from "@/node/runtime/fileContents";
import { inputWords } from "@/node/runtime/remote/shellLine";
import { keepSnapshots } from "@/node/services/gauntlet/change/git/gitQueries";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import * as largeFiles from "@/node/services/gauntlet/change/snapshot/hashLargeFiles";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import { MIB } from "@/common/limits";
import { farRuntime } from "@test/helpers/remote/localShell";
import { GitProject } from "@test/helpers/gitProject";

const second = (ms: number): number => Math.floor(ms / 1_000) * 1_000;
const large = (letter: string): string => letter.repeat(2 * MIB);

async function snapshot(
  { dir, runtime: own }: GitProject,
  keepIndex = true,
  runtime: HookRuntime = own
): Promise<string> {
  const opened = await openRepository(runtime, dir, { baseBranch: "main", env: {} });
  const context = opened._unsafeUnwrap();
  const taken = await takeSnapshot(runtime, context, { keepIndex });
  const { id } = taken._unsafeUnwrap();
  if (keepIndex) (await keepSnapshots(runtime, context, [id]))._unsafeUnwrap();
  return id;
}

/** Returns the sizes of large objects. */
function contents(project: GitProject): string[] {
  const listed = project.git("cat-file", "--batch-all-objects", "--batch-check=%(objectsize)");
  return listed.split("\n").filter((size) => Number(size) > MIB);
}

it("a snapshot notices every change of a large file, and stores none", async () => {
  const project = await GitProject.create({ "a.ts": "1" });
  project.write({ "dir/dev.db": large("a"), "small.db": "s", "new\nline.db": large("n") });
  const at = (name: string): string => project.at(name);
  const write = (files: Record<string, string>) => () => {
    project.write(files);
  };
  const steps: Record<string, () => void> = {
    "a large file": () => undefined,
    "another content": write({ "dir/dev.db": large("b") }),
    "a mode": () => {
      fs.chmodSync(at("dir/dev.db"), 0o755);
    },
    "another large file": write({ "other.db": large("o"), "a.ts": "2" }),
    nothing: () => undefined,
    "a rename": () => {
      fs.renameSync(at("other.db"), at("-moved.db"));
    },
    "a small file that grows": write({ "small.db": large("s") }),
    "a link in place of one": () => {
      fs.rmSync(at("small.db"));
      fs.symlinkSync("dir/dev.db", at("small.db"));
    },
    "one that shrinks": write({ "-moved.db": "now small" }),
    "one that is gone": () => {
      fs.rmSync(at("dir/dev.db"));
      fs.rmSync(at("small.db"));
    },
    "one that is ignored": write({ ".gitignore": "*.db\n" }),
  };
  const seen = new Set<string>();
  for (const [step, act] of Object.entries(steps)) {
    act();
    const id = await snapshot(project);
    expect([step, id]).toEqual([step, await snapshot(project, false)]);
    expect([step, seen.has(id)]).toEqual([step, step === "nothing"]);
    seen.add(id);
    if (step !== "a rename" && step !== "one that is ignored") continue;
    expect(contents(project)).toEqual([]);
    expect(project.git("fsck", "--strict", "--no-dangling")).toBe("");
    project.git("gc", "--quiet", "--prune=now");
  }
});

it("a snapshot has the hash of a large file, but the content of one that git tracks", async () => {
  const project = await GitProject.create({ "data.csv": large("a") });
  project.write({ "dev.db": large("a") });
  const id = await snapshot(project);
  const blob = project.git("hash-object", "dev.db");
  expect(project.git("show", `${id}:dev.db`)).toBe(
    `A large file that git does not track: blob ${blob}`
  );
  project.write({ "data.csv": large("b") });
  expect(project.git("show", `${await snapshot(project)}:data.csv`)).toBe(large("b"));
});

it("a change in the same second is noticed, also where times are whole seconds", async () => {
  const project = await GitProject.create();
  const stat = project.runtime.stat.bind(project.runtime);
  vi.spyOn(project.runtime, "stat").mockImplementation(async (paths) =>
    (await stat(paths)).map((each) =>
      "mtimeMs" in each
        ? { ...each, mtimeMs: second(each.mtimeMs), ctimeMs: second(each.ctimeMs) }
        : each
    )
  );
  project.write({ "dev.db": large("a") });
  const first = await snapshot(project);
  project.write({ "dev.db": large("b") });
  expect(await snapshot(project)).not.toBe(first);
});

it("is the same on another machine, and its changes are noticed there", async () => {
  const project = await GitProject.create();
  const runtime = farRuntime();
  for (const letter of ["a", "b", "b"]) {
    project.write({ "it's -a.db": large(letter) });
    const id = await snapshot(project, true, runtime);
    expect(id).toBe(await snapshot(project, false));
  }
  expect(contents(project)).toEqual([]);
});

it("leaves out no more files than one line to another machine can name", async () => {
  const { dir, runtime } = await GitProject.create({ a: large("a") });
  const [stat] = await runtime.stat([join(dir, "a")]);
  const stats = Array.from({ length: 130 }, () => stat as PresentStat);
  const paths = stats.map((_, i) => `${"ü".repeat(100)}${i}.db`);
  const file = { version: stampOf(stats[0]!), id: "", executable: false };
  const known = new Map(paths.map((path) => [path, file]));
  const found = await largeFiles.readLargeFiles(runtime, { root: dir }, paths, stats, known);
  const args = largeFiles.withoutLarge(found._unsafeUnwrap());
  expect([args.length > 50, inputWords(args).isOk()]).toEqual([true, true]);
});

it("an index whose list of large files is gone or damaged is not used", async () => {
  const project = await GitProject.create();
  project.write({ "dev.db": large("a") });
  await snapshot(project);
  for (const [letter, damage] of [
    ["b", (path: string) => fs.promises.rm(path)],
    ["c", (path: string) => fs.promises.writeFile(path, '[["dev.db"]]')],
  ] as const) {
    const [list = ""] = fs
      .readdirSync(project.at(".git"))
      .filter((name) => name.endsWith(".large.json"));
    await damage(project.at(`.git/${list}`));
    project.write({ "dev.db": large(letter) });
    const id = await snapshot(project);
    expect(id).toBe(await snapshot(project, false));
  }
});
