import { expect, test, describe } from "vitest";
import { excerpt, shareOut, compacted } from "@/node/services/gauntlet/reason/logExcerpts";
import { playwrightLog, pytestLog, rustupLog } from "@test/unit/node/services/gauntlet/reason/logs";

/** Returns the excerpt of a log that does not fit, as the reason has it. */
function shortened(log: string, max = 1_500): string {
  const [text = ""] = compacted([log], max);
  const short = excerpt(text, max);
  expect(log.length).toBeGreaterThan(max);
  expect(short.length).toBeLessThanOrEqual(max);
  expect(short.split("\n").every((line) => line.startsWith("      | "))).toBe(true);
  return short;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe("an excerpt keeps what helps (G26)", () => {
  test("the advice of rustup, and its trace once", () => {
    const short = shortened(rustupLog());
    expect(short).toContain("| help: run 'rustup toolchain install 1.99.0");
    expect(short).toContain("| error: toolchain '1.99.0");
    expect(count(short, "find_toolchain_3:")).toBe(1);
    expect(short).toContain("(× 3)");
    expect(short).not.toContain("std::rt");
  });

  test("the names of failed browser tests, and the error that they share once", () => {
    const short = shortened(playwrightLog());
    expect(count(short, "PlaywrightError")).toBe(1);
    expect(short).toContain("Error (PlaywrightError) { (× 58)");
    expect(short).toContain("Executable doesn't exist\", (× 58)");
    expect(short).toContain('hint: run "npx playwright install"');
    expect(short).toContain("58 failed");
    expect(count(short, "[chromium] › tests/shop-")).toBeGreaterThan(8);
    expect(short).not.toContain("node_modules");
  });

  test("the exception and the summary of pytest, and the frame of the project", () => {
    const short = shortened(pytestLog());
    expect(short).toContain("| TypeError: unsupported operand");
    expect(short).toContain("| 3 failed, 12 passed in 0.31s");
    expect(short).toContain('File "/srv/shop/cart.py", line 31');
    expect(short).toContain("return sum(item.price for item in items)");
    const tiny = shortened(pytestLog(), 300);
    expect(tiny).toContain("TypeError");
    expect(tiny).not.toContain("site-packages");
  });

  test.each([
    ["✖ 5 problems (5 errors, 0 warnings)", "eslint"],
    ["FAILED (failures=2)", "unittest"],
    ["FAIL src/cart.test.ts", "Jest"],
    ["  ● cart › adds prices", "Jest"],
    ["Tests:       2 failed, 10 passed, 12 total", "Jest"],
    ["test result: FAILED. 1 passed; 2 failed; 0 ignored", "cargo"],
    ["  ✘  3 [chromium] › a.spec.ts:3:1 › signs in (1.2s)", "Playwright"],
    ["not ok 3 - adds", "TAP"],
    ["hint: Updates were rejected", "git"],
  ])("%s, at the start of a long log", (line) => {
    const noise = Array.from({ length: 200 }, (_, i) => `    at error${i} (src/error${i}.ts:1:1)`);
    const words = Array.from({ length: 200 }, (_, i) => `an error may be expected here, ${i}`);
    expect(shortened([line, ...words, ...noise].join("\n"), 400)).toContain(line);
  });

  test("at most eight lines of advice before failures", () => {
    const hints = Array.from({ length: 100 }, (_, i) => `hint: try ${i}, which is a long line`);
    expect(shortened(["FAIL a", ...hints, "FAIL b"].join("\n"), 500)).toContain("FAIL b");
  });

  test.each([
    ["Ruby", "  from /usr/lib/ruby/gems/rack.rb:3:in `call'", "  from app/cart.rb:9:in `sum'"],
    ["Go", "testing.tRunner(0xc0000b6000, 0x5a1f60)", "main.sum(0xc0000b6000)"],
    ["Rust", "   3: core::panicking::panic::h1f", "   4: shop::cart::sum::h2f"],
    ["Node", "    at node:internal/modules/run_main:1:1", "    at sum (src/cart.ts:1:1)"],
  ])("frames of the project before those of libraries in %s", (_, foreign, own) => {
    const frames = Array.from({ length: 40 }, (_, i) => `${foreign} ${i}`);
    const short = excerpt([own, ...frames, "the end"].join("\n"), 120);
    expect(short).toContain("the end");
    expect(short).toContain(own);
  });
});

describe("equal lines (G26)", () => {
  test("are one line with their number, without the spaces at their ends", () => {
    expect(compacted(["a line\na line  \na line\nb\n\n\n\nc\na line"], 1_000)).toEqual([
      "a line (× 3)\nb\n\nc\na line",
    ]);
  });

  test("are counted everywhere only if the logs do not fit", () => {
    const log = "first line\nb\nfirst line\n}\n{\n}";
    expect(compacted([log], 1_000)).toEqual([log]);
    const more = `first line\n${log}\n}\n\n\n`;
    expect(compacted([more], 20)).toEqual(["first line (× 3)\nb\n}\n{\n} (× 2)\n"]);
  });

  test("differ by a number or the case", () => {
    expect(compacted(["line 1\nline 2\nLine 2"], 20)).toEqual(["line 1\nline 2\nLine 2"]);
  });
});

test("gives the unused budget of short texts to the long ones (G26)", () => {
  expect(shareOut(100, [10, 1_000, 20])).toEqual([10, 70, 20]);
  expect(shareOut(0, [5])).toEqual([0]);
});

test("clips one long line instead of omitting it, and is empty for an empty log (G26)", () => {
  const text = excerpt(`Error: ${"x".repeat(5_000)}`, 300);
  expect(text.length).toBeLessThanOrEqual(300);
  expect(text.length).toBeGreaterThan(200);
  expect(excerpt("", 300)).toBe("");
});
