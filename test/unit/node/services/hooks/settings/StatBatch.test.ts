import { expect, test } from "vitest";
import type { FileStat } from "@/node/runtime/HookRuntime";
import { StatBatch } from "@/node/services/hooks/settings/workspace";

/** Returns a `stat` for which every path is a folder, and the paths of its calls. */
function files() {
  const asked: (readonly string[])[] = [];
  const stat = (paths: readonly string[]): Promise<FileStat[]> => {
    asked.push(paths);
    const of = (path: string): FileStat => ({
      kind: "directory",
      size: path.length,
      mtimeMs: 0,
      ctimeMs: 0,
      identity: path,
      executable: false,
    });
    return Promise.resolve(paths.map(of));
  };
  return { stat, asked };
}

const identities = (stats: readonly FileStat[]) =>
  stats.map((stat) => (stat.kind === "directory" ? stat.identity : stat.kind));

test("requests the paths of the last load in one call, for any number of callers", async () => {
  const machine = files();
  const batch = new StatBatch(machine, ["a", "b", "c"]);
  const answers = await Promise.all([batch.stat(["b"]), batch.stat(["a", "c"])]);
  expect(answers.map(identities)).toEqual([["b"], ["a", "c"]]);
  expect(machine.asked).toEqual([["a", "b", "c"]]);
});

test("makes another call for a new path, and requests no path twice", async () => {
  const machine = files();
  const batch = new StatBatch(machine, ["a"]);
  expect(identities(await batch.stat(["b", "a"]))).toEqual(["b", "a"]);
  expect(identities(await batch.stat(["c", "b", "c"]))).toEqual(["c", "b", "c"]);
  expect(machine.asked).toEqual([["a", "b"], ["c"]]);
});

test("does not request a path in the next load if it is no longer needed", async () => {
  const batch = new StatBatch(files(), ["gone", "kept"]);
  await batch.stat(["kept", "new"]);
  expect(batch.wanted).toEqual(["kept", "new"]);
});
