/** The agent's edits of a result file, and files that cannot be read (G14, G14a). */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import type { TrackedViolation } from "@/node/services/gauntlet/domain/reviewViolations";
import { takeEdits } from "@/node/services/gauntlet/reviews/violations/resultFileEdits";
import * as resultFile from "@/node/services/gauntlet/reviews/violations/resultFile";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

const known = (id: string, line: number): TrackedViolation & resultFile.FileEntry => ({
  ...{ id, file: "a.ts", line, issue: `wrong ${line}`, priority: "high", status: "new" },
});
const [A, B] = [known("aaaa1111", 1), known("bbbb2222", 2)];

function edited(...entries: readonly resultFile.FileEntry[]) {
  return takeEdits([A, B], { kind: "read", entries }, "r.json");
}

test("takes a status and a result, also without an ID (G14)", () => {
  const { id, ...withoutId } = { ...B, status: " Skipped ", result: "it is meant so" };
  const { violations, problems } = edited(
    { ...A, status: "fixed", result: "put right" },
    withoutId
  );
  expect([id, violations]).toEqual([
    B.id,
    [
      { ...A, status: "fixed", result: "put right" },
      { ...B, status: "skipped", result: "it is meant so" },
    ],
  ]);
  expect(problems).toEqual([]);
});

test.each<[string, readonly resultFile.FileEntry[], RegExp]>([
  ["a removed violation", [B], /r\.json: .*aaaa1111.*a\.ts:1.* was removed from the file/],
  ["an unknown status", [{ ...A, status: "done" }, B], /the status "done" and is still unresolved/],
  ["no status", [{ ...A, status: undefined }, B], /has no status and is still unresolved/],
  [
    "changed text",
    [{ ...A, issue: "no", priority: "low" }, B],
    /changes in issue, priority, which/,
  ],
  [
    "swapped IDs",
    [
      { ...A, id: B.id },
      { ...B, id: A.id },
    ],
    /has changes in line, issue, which/,
  ],
  ["a further one", [A, B, { ...A, id: "mine" }], /ignored 1 violation that the reviewer did not/],
])("does not resolve a violation by %s, with a warning (G14)", (_, entries, problem) => {
  const { violations, problems, isIntact } = edited(...entries);
  expect(violations).toEqual([A, B]);
  expect(problems[0]).toMatch(problem);
  expect(isIntact).toBe(true);
});

test("keeps a skip whose reason is too short open, with a warning (G14)", () => {
  const { violations, problems } = edited({ ...A, status: "skipped", result: "." }, B);
  expect(violations[0]).toEqual({ ...A, status: "skipped", result: "." });
  expect(problems).toEqual([
    expect.stringContaining("is skipped without a reason of at least three words"),
  ]);
});

test.each<[string, (path: string) => Promise<unknown>, RegExp]>([
  ["broken", (path) => writeFile(path, '{"violations": ['), /it is not valid JSON/],
  ["not an object", (path) => writeFile(path, "[]"), /it is not a JSON object/],
  ["without a list", (path) => writeFile(path, '{"violations":1}'), /"violations" is not a list/],
  ["a folder", (path) => mkdir(path), /is a folder, not a file/],
  ["a named pipe", (path) => execFileAsync("mkfifo", [path]), /a FIFO/],
  ["a dangling link", (path) => symlink("./missing", path), /the file no longer exists/],
  ["gone", () => Promise.resolve(), /the file no longer exists/],
])("keeps the violations of a file that is %s, with a warning (G14a)", async (_, make, problem) => {
  const path = join(await tempDir(), "r.json");
  await make(path);
  const read = await resultFile.readResultFile(new LocalFiles(), path);
  const { violations, problems, isIntact } = takeEdits([A], read, path);
  expect([violations, isIntact]).toEqual([[A], false]);
  expect(problems[0]).toMatch(problem);
  expect(problems[0]).toContain("; its violations are still unresolved");
});
