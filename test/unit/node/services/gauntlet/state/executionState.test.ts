import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import * as executionState from "@/node/services/gauntlet/state/executionState";
import { tempDir } from "@test/helpers/tempDir";

const files = new LocalFiles();
let dir: string;
beforeEach(async () => {
  dir = await tempDir();
});

async function stateFrom(
  content: string
): Promise<Awaited<ReturnType<typeof executionState.readState>>> {
  await writeFile(join(dir, ".execution_state"), content);
  return executionState.readState(files, dir);
}

test("returns no state and no warning for a missing file (G16)", async () => {
  expect(await executionState.readState(files, dir)).toEqual({});
  expect(await executionState.readState(files, join(dir, "nowhere"))).toEqual({});
});

test("reads what it has written, creates the folder, and leaves no other file (G16)", async () => {
  const state: executionState.ExecutionState = {
    last_run_completed_at: "2026-01-25T16:00:00.000Z",
    branch: "feature",
    commit: "abc123",
    working_tree_ref: "def456",
    status: "failed",
    gates_run: 3,
    base_had_commit: false,
    partial: false,
    failures: { "check:.:a": { session: "none", turn: "t", branch: "feature" } },
    attempt: 2,
    open: ["check:src:lint"],
    baselines: { "check:src:test": { snapshot: "s", definition: "d" } },
    reviews: {},
    cooldown: { claude: "2026-01-25T16:30:00.000Z" },
    passed: { snapshot: "s", definition: "all" },
    of_a_later_version: { deep: [1, 2] },
  };
  const logDir = join(dir, "new", "logs");
  expect((await executionState.writeState(files, logDir, state)).isOk()).toBe(true);
  expect(await executionState.readState(files, logDir)).toEqual({ state });
  expect(await readdir(logDir)).toEqual([".execution_state"]);
});

test("reads a file of the existing tool, and keeps its other fields (G16)", async () => {
  const older = {
    last_run_completed_at: "2026-01-25T16:00:00Z",
    branch: "development",
    commit: "abc123def456",
    working_tree_ref: "f00",
    unhealthy_adapters: { claude: { reason: "usage limit" } },
  };
  const { state } = await stateFrom(JSON.stringify(older));
  expect(state).toEqual({ ...older, ...executionState.NO_STATE });
  await executionState.writeState(files, dir, { ...state!, branch: "other" });
  const written: unknown = JSON.parse(await readFile(join(dir, ".execution_state"), "utf8"));
  expect(written).toMatchObject({ branch: "other", unhealthy_adapters: older.unhealthy_adapters });
});

test("treats a field of the wrong type as missing, and keeps the others (G16)", async () => {
  const { state, warning } = await stateFrom(
    JSON.stringify({
      last_run_completed_at: "yesterday",
      branch: 7,
      commit: "abc",
      status: "splendid",
      gates_run: -1,
      partial: "no",
      attempt: "two",
      open: "all",
      baselines: { a: "b" },
      passed: null,
    })
  );
  expect(warning).toBeUndefined();
  expect(state).toEqual({ commit: "abc", ...executionState.NO_STATE });
});

test.each([
  ["an empty file", ""],
  ["half a file", '{"branch": "mai'],
  ["an array", "[1, 2]"],
  ["null", "null"],
  ["binary data", "\u0000\u0001"],
  ["excessive nesting", `{"x": ${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
])("ignores %s with a warning that names the file (G16)", async (_, content) => {
  const { state, warning } = await stateFrom(content);
  expect(state).toBeUndefined();
  expect(warning).toContain(join(dir, ".execution_state"));
});

test("ignores a folder in its place with a warning, and fails to write it (G16)", async () => {
  await mkdir(join(dir, ".execution_state", "x"), { recursive: true });
  expect((await executionState.readState(files, dir)).warning).toContain("folder");
  const written = await executionState.writeState(files, dir, executionState.NO_STATE);
  expect(written._unsafeUnwrapErr().path).toBe(join(dir, ".execution_state"));
});

test("a key named __proto__ does not change any prototype", async () => {
  const { state } = await stateFrom(
    '{"__proto__": {"status": "passed"}, "branch": "b", "baselines": {"__proto__": {"snapshot": "s", "definition": "d"}}}'
  );
  expect(state?.status).toBeUndefined();
  expect(state?.branch).toBe("b");
  expect(Object.getPrototypeOf(state?.baselines ?? {})).toBe(Object.prototype);
  expect(({} as Record<string, unknown>).snapshot).toBeUndefined();
});
