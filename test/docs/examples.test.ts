/** Checks that every example of the documentation works as its page claims. */
import { describe, expect, test } from "vitest";
import { expectedOutput } from "@test/helpers/docs/expected";
import { findPages, parsePage, readPage, type Section } from "@test/helpers/docs/markdown";
import { runSection } from "@test/helpers/docs/runners";
import { checkTypes } from "@test/helpers/docs/typescript";
import { missingIn } from "@scripts/programs.mjs";
// Commands with pipes and the programs of other machines run the built command.
import "@test/helpers/freshBuild";

const pages = findPages().map(readPage);

function needsOf(kind: string): string {
  return kind === "spread" ? "parallel ssh ssh-keygen sshd" : "";
}

/** Returns the commands and the text of a section, in which `missingIn` looks for programs. */
function textOf({ blocks }: Section): string {
  return blocks
    .map((block) => (block.type === "given" ? block.command : block.text + needsOf(block.kind)))
    .join("\n");
}

describe.each(pages)("$name", ({ sections }) => {
  const shown = sections.filter(({ blocks }) => blocks.length > 0);
  if (shown.length === 0) test("has no example", () => undefined);
  for (const section of shown) {
    test.runIf(missingIn(textOf(section)).length === 0)(section.title, () => runSection(section));
  }
});

test("the TypeScript examples compile", async () => {
  const blocks = pages.flatMap(({ sections }) => sections.flatMap((section) => section.blocks));
  const wrong = parsePage("page.md", "```ts\nimport { none } from 'mux-stop-hooks';\n```").sections;
  const fences = [...blocks, ...wrong[0]!.blocks].filter((block) => block.type === "fence");
  const errors = await checkTypes(fences.filter(({ language }) => language === "ts"));
  expect(errors).toEqual([expect.stringMatching(/^page\.md:1: .* no exported member 'none'/)]);
});

describe("runSection", () => {
  const run = async (...lines: string[]): Promise<void> => {
    const { sections } = parsePage("page.md", lines.join("\n"));
    for (const section of sections) await runSection(section);
  };
  const hook = (verdict: string): string[] => [
    `\`\`\`bash hook verdict=${verdict}`,
    "#!/bin/sh",
    "echo no >&2; exit 2",
    "```",
  ];

  test("rejects a block that nothing runs", async () => {
    await expect(run("# T", "```js", "1", "```")).rejects.toThrow(
      "page.md:2: this block has no runner"
    );
    await expect(run("```", "1", "```")).rejects.toThrow("page.md:1: this block has no runner");
    await expect(run("~~~sh", "1", "~~~")).rejects.toThrow("page.md:1: this block has no runner");
  });

  test("rejects a file that nothing uses", async () => {
    await expect(run("```sh file=a.sh", "true", "```")).rejects.toThrow("page.md:1");
  });

  test("rejects a wrong verdict, a wrong message and a wrong output", async () => {
    await run(
      ...hook("continues"),
      "```text agent",
      "[Stop hook requested continuation]",
      "no",
      "```"
    );
    await expect(run(...hook("stops"))).rejects.toThrow("continues");
    await expect(run(...hook("continues"), "```text agent", "no", "```")).rejects.toThrow();
    await expect(run("```console", "$ echo a", "b", "```")).rejects.toThrow("$ echo a");
  });

  test("rejects settings with a problem", async () => {
    await expect(run("```json settings", '{ "stopHooks": 3 }', "```")).rejects.toThrow("page.md:1");
    await expect(run("```json settings", '{ "hooks": { "stop": [] } }', "```")).rejects.toThrow();
  });
});

test("expectedOutput compares line by line, without durations and omitted parts", () => {
  expect("a  31 ms\nb").toMatch(expectedOutput("a   4.2 s\nb\n"));
  expect("a\nx\ny\nb").toMatch(expectedOutput("a\n…\nb\n"));
  expect("say: what there is").toMatch(expectedOutput("say: …\n"));
  expect("a\nb").not.toMatch(expectedOutput("a\n"));
  expect("a 31").not.toMatch(expectedOutput("a 4\n"));
});
