import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { putAway, reviewFiles } from "@/node/services/gauntlet/run/logs/clean";
import {
  NO_STATE,
  readState,
  writeState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { tempDir } from "@test/helpers/tempDir";

const OPEN = "review:.:open";
const DONE = "review:.:done";
const slot = (file?: string) => ({
  reviewer: "codex",
  outcome: "failed" as const,
  violations: [],
  fixed: [],
  ...(file === undefined ? {} : { file }),
});
const failure = { session: "s", turn: "t" };
const state: ExecutionState = {
  ...NO_STATE,
  branch: "work",
  commit: "c1",
  status: "failed",
  attempt: 2,
  open: [OPEN, DONE],
  failures: { [OPEN]: failure, [DONE]: failure },
  reviews: { [OPEN]: { 1: slot("open.json"), 2: slot() }, [DONE]: { 1: slot("done.json") } },
  cooldown: { codex: "2026-01-01T00:00:00Z" },
  baselines: { "check:.:lint": { snapshot: "tree", definition: "d" } },
  definitions: { "check:.:lint": "true" },
};

const files = new LocalFiles();
let dir: string;
beforeEach(async () => {
  dir = await tempDir();
  await writeFile(join(dir, "console.1.log"), "log");
  (await writeState(files, dir, state))._unsafeUnwrap();
});

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(join(dir, folder))).sort();
}

describe("putAway (G18a)", () => {
  test.each<[string, Parameters<typeof putAway>[3], Partial<ExecutionState>]>([
    [
      "unresolved gates without baselines",
      { unresolved: [OPEN], baselines: false },
      {
        open: [OPEN],
        failures: { [OPEN]: failure },
        reviews: { [OPEN]: state.reviews[OPEN]! },
        baselines: {},
      },
    ],
    [
      "baselines with their branch",
      { unresolved: [], baselines: true },
      { branch: "work", baselines: state.baselines },
    ],
  ])("moves logs and keeps %s", async (_, kept, left) => {
    const put = (await putAway(files, dir, state, kept))._unsafeUnwrap();
    expect([...put.names].sort()).toEqual([".execution_state", "console.1.log"]);
    const { definitions, cooldown } = state;
    expect(put.state).toEqual({ ...NO_STATE, definitions, cooldown, cleaned: true, ...left });
    expect((await readState(files, dir)).state).toEqual(put.state);
    expect(await namesIn("previous")).toEqual([".execution_state", "console.1.log"]);
  });

  test("leaves no state if nothing is kept", async () => {
    const kept = { unresolved: [], baselines: false };
    expect((await putAway(files, dir, state, kept))._unsafeUnwrap().state).toEqual(NO_STATE);
    expect(await namesIn(".")).toEqual(["previous"]);
  });

  test("copies the files of unresolved reviews, and moves those of others", async () => {
    for (const name of ["review_._open_codex@1.1.json", "review_._done_codex@1.1.json"]) {
      await writeFile(join(dir, name), "{}");
    }
    const reviews = {
      [OPEN]: { 1: slot("review_._open_codex@1.1.json") },
      [DONE]: { 1: slot("review_._done_codex@1.1.json") },
    };
    await putAway(files, dir, { ...state, reviews }, { unresolved: [OPEN], baselines: true });
    expect(await namesIn(".")).toEqual([
      ".execution_state",
      "previous",
      "review_._open_codex@1.1.json",
    ]);
    expect(await namesIn("previous")).toContain("review_._done_codex@1.1.json");
  });

  test("fails if the logs cannot be moved, and changes no state", async () => {
    await writeFile(join(dir, "previous"), "");
    const put = await putAway(files, dir, state, { unresolved: [OPEN], baselines: true });
    expect(put.isErr()).toBe(true);
    expect((await readState(files, dir)).state).toEqual(JSON.parse(JSON.stringify(state)));
  });
});

test("reviewFiles returns only the files of unresolved reviews (G18)", () => {
  expect(reviewFiles(state.reviews, [OPEN, "check:.:lint"])).toEqual(["open.json"]);
});
