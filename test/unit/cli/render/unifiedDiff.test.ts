import { expect, test } from "vitest";
import { unifiedDiff } from "@/cli/render/unifiedDiff";

test("a text with more differences than are compared is shown as replaced", () => {
  const lines = unifiedDiff("a\n".repeat(3_000), "b\n".repeat(3_000));
  expect([lines.length, lines[1], lines.at(-1)]).toEqual([6_002, "-a", "+b"]);
});
