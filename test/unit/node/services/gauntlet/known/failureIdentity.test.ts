import { describe, expect, test } from "vitest";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import * as identity from "@/node/services/gauntlet/known/failureIdentity";
import { newRuntime } from "@test/helpers/localRuntime";
import { folderWith } from "@test/helpers/tempDir";

const finding = (file: string, line: number, more: Partial<Finding> = {}): Finding => ({
  ...{ file, line, severity: "error", rule: "no-bad", message: "bad" },
  ...more,
});

describe("a line of an output (G43)", () => {
  test.each([
    ["id 123e4567-e89b-12d3-a456-426614174000 gone", "id <id> gone"],
    ["in /tmp/x-1/a.js: gone", "in <tmp>: gone"],
    ["in /private/var/folders/zz/T/a gone", "in <tmp> gone"],
    ["file:///var/tmp/a/b gone", "file://<tmp> gone"],
    ["on 2026-11-23 at 2026-11-23T04:11:58.123Z", "on <date> at <date>"],
    ["on 2026-11-23 04:11:58,5+01:00 it", "on <date> it"],
    ["at 04:30:09, 4:30 PM and 12:01:02.5", "at <time>, <time> and <time>"],
    ["pytest (0:01:01)", "pytest (<time>)"],
    ["at 0x7f79a46dba90", "at <address>"],
    ["http://127.0.0.1:8080/ http://localhost:43121", "http://<port>/ http://<port>"],
    ["0.0.0.0:3000 [::1]:8080 [::]:8081", "<port> <port> <port>"],
    ["commit 878b65b of 0123456789abcdef0123", "commit <hash> of <hash>"],
    ["in 1.5s, 20 ms, 3 minutes, 1m 3s, 18µs", "in <time>, <time>, <time>, <time>, <time>"],
  ])("masks what differs between two runs: %s", (line, masked) => {
    expect(identity.maskLine(line)).toBe(masked);
  });

  test.each([
    "3 errors and 12 warnings",
    "a.c:12:34: error: bad",
    "  12:34  warning  bad".trim(),
    "(12:34) bad",
    "src/tmp/a.c:1: bad",
    "packages/var/tmp/a.c: bad",
    "deadbeef 1234567",
    "5 matches in 10 megabytes",
  ])("keeps what may tell problems apart: %s", (line) => {
    expect(identity.maskLine(line)).toBe(line);
  });

  test("masks numbers only beside findings", () => {
    expect(identity.maskNumbers("port 4312, seed 99, a.c:12")).toBe("port #, seed #, a.c:#");
    expect(identity.maskNumbers("in 15ms")).toBe("in <time>");
  });

  test("is cut without becoming equal to another one", () => {
    const [a, b] = [`${"x".repeat(400)}a`, `${"x".repeat(400)}b`];
    expect(identity.maskLine(a).length).toBeLessThan(320);
    expect(identity.maskLine(a)).not.toBe(identity.maskLine(b));
    expect([...identity.maskedLines(["", "  ", " a ", "a"])]).toEqual(["a"]);
  });

  test.each(["1", "1.", "a1", "0-", "1:", "/tmp/", "12:34", "0x", "::1]", "127.0.0.1", "1 m"])(
    "is masked in linear time if it repeats %j",
    (part) => {
      // An expression that is not linear needs a minute.
      expect(identity.maskNumbers(part.repeat(50_000)).length).toBeLessThan(400);
    }
  );
});

describe("an identity (G43)", () => {
  test("of a test is its file and name, of a problem its rule or message with the text of its line", () => {
    const lineText = (): string => "  code  ";
    const keys = (...findings: Finding[]): string[] =>
      identity.identify(findings, lineText).map(({ failure }) => identity.keyOf(failure));
    const [a, b] = keys(finding("a", 1, { test: "t" }), finding("a", 2, { test: "t2" }));
    expect(keys(finding("a", 9, { test: "t", message: "other", rule: "x" }))).toEqual([a]);
    expect(b).not.toBe(a);
    expect(keys(finding("a", 1, { message: "other" }))).toEqual(keys(finding("a", 5)));
    const plain = { rule: undefined };
    const numbered = keys(finding("a", 1, { ...plain, message: "12 is bad" }));
    expect(keys(finding("a", 1, { ...plain, message: "13 is bad" }))).toEqual(numbered);
    expect(keys(finding("a", 1, { ...plain, message: "12 is good" }))).not.toEqual(numbered);
    const unread = (message: string): unknown =>
      identity.identify([finding("a", 1, { message })], () => undefined)[0]?.failure;
    expect(unread("12 is bad")).toEqual(unread("13 is bad"));
    expect(unread("12 is bad")).not.toEqual(unread("12 is good"));
  });

  test("counts equal ones of a file in the order of their lines, and a thousand of them", () => {
    const findings = [finding("a", 3), finding("b", 1), finding("a", 2)];
    const found = identity
      .identify(findings, () => "x")
      .map(({ finding: one, failure }) => [one.file, one.line, failure.nth]);
    expect(found).toEqual([
      ["b", 1, undefined],
      ["a", 2, undefined],
      ["a", 3, 2],
    ]);
    const many = Array.from({ length: 1_000 }, (_, i) => finding("a", i + 1));
    const keys = identity.identify(many, () => "x").map(({ failure }) => identity.keyOf(failure));
    expect(new Set(keys).size).toBe(1_000);
    expect(identity.identify(many, () => "x").at(-1)?.failure.nth).toBe(1_000);
  });

  test("has the text of its line in any number of files, without its line ending", async () => {
    const files = Array.from({ length: 150 }, (_, i) => `src/${i}.js`);
    const texts = files.map((file) => [file, `a\r\n  ${file}\r\n`]);
    const projectDir = await folderWith(Object.fromEntries(texts) as Record<string, string>);
    const all = [...files.map((file) => finding(file, 2)), finding("src/missing.js", 1)];
    const lineText = await identity.readLines({ runtime: newRuntime(), projectDir }, all);
    expect(files.map((file) => lineText(file, 2)?.trim())).toEqual(files);
    expect(lineText("src/missing.js", 1)).toBeUndefined();
    const outside = [finding("../a.js", 1), finding("/etc/passwd", 1)];
    const none = await identity.readLines({ runtime: newRuntime(), projectDir }, outside);
    expect(outside.map(({ file = "" }) => none(file, 1))).toEqual([undefined, undefined]);
  });
});

describe("an error beside findings (G46)", () => {
  const FOUND = [
    finding("src/a.js", 5, { rule: "no-undef", message: "'windows' is not defined" }),
    finding("src/one.test.js", 7, { test: "suite > reads it all", rule: "reads it all" }),
  ];

  test.each([
    "src/a.js:5:1: error",
    'File "src/a.js", line 5: error',
    "src/a.js(5,1): error",
    "FAIL ./src/one.test.js",
    "error  'windows' is not defined",
    "Failed: reads it all",
    "all is fine",
  ])("is none that is about a finding, or no error: %s", (line) => {
    expect([...identity.otherErrors([line], FOUND)]).toEqual([]);
  });

  test.each([
    ["error: src/a.js is too long", "error: src/a.js is too long"],
    ["src/a.js:57: error", "src/a.js:#: error"],
    ["src/b.js:5: error", "src/b.js:#: error"],
    ["FAIL ./src/two.test.js", "FAIL ./src/two.test.js"],
  ])("is one although it is similar: %s", (line, masked) => {
    expect([...identity.otherErrors([line], FOUND)]).toEqual([masked]);
  });

  test("is found in linear time in hostile lines", () => {
    const parts = ["a.a", "a:1", "(1", "error ", '", line 1'];
    const lines = parts.map((part) => `error ${part.repeat(4_000)}`);
    expect(new Set(identity.otherErrors(lines, FOUND)).size).toBe(5);
  });
});
