import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import {
  parseDiff,
  sinceRecord,
  type SinceRecord,
} from "@/node/services/gauntlet/known/sinceRecord";
import { GitProject } from "@test/helpers/gitProject";

type Files = Readonly<Record<string, string>>;

/** Returns the difference that real git finds with these settings, as plain objects. */
async function between(before: Files, now: Files, folder = "", settings: Files = {}) {
  const project = await GitProject.create(before);
  for (const [name, value] of Object.entries(settings)) project.git("config", name, value);
  for (const path of Object.keys(before)) if (now[path] === undefined) rmSync(project.at(path));
  project.commit("now", now);
  const context = { projectDir: project.at(folder) } as GitContext;
  const since = await sinceRecord(project.runtime, context, "HEAD~1", "HEAD");
  return plain(since._unsafeUnwrap());
}

function plain({ renamed, added, removed }: SinceRecord) {
  const lines = [...added].map(([path, of]) => [path, Object.fromEntries(of)] as const);
  return {
    renamed: Object.fromEntries(renamed),
    added: Object.fromEntries(lines.filter(([, of]) => Object.keys(of).length > 0)),
    removed: Object.fromEntries(removed),
  };
}

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i}\n`).join("");

test("numbers added lines, and counts removed ones (G43)", async () => {
  const now = `new\n${TEN.replace("line 4", "  changed").replace("line 8\n", "")}new\n`;
  expect(await between({ a: TEN, b: "line 8\n" }, { a: now, b: "" })).toEqual({
    renamed: {},
    added: { a: { 1: "new", 6: "changed", 11: "new" } },
    removed: { "line 4": 1, "line 8": 2 },
  });
});

test("follows renames, also of names with spaces, quotes and other characters (G43)", async () => {
  const names = ["a b", 'a "b"', "a\\b", "é ü", "a\tb", "- a", "b/x => y", "{a"];
  const before = Object.fromEntries(names.map((name, i) => [`old/${name}.js`, `${i}\n${TEN}`]));
  const now = Object.fromEntries(names.map((name, i) => [`new/${name}.js`, `${i}\n${TEN}added\n`]));
  expect(await between(before, now)).toEqual({
    renamed: Object.fromEntries(names.map((name) => [`old/${name}.js`, `new/${name}.js`])),
    added: Object.fromEntries(names.map((name) => [`new/${name}.js`, { 12: "added" }])),
    removed: {},
  });
});

test("does not take lines of files for those of the difference (G43)", async () => {
  const lines = [
    ...["++ b/x", "+++ b/x", "-- a/x", "--- a/x", "@@ -1 +1 @@", "@@ -1,9 +1,9 @@ text"],
    ...["rename from a", "rename to b", "diff --git a/x b/x", "\\ No newline at end of file"],
  ];
  const text = lines.map((line) => `${line}\n`).join("");
  const numbered = Object.fromEntries(lines.map((line, i) => [i + 1, line]));
  const counted = Object.fromEntries(lines.map((line) => [line, 1]));
  const before = { a: `${text}keep\n`, c: "c\n" };
  const found = await between(before, { a: "keep\n", b: text, c: "c2\n" });
  expect(found).toEqual({
    renamed: {},
    added: { b: numbered, c: { 1: "c2" } },
    removed: { ...counted, c: 1 },
  });
});

test("reads files without a newline at their end, and those with CRLF (G43)", async () => {
  const before = { a: "one\ntwo", b: "one\r\ntwo\r\n", c: "x" };
  const now = { a: "one\ntwo\n", b: "one\r\ntwo \r\nthree\r\n", c: "y" };
  expect(await between(before, now)).toEqual({
    renamed: {},
    added: { a: { 2: "two" }, b: { 2: "two", 3: "three" }, c: { 1: "y" } },
    removed: { two: 2, x: 1 },
  });
});

test("reads new and deleted files, and no binary ones (G43)", async () => {
  const same = { ".gitattributes": "*.min -diff\n" };
  const before = { ...same, gone: "gone\n", bin: "\0a\n", "x.min": "a\n" };
  const now = { ...same, made: "made\n", bin: "\0b\n", "x.min": "b\n" };
  expect(await between(before, now)).toEqual({
    renamed: {},
    added: { made: { 1: "made" } },
    removed: { gone: 1 },
  });
});

test("has paths relative to the project, and only its files (G43)", async () => {
  const before = { "app/a.js": `a\n${TEN}`, "lib/a.js": "lib\n" };
  const now = { "app/b.js": `b\n${TEN}`, "lib/a.js": "changed\n" };
  expect(await between(before, now, "app")).toEqual({
    renamed: { "a.js": "b.js" },
    added: { "b.js": { 1: "b" } },
    removed: { a: 1 },
  });
});

test("does not depend on the settings of the user (G43)", async () => {
  const settings = {
    ...{ "diff.noprefix": "true", "diff.mnemonicPrefix": "true" },
    ...{ "color.ui": "always", "diff.renames": "false" },
  };
  expect(await between({ "a.js": TEN }, { "b.js": `${TEN}b\n` }, "", settings)).toEqual({
    renamed: { "a.js": "b.js" },
    added: { "b.js": { 11: "b" } },
    removed: {},
  });
});

test("any text is a difference, perhaps an empty one (G43)", () => {
  const texts = ["", "@@ -x +y @@\n+a", "+++ \n", 'rename from "\nrename to "', "rename to a"];
  for (const text of texts) expect(plain(parseDiff(text)).removed).toEqual({});
  const headers = 'diff --git "a/q\\"x" "b/q\\"x"\ndiff --git a/x b/y b/x b/y';
  expect(parseDiff(headers).paths).toEqual(['q"x', "x b/y"]);
  const many = parseDiff(`+++ b/a\n@@ -0,0 +1,100000 @@\n${"+a\n".repeat(100_000)}`);
  expect(many.added.get("a")?.size).toBe(100_000);
});
