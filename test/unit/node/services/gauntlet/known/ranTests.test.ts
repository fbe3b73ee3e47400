/** Which tests no longer run, by the list of the last pass (G48). */
import { join } from "node:path";
import { expect, test } from "vitest";
import { replaceTests } from "@/node/services/gauntlet/known/ranTests";
import { newRuntime } from "@test/helpers/localRuntime";
import { tempDir } from "@test/helpers/tempDir";

const named = (file: string, ...tests: string[]) => tests.map((name) => ({ file, test: name }));

test.each([
  ["is named if its file changed", named("a.js", "adds"), ["a.js"], ["divides"]],
  ["is not if its file did not change", named("a.js", "adds"), ["b.js"], []],
  ["is not if only its parameter changed", named("a.js", "adds", "divides[2]"), ["a.js"], []],
  ["is not if its file was moved", named("c.js", "adds", "divides[1]"), ["a.js", "c.js"], []],
])("a test that no longer runs %s", async (_, ran, changed, vanished) => {
  const path = join(await tempDir(), "tests");
  const runtime = newRuntime();
  const before = named("a.js", "adds", "divides[1]");
  expect(await replaceTests(runtime, path, before, new Set(["a.js"]))).toEqual([]);
  expect(await replaceTests(runtime, path, ran, new Set(changed))).toEqual(vanished);
});
