import { rm, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { ChangedFile } from "@/node/services/gauntlet/change/diff/changedFiles";
import { readPatches } from "@/node/services/gauntlet/change/diff/readPatches";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { farRuntime } from "@test/helpers/remote/localShell";
import { GitProject } from "@test/helpers/gitProject";

const modified = (path: string): ChangedFile => ({ path, status: "modified" });

/** Returns the patches of all files between two commits, the second of which has `after`, and what `arrange` does. */
async function patchesOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  arrange: (project: GitProject) => unknown = () => undefined,
  far?: HookRuntime
) {
  const files = Object.keys(before).map(modified);
  const project = await GitProject.create(before);
  const from = project.git("rev-parse", "HEAD");
  await arrange(project);
  const to = project.commit("change", after);
  const context = await openMain(project);
  return (await readPatches(far ?? project.runtime, context, { from, to }, files))._unsafeUnwrap();
}

describe("readPatches (G12)", () => {
  test("gives lines that were only removed the position of the removal", async () => {
    const patches = await patchesOf({ "a.txt": "1\n2\n3\n" }, { "a.txt": "1\n3\n" });
    expect(patches.get("a.txt")).toMatchObject({ ranges: [[1, 2]], touched: [[2, 2]] });
  });

  test("numbers the lines of the new version, and finds the old lines that change", async () => {
    const lines = (...changes: string[]): string =>
      [...Array.from({ length: 40 }, (_, i) => `line ${i + 1}`), ...changes].join("\n");
    const before = lines("last");
    const after = before
      .replace("line 3\n", "line 3\n-- new\n++ new\n")
      .replace("line 20\n", "")
      .replace("line 30\nline 31\n", "x\ny\nz\n")
      .replace("last", "end");
    const patch = (await patchesOf({ "a.txt": before }, { "a.txt": after })).get("a.txt");
    expect(patch?.touched).toEqual([
      [3, 4],
      [20, 20],
      [30, 31],
      [41, 41],
    ]);
    for (const line of after.split("\n").entries()) {
      const shown = `${String(line[0] + 1).padStart(5)} `;
      const found = patch?.text.split("\n").find((text) => text.startsWith(shown));
      if (found !== undefined) expect(found.slice(shown.length + 1)).toBe(line[1]);
    }
    expect(patch?.text).toContain("    4 +-- new\n    5 +++ new\n    6  line 4\n");
    expect(patch?.text).toContain("      -last\n\\ No newline at end of file\n   43 +end\n");
  });

  test("numbers the lines after an empty one, whatever the user's settings are (G12, G14)", async () => {
    const patches = await patchesOf({ "a.txt": "1\n\n3\n" }, { "a.txt": "1\n\nx\n" }, (project) =>
      project.git("config", "diff.suppressBlankEmpty", "true")
    );
    const patch = patches.get("a.txt");
    expect(patch).toMatchObject({ touched: [[3, 3]] });
    expect(patch?.text).toContain("    2  \n      -3\n    3 +x\n");
  });

  test("keeps the beginning and the end of a patch that is too long", async () => {
    const body = (word: string): string => `${word} line\n`.repeat(40_000);
    const patches = await patchesOf({ "a.txt": body("old") }, { "a.txt": body("new") });
    const patch = patches.get("a.txt");
    expect(patch?.isCut).toBe(true);
    expect(patch?.text.length).toBeLessThan(450 * 1024);
    expect(patch?.text).toMatch(/^diff --git.*\+new line\n$/s);
  });

  test("gives each file its own patch if one became a link, which git shows as two patches", async () => {
    const before = { "a.txt": "old\n", "b.txt": "old\n" };
    const patches = await patchesOf(before, { "b.txt": "new\n" }, async (project) => {
      await rm(project.at("a.txt"));
      await symlink("b.txt", project.at("a.txt"));
    });
    expect(patches.get("a.txt")?.text).toMatch(/deleted file mode 100644.*new file mode 120000/s);
    expect(patches.get("b.txt")?.text).toMatch(/ {6}-old\n {4}1 \+new\n$/);
  });

  test("reads files whose names are too long for one call on another machine", async () => {
    const names = Array.from({ length: 300 }, (_, i) => `${"ü".repeat(100)}${i}`);
    const content = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
    const patches = await patchesOf(content("1"), content("2"), undefined, farRuntime());
    expect([...patches.keys()]).toEqual(names);
  });

  test("is not misled by content that looks like a heading", async () => {
    const patches = await patchesOf(
      { "a.txt": "1\n", "b.txt": "1\n" },
      { "a.txt": "diff --git a/b.txt b/b.txt\n@@ -1 +90 @@\n", "b.txt": "2\n" }
    );
    expect([...patches.keys()]).toEqual(["a.txt", "b.txt"]);
    expect(patches.get("a.txt")?.ranges).toEqual([[1, 2]]);
  });
});
