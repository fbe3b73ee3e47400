import { readdir, writeFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { moveLogsAway, reviewFiles, cleanLogs } from "@/node/services/gauntlet/run/logs/cleanLogs";
import {
  NO_STATE,
  readState,
  writeState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { nextRunNumber } from "@/node/services/gauntlet/state/runFiles";

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
});

const namesIn = async (folder = "."): Promise<string[]> =>
  (await readdir(join(dir, folder)).catch(() => [])).sort();

describe("moveLogsAway (G18a)", () => {
  beforeEach(async () => {
    await writeFile(join(dir, "console.1.log"), "log");
    (await writeState(files, dir, state))._unsafeUnwrap();
  });

  test.each<[string, Parameters<typeof moveLogsAway>[3], Partial<ExecutionState>]>([
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
    const put = (await moveLogsAway(files, dir, state, kept))._unsafeUnwrap();
    expect([...put.names].sort()).toEqual([".execution_state", "console.1.log"]);
    const { definitions, cooldown } = state;
    expect(put.state).toEqual({ ...NO_STATE, definitions, cooldown, cleaned: true, ...left });
    expect((await readState(files, dir)).state).toEqual(put.state);
    expect(await namesIn("previous")).toEqual([".execution_state", "console.1.log"]);
  });

  test("leaves no state if nothing is kept", async () => {
    const kept = { unresolved: [], baselines: false };
    expect((await moveLogsAway(files, dir, state, kept))._unsafeUnwrap().state).toEqual(NO_STATE);
    expect(await namesIn(".")).toEqual(["previous"]);
  });

  test.each<Partial<ExecutionState>>([{ untold: ["no longer runs"] }, { refused_push: ["c1"] }])(
    "keeps what the next stop reports: %j (G48, G51)",
    async (news) => {
      const kept = { unresolved: [], baselines: false };
      const put = await moveLogsAway(files, dir, { ...state, ...news }, kept);
      expect(put._unsafeUnwrap().state).toMatchObject(news);
    }
  );

  test("copies the files of unresolved reviews, and moves those of others", async () => {
    for (const name of ["review_._open_codex@1.1.json", "review_._done_codex@1.1.json"]) {
      await writeFile(join(dir, name), "{}");
    }
    const reviews = {
      [OPEN]: { 1: slot("review_._open_codex@1.1.json") },
      [DONE]: { 1: slot("review_._done_codex@1.1.json") },
    };
    await moveLogsAway(files, dir, { ...state, reviews }, { unresolved: [OPEN], baselines: true });
    expect(await namesIn(".")).toEqual([
      ".execution_state",
      "previous",
      "review_._open_codex@1.1.json",
    ]);
    expect(await namesIn("previous")).toContain("review_._done_codex@1.1.json");
  });

  test("fails if the logs cannot be moved, and changes no state", async () => {
    await writeFile(join(dir, "previous"), "");
    const put = await moveLogsAway(files, dir, state, { unresolved: [OPEN], baselines: true });
    expect(put.isErr()).toBe(true);
    expect((await readState(files, dir)).state).toEqual(JSON.parse(JSON.stringify(state)));
  });
});

test("reviewFiles returns only the files of unresolved reviews (G18)", () => {
  expect(reviewFiles(state.reviews, [OPEN, "check:.:lint"])).toEqual(["open.json"]);
});

async function put(...names: string[]): Promise<void> {
  for (const name of names) await putFile(join(dir, name), `new ${name}`);
}

async function clean(keepState: boolean): Promise<string[]> {
  return [...(await cleanLogs(files, dir, { keepState }))._unsafeUnwrap()].sort();
}

const LOGS = ["check_src_a.1.log", "console.1.log", "report.1.json", "review_._cq_claude@1.1.json"];
const STATE_FILES = [".check_cache.json", ".execution_state"];

describe("cleanLogs (G18)", () => {
  test("moves logs and state to previous, and no other files", async () => {
    const others = [".debug.log", ".gauntlet-run.lock", "console.txt", "notes.md"];
    await put(...LOGS, ...STATE_FILES, ".session_ref", ...others);
    const ours = [...STATE_FILES, ".session_ref", ...LOGS].sort();
    expect(await clean(false)).toEqual(ours);
    expect(await namesIn("previous")).toEqual(ours);
    expect(await namesIn()).toEqual([...others, "previous"].sort());
    expect(await readFile(join(dir, "previous/console.1.log"), "utf8")).toBe("new console.1.log");
  });

  test("keeps the state on request, but never the reference of the existing tool", async () => {
    await put(...LOGS, ...STATE_FILES, ".session_ref");
    expect(await clean(true)).toEqual([".session_ref", ...LOGS].sort());
    expect(await namesIn()).toEqual([...STATE_FILES, "previous"].sort());
  });

  test("keeps one generation, other files in previous, and the logs if there is only a state", async () => {
    await put("previous/console.8.log", "previous/.execution_state", "previous/mine.txt");
    await put(...LOGS);
    await clean(true);
    expect(await namesIn("previous")).toEqual([...LOGS, "mine.txt"].sort());
    await put(".execution_state");
    expect(await clean(false)).toEqual([".execution_state"]);
    expect(await namesIn("previous")).toEqual([".execution_state", ...LOGS, "mine.txt"].sort());
  });

  test("does nothing if there is nothing to move", async () => {
    expect((await cleanLogs(files, join(dir, "nowhere"), { keepState: false })).isOk()).toBe(true);
    expect(await namesIn()).toEqual([]);
    await put("previous/console.8.log", "notes.md");
    expect(await clean(false)).toEqual([]);
    await put(".execution_state");
    expect(await clean(true)).toEqual([]);
    expect(await namesIn("previous")).toEqual(["console.8.log"]);
  });

  test("fails if previous is a file, and moves no logs", async () => {
    await put("previous", ...LOGS);
    const failed = await cleanLogs(files, dir, { keepState: false });
    expect(failed._unsafeUnwrapErr().message).not.toBe("");
    expect(await namesIn()).toEqual([".clean_unfinished", ...LOGS, "previous"].sort());
  });

  test("completes a clean that was interrupted, and loses no file (G15, G18)", async () => {
    await put(".clean_unfinished", "previous/console.1.log", "check_src_a.1.log");
    expect((await nextRunNumber(files, dir))._unsafeUnwrap()).toBe(2);
    await put("previous/console.4.log");
    expect((await nextRunNumber(files, dir))._unsafeUnwrap()).toBe(5);
    expect(await clean(true)).toEqual(["check_src_a.1.log"]);
    expect(await namesIn()).toEqual(["previous"]);
    expect(await namesIn("previous")).toEqual([
      "check_src_a.1.log",
      "console.1.log",
      "console.4.log",
    ]);
    expect((await nextRunNumber(files, dir))._unsafeUnwrap()).toBe(1);
    await put(".clean_unfinished", ".execution_state");
    await clean(false);
    expect(await namesIn()).toEqual(["previous"]);
  });
});
