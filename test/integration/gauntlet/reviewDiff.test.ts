/** The diff that a reviewer gets, from real repositories (G8, G12, G12a). */
import { writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { reviewDiff } from "@/node/services/gauntlet/change/diff/reviewDiff";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { ReviewDiff } from "@/node/services/gauntlet/domain/review";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";

async function diffOf(
  change: (project: GauntletProject) => Promise<void>,
  covers: (file: string) => boolean = () => true
): Promise<ReviewDiff> {
  const project = await GauntletProject.create("entry_points: [{path: .}]\n");
  await change(project);
  const opened = await openRepository(project.runtime, project.dir, {
    baseBranch: "main",
    env: PROJECT_ENV,
  });
  const context = opened._unsafeUnwrap();
  const { id } = (await takeSnapshot(project.runtime, context))._unsafeUnwrap();
  const from = context.baseCommit ?? "";
  const diff = await reviewDiff(project.runtime, context, { from, to: id, covers });
  return diff._unsafeUnwrap();
}

/** Returns the diff of new files. */
async function diffWith(files: Readonly<Record<string, string>>): Promise<ReviewDiff> {
  return await diffOf(async (project) => {
    for (const [path, text] of Object.entries(files)) await project.write(path, text);
  });
}

test("contains untracked, staged and modified files, with the ranges of their lines", async () => {
  const diff = await diffOf(async (project) => {
    await project.write("src/a.txt", "a\nmore\n");
    await project.write("src/new.txt", "1\n2\n");
    await project.write("src/staged.txt", "s\n");
    await project.git("add", "src/staged.txt");
  });
  expect(diff.text).toContain("+++ b/src/a.txt\n@@ -1 +1,2 @@\n    1  a\n    2 +more\n");
  expect(diff.files).toEqual([
    { path: "src/a.txt", shown: "whole", ranges: [[1, 2]], touched: [[1, 2]] },
    { path: "src/new.txt", shown: "whole", ranges: [[1, 2]], touched: [[-1, 0]] },
    { path: "src/staged.txt", shown: "whole", ranges: [[1, 1]], touched: [[-1, 0]] },
  ]);
  expect(diff.notes).toEqual([]);
});

test("names a file whose name is not UTF-8, and says so", async () => {
  const diff = await diffOf(async (project) => {
    await writeFile(Buffer.from(`${project.dir}/caf\xe9.txt`, "latin1"), "x\n");
  });
  expect(diff.notes).toEqual(["caf\uFFFD.txt: not shown: its name is not UTF-8"]);
});

test("omits files that the gate does not cover, and is empty if nothing changed", async () => {
  const change = async (project: GauntletProject): Promise<void> => {
    await project.write("src/a.txt", "b\n");
    await project.write("docs/x.md", "x\n");
  };
  const diff = await diffOf(change, (file) => file.startsWith("docs/"));
  expect(diff.files.map(({ path }) => path)).toEqual(["docs/x.md"]);
  expect(diff.text).not.toContain("src/a.txt");
  const empty = { text: "", files: [], notes: [], cut: [] };
  expect(await diffOf(() => Promise.resolve())).toEqual(empty);
});

test("lists binary and generated files without their content, but not those with a comment only", async () => {
  const diff = await diffWith({
    ...{ ".env.local": "A=1", "dist/app.js": "x", "package-lock.json": '{"lockfileVersion": 3}' },
    ...{ "src/__snapshots__/a.test.ts.snap": "x", "src/api.pb.go": "x", "src/app.min.js": "a=1" },
    ...{ "src/x.bin": "\u0000\u0001\u0002", "vendor/a/x.go": "x" },
    "written.ts": "// @generated\nevil()\n",
  });
  const hidden = diff.files.filter(({ path }) => path !== "written.ts");
  expect(hidden.map(({ shown }) => shown)).toEqual(Array(8).fill("named"));
  for (const { path } of hidden) {
    const why = `not shown: ${path === "src/x.bin" ? "binary" : "generated"}`;
    expect(diff.text).toContain(`diff of ${path} (added) ${why}\n`);
    expect(diff.notes).toContain(`${path}: ${why}`);
  }
  expect(diff.notes).toHaveLength(8);
  expect(diff.text).toContain("+evil()");
});

describe("size", () => {
  test("cuts a file over 256 KiB to its beginning and its end, with a note, and no other file", async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i}`);
    const diff = await diffWith({ "src/long.txt": lines.join("\n"), "src/more.txt": "c\n" });
    expect(diff.text.length).toBeLessThan(260 * 1024);
    expect(diff.text).toContain("+line 0\n");
    expect(diff.text).toContain("+line 39999");
    expect(diff.text).toMatch(/\[… \d+ (?:bytes|characters) left out …\]/);
    expect(diff.text).toContain("+c\n");
    expect(diff.notes.join()).toContain("beginning and the end");
    expect(diff.files.map(({ path, shown }) => [path, shown])).toEqual([
      ["src/long.txt", "cut"],
      ["src/more.txt", "whole"],
    ]);
  });

  test("lists files without their content beyond a mebibyte", async () => {
    const long = "long line\n".repeat(12_000);
    const names = Array.from({ length: 9 }, (_, i) => [`src/${i}.txt`, long]);
    const diff = await diffWith(Object.fromEntries(names) as Record<string, string>);
    expect(diff.text.length).toBeLessThan(1.1 * 1024 * 1024);
    const shown = diff.files.map((file) => file.shown);
    expect(shown).toContain("named");
    expect(shown[0]).toBe("whole");
    expect(diff.notes.join()).toContain("not shown: the change is too large");
  });
});

describe("names and the user's configuration", () => {
  test("keeps every name unchanged", async () => {
    const names = ["-n.txt", ":(top)x", "[x]*.txt", "a\tb.txt", "a b.txt", 'q"uote.txt', "é→.txt"];
    const diff = await diffWith(
      Object.fromEntries(names.map((name, i) => [`src/${name}`, `${i}\n`]))
    );
    expect(diff.files).toEqual(
      names.map((name) => ({
        ...{ path: `src/${name}`, shown: "whole", ranges: [[1, 1]], touched: [[-1, 0]] },
      }))
    );
    for (const i of names.keys()) expect(diff.text).toContain(`    1 +${i}\n`);
    expect(diff.text).toContain("+++ b/src/é→.txt\n");
  });

  test("ignores external diffs, text conversions, prefixes and colors", async () => {
    const diff = await diffOf(async (project) => {
      for (const [key, value] of [
        ["diff.external", "false"],
        ["diff.noprefix", "true"],
        ["diff.mnemonicPrefix", "true"],
        ["color.ui", "always"],
        ["diff.x.textconv", "echo converted"],
      ]) {
        await project.git("config", key ?? "", value ?? "");
      }
      await project.write(".gitattributes", "*.txt diff=x\n");
      await project.write("src/a.txt", "b\n");
    });
    expect(diff.text).toContain(
      "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n      -a\n    1 +b\n"
    );
  });

  test("contains renamed and executable files", async () => {
    const diff = await diffOf(async (project) => {
      await project.git("mv", "src/a.txt", "src/moved.txt");
      await project.script("src/run.sh", "true");
    });
    expect(diff.files).toMatchObject([
      { path: "src/moved.txt", previousPath: "src/a.txt", shown: "whole", ranges: [] },
      { path: "src/run.sh", shown: "whole" },
    ]);
    expect(diff.text).toContain("rename from src/a.txt");
    expect(diff.text).toContain("new file mode 100755");
  });
});

test("masks possible secrets, with a note, but no code (G12)", async () => {
  const keys = ["AKIAIOSFODNN7EXAMPLE", `ghp_${"a1".repeat(18)}`, `sk-ant-${"x9".repeat(20)}`];
  const assigned = ["s3cr3tValue12345678", "abcd1234efgh5678ijkl"];
  const code = ["const token = request.headers.authorization;", "password: userPasswordField"];
  const lines = [`password = "${assigned[0]}"`, `API_KEY=${assigned[1]}`];
  const diff = await diffWith({ "src/x.ts": `${[...keys, ...lines, ...code].join("\n")}\n` });
  for (const secret of [...keys, ...assigned]) expect(diff.text).not.toContain(secret);
  expect(diff.text.match(/\[masked\]/g)).toHaveLength(5);
  expect(diff.notes).toEqual(["masked 5 values that may be secret"]);
  for (const line of code) expect(diff.text).toContain(line);
});
