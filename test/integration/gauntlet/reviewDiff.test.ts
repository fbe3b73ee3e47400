/** The diff that a reviewer gets, from real repositories (G8, G12, G12a). */
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import { reviewDiff } from "@/node/services/gauntlet/change/diff/reviewDiff";
import { takeSnapshot } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { ReviewDiff } from "@/node/services/gauntlet/domain/reviewViolations";
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

test("names a file whose name is not UTF-8, with a warning", async () => {
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

test("masks possible secrets, with a note, but no code (G12)", async () => {
  const code = "const token = request.headers.authorization;";
  const diff = await diffWith({ "src/x.ts": `AKIAIOSFODNN7EXAMPLE\n${code}\n` });
  expect(diff.text).not.toContain("AKIAIOSFODNN7EXAMPLE");
  expect(diff.notes).toEqual(["masked 1 value that may be secret"]);
  expect(diff.text).toContain(code);
});
