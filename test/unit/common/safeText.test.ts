import { describe, expect, test } from "vitest";
import { findLineStarts, OWN_ESC, plainText, terminalText, visible, clip } from "@/common/safeText";

describe("plainText", () => {
  test.each([
    ["a CSI sequence", "a\u001b[1;31mb\u009b0mc", "abc"],
    ["a hyperlink", "\u001b]8;;http://x\u0007link\u001b]8;;\u001b\\", "link"],
    ["a device control string", "a\u001bPq#0\u001b\\b", "ab"],
    ["an OSC sequence that never ends", "a\u001b]0;title\nb", "a0;title\nb"],
    ["a CSI sequence that never ends", "a\u001b[12", "a"],
    ["a charset selection", "a\u001b(Bb", "ab"],
    ["a lone escape", "a\u001b", "a"],
    ["NUL and DEL", "a\0b\u007fc", "abc"],
  ])("removes %s (H20)", (_, text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  test("keeps tabs, line ends and letters of every script (H20)", () => {
    expect(plainText("\tä\r\n漢 👨‍👩‍👧\n")).toBe("\tä\n漢 👨‍👩‍👧\n");
  });
});

test("visible shows control, bidirectional, zero-width and tag characters as escapes (H20a)", () => {
  expect(visible("a\n\u001b]0;x\u0007\u202e\u200b\u{e0041}\u00ad\u3164b")).toBe(
    "a\\n\\u001b]0;x\\u0007\\u202e\\u200b\\udb40\\udc41\\u00ad\\u3164b"
  );
  expect(visible("Straße ⚠️ 漢字")).toBe("Straße ⚠️ 漢字");
});

test("terminalText keeps colors, cursor movements and the meaning of JSON, and escapes other control characters (H20a)", () => {
  const own = `${OWN_ESC}[31mred${OWN_ESC}[39m\n${OWN_ESC}[3A${OWN_ESC}[?7l`;
  expect(terminalText(own)).toBe(own.replaceAll(OWN_ESC, "\u001b"));
  expect(terminalText("\u001b]0;x\u0007\u001b[5n\u009b2J\u202e\u200b")).toBe(
    "\\u001b]0;x\\u0007\\u001b[5n\\u009b2J\\u202e\\u200b"
  );
  // Colors and line starts hide text as well, if a file name contains them.
  expect(terminalText("\r\u001b[8m\u001b<12>[1A")).toBe("\\r\\u001b[8m\\u001b<12>[1A");
  const value = { a: "\u202e\u200b\u{e0041}\u0085 ok" };
  expect(JSON.parse(terminalText(JSON.stringify(value)))).toEqual(value);
});

test("findLineStarts recognizes three kinds of line ends", () => {
  expect(findLineStarts("a\r\nb\rc\nd")).toEqual([0, 3, 5, 7]);
});

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
