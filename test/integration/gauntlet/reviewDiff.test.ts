/** The diff that a reviewer gets, from real repositories (G8, G12, G12a). */
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

test("omits files that the gate does not cover", async () => {
  const diff = await diffOf(
    async (project) => {
      await project.write("src/a.txt", "b\n");
      await project.write("docs/x.md", "x\n");
    },
    (file) => file.startsWith("docs/")
  );
  expect(diff.files.map(({ path }) => path)).toEqual(["docs/x.md"]);
  expect(diff.text).not.toContain("src/a.txt");
});

test("keeps a name that is not ASCII unchanged", async () => {
  const diff = await diffOf((project) => project.write("src/ä→.txt", "x\n"));
  expect(diff.text).toContain("+++ b/src/ä→.txt\n");
});

test("is empty if nothing changed", async () => {
  expect(await diffOf(() => Promise.resolve())).toEqual({
    text: "",
    files: [],
    notes: [],
    cut: [],
  });
});

describe("files that are listed without their content", () => {
  test.each([
    ["binary", "src/x.bin", "\u0000\u0001\u0002"],
    ["generated", "package-lock.json", '{"lockfileVersion": 3}'],
    ["generated", "src/app.min.js", "a=1"],
    ["generated", ".env.local", "A=1"],
    ["generated", "vendor/a/x.go", "x"],
    ["generated", "src/__snapshots__/a.test.ts.snap", "x"],
    ["generated", "dist/app.js", "x"],
    ["generated", "src/api.pb.go", "x"],
  ])("%s: %s", async (why, path, text) => {
    const diff = await diffOf((project) => project.write(path, text));
    expect(diff.text).toBe(`diff of ${path} (added) not shown: ${why}\n`);
    expect(diff.files).toMatchObject([{ path, shown: "named" }]);
    expect(diff.notes).toEqual([`${path}: not shown: ${why}`]);
  });

  test("do not include a file with a comment that it is generated", async () => {
    const diff = await diffOf((project) => project.write("src/x.ts", "// @generated\nevil()\n"));
    expect(diff.text).toContain("+evil()");
  });
});

describe("size", () => {
  test("cuts a diff over 256 KiB to its beginning and its end, with a note", async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i}`);
    const diff = await diffOf((project) => project.write("src/long.txt", lines.join("\n")));
    expect(diff.text.length).toBeLessThan(260 * 1024);
    expect(diff.text).toContain("+line 0\n");
    expect(diff.text).toContain("+line 39999");
    expect(diff.text).toMatch(/\[… \d+ (?:bytes|characters) left out …\]/);
    expect(diff.notes.join()).toContain("beginning and the end");
    expect(diff.files).toMatchObject([{ path: "src/long.txt", shown: "cut" }]);
  });

  test("does not cut other files because of a long one", async () => {
    const diff = await diffOf(async (project) => {
      await project.write("src/b.txt", `${"x".repeat(199)}\n`.repeat(100_000));
      await project.write("src/c.txt", "c\n");
    });
    expect(diff.files.map(({ path, shown }) => [path, shown])).toEqual([
      ["src/b.txt", "cut"],
      ["src/c.txt", "whole"],
    ]);
    expect(diff.text).toContain("+c\n");
  });

  test("lists files without their content beyond a mebibyte", async () => {
    const diff = await diffOf(async (project) => {
      for (let i = 0; i < 9; i++) await project.write(`src/${i}.txt`, "long line\n".repeat(12_000));
    });
    expect(diff.text.length).toBeLessThan(1.1 * 1024 * 1024);
    const shown = diff.files.map((file) => file.shown);
    expect(shown).toContain("named");
    expect(shown[0]).toBe("whole");
    expect(diff.notes.join()).toContain("not shown: the change is too large");
  });
});

describe("names and the user's configuration", () => {
  test.each(["a b.txt", "é.txt", 'q"uote.txt', "-n.txt", "a\tb.txt", "[x]*.txt", ":(top)x"])(
    "%j",
    async (name) => {
      const diff = await diffOf((project) => project.write(`src/${name}`, "x\n"));
      expect(diff.files).toMatchObject([{ path: `src/${name}`, shown: "whole", ranges: [[1, 1]] }]);
      expect(diff.text).toContain("+x\n");
    }
  );

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

describe("masks possible secrets, with a note (G12)", () => {
  test.each([
    ["AKIAIOSFODNN7EXAMPLE"],
    [`ghp_${"a1".repeat(18)}`],
    [`sk-ant-${"x9".repeat(20)}`],
    [`password = "s3cr3tValue12345678"`, "s3cr3tValue12345678"],
    [`API_KEY=abcd1234efgh5678ijkl`, "abcd1234efgh5678ijkl"],
  ])("%s", async (line, secret = line) => {
    const diff = await diffOf((project) => project.write("src/x.env", `${line}\n`));
    expect(diff.text).not.toContain(secret);
    expect(diff.text).toContain("[masked]");
    expect(diff.notes).toEqual(["masked 1 value that may be secret"]);
  });

  test.each(["const token = request.headers.authorization;", "password: userPasswordField"])(
    "does not mask code: %s",
    async (line) => {
      const diff = await diffOf((project) => project.write("src/x.ts", `${line}\n`));
      expect(diff.text).toContain(line);
    }
  );
});
