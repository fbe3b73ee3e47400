/** Checks the links of the documentation, and that the hooks' reference has every rule. */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import * as markdown from "@test/helpers/docs/markdown";

const RULES = [
  ...Array.from({ length: 47 }, (_, i) => `H${i + 1}`),
  "H2a",
  "H19a",
  "H20a",
  "H23a",
  "H28a",
];

const pages = new Map(markdown.findPages().map((name) => [name, markdown.readPage(name)]));

describe.each([...pages.values()])("$name", ({ name, links }) => {
  test("has no broken link", () => {
    const local = links.filter(({ target }) => !/^https?:/.test(target));
    const broken = local.filter(({ target }) => !leadsSomewhere(name, target));
    expect(broken).toEqual([]);
  });
});

test("anchors are the same as on GitHub", () => {
  const { anchors } = markdown.parsePage(
    "p.md",
    "# A `b` & [c](d.md)!\n## H1. Where: it is\n## A `b` & c!"
  );
  expect([...anchors]).toEqual(["a-b--c", "h1-where-it-is", "a-b--c-1"]);
});

test("the reference has one entry for every rule from H1 to H47, and no others", () => {
  const { sections } = markdown.parsePage("reference.md", markdown.readReference("hooks"));
  const entries = sections.flatMap(({ title }) => /^(H\d+[a-z]?)\. /.exec(title)?.[1] ?? []);
  expect(entries.toSorted()).toEqual(RULES.toSorted());
});

function leadsSomewhere(from: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? from : posix.join(posix.dirname(from), path);
  if (!existsSync(join(markdown.REPOSITORY, file))) return false;
  return anchor === undefined || pages.get(file)?.anchors.has(anchor) === true;
}
