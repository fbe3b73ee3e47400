import { expect, test } from "vitest";
import { clip } from "@/common/text";

test.each([
  ["abc", 3, "abc"],
  ["abc", 2, "a…"],
  ["abc", 1, "…"],
  ["abc", 0, ""],
  ["abc", -1, ""],
  ["", 0, ""],
  ["😀bc", 2, "…"],
])("cuts %j to %i characters: %j", (text, max, expected) => {
  expect(clip(text, max)).toBe(expected);
});
