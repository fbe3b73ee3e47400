/** The findings that the parsers have to find in fixtures/toolOutputs, with the paths as the tools print them. */
import type { OutputFormat, ReportFormat } from "@/node/services/gauntlet/domain/findings/finding";
import type { TestRun } from "@/node/services/gauntlet/gates/findings/formats/reader";

export interface ExpectedFindings {
  readonly format: OutputFormat | ReportFormat;
  readonly lines: readonly string[];
  /** The `test` of each finding that has one, in the order of `lines`. Absent: none of them has one. */
  readonly ids?: readonly string[];
  /** The tests of the run. `names` has those that passed, as `file: test`. Absent: no tests may be read. */
  readonly tests?: Omit<TestRun, "names"> & { readonly names: readonly string[] };
}

export const EXPECTED: Readonly<Record<string, ExpectedFindings>> = {
  "eslint-npm-run.txt": {
    format: "eslint-json",
    lines: [
      "/project/src/broken.js:1:7 Parsing error: Unexpected token =",
      "/project/src/c.js:1:7 'unused' is assigned a value but never used. [no-unused-vars]",
      "/project/src/c.js:2:5 'window' is not defined. [no-undef]",
      "/project/src/c.js:2:12 warning: Expected '===' and instead saw '=='. [eqeqeq]",
      "/project/src/c.js:2:23 'undefinedCall' is not defined. [no-undef]",
    ],
  },
  "eslint-stylish.txt": {
    format: "eslint-stylish",
    lines: [
      "/project/src/broken.js:1:7 Parsing error: Unexpected token =",
      "/project/src/c.js:1:7 'unused' is assigned a value but never used [no-unused-vars]",
      "/project/src/c.js:2:5 'window' is not defined [no-undef]",
      "/project/src/c.js:2:12 warning: Expected '===' and instead saw '==' [eqeqeq]",
      "/project/src/c.js:2:23 'undefinedCall' is not defined [no-undef]",
    ],
  },
  "eslint-unix.txt": {
    format: "eslint-unix",
    lines: [
      "/project/src/broken.js:1:7 Parsing error: Unexpected token =",
      "/project/src/c.js:1:7 'unused' is assigned a value but never used. [no-unused-vars]",
      "/project/src/c.js:2:5 'window' is not defined. [no-undef]",
      "/project/src/c.js:2:12 warning: Expected '===' and instead saw '=='. [eqeqeq]",
      "/project/src/c.js:2:23 'undefinedCall' is not defined. [no-undef]",
    ],
  },
  "eslint.json": {
    format: "eslint-json",
    lines: [
      "/project/src/broken.js:1:7 Parsing error: Unexpected token =",
      "/project/src/c.js:1:7 'unused' is assigned a value but never used. [no-unused-vars]",
      "/project/src/c.js:2:5 'window' is not defined. [no-undef]",
      "/project/src/c.js:2:12 warning: Expected '===' and instead saw '=='. [eqeqeq]",
      "/project/src/c.js:2:23 'undefinedCall' is not defined. [no-undef]",
    ],
  },
  "eslint.sarif": {
    format: "sarif",
    lines: [
      "file:///project/src/c.js:1:7 'unused' is assigned a value but never used. [no-unused-vars]",
      "file:///project/src/c.js:2:5 'window' is not defined. [no-undef]",
      "file:///project/src/c.js:2:12 warning: Expected '===' and instead saw '=='. [eqeqeq]",
      "file:///project/src/c.js:2:23 'undefinedCall' is not defined. [no-undef]",
      "file:///project/src/broken.js:1:7 Parsing error: Unexpected token =",
    ],
  },
  "jest-junit.xml": {
    format: "junit",
    lines: [
      "/project/jest/sum.test.cjs:6:19 Error: expect(received).toBe(expected) // Object.is equality Expected: 4 Received: 3 [sum adds]",
      "/project/jest/sum.test.cjs:2:9 TypeError: not ready [sum throws]",
    ],
    ids: ["sum adds", "sum throws"],
    tests: { passed: 0, failed: 2, skipped: 0, names: [] },
  },
  "pytest-junit.xml": {
    format: "junit",
    lines: [
      "tests/test_import.py:1 collection failure [tests.test_import]",
      "tests/test_sums.py:6 assert 4 == 3 + where 4 = total([1, 2]) [test_total]",
      "app/sums.py:9 ZeroDivisionError: division by zero [test_zero]",
      "tests/test_sums.py:15 AssertionError: assert 'a - b' == '' + a - b [test_names[a - b]]",
      "tests/test_sums.py:15 AssertionError: assert 'c::d' == '' + c::d [test_names[c::d]]",
      'tests/test_sums.py:20 failed on setup with "RuntimeError: no database" [test_setup]',
    ],
    ids: [
      "tests.test_sums > test_total",
      "tests.test_sums.TestRatio > test_zero",
      "tests.test_sums.TestRatio > test_names[a - b]",
      "tests.test_sums.TestRatio > test_names[c::d]",
      "tests.test_sums > test_setup",
    ],
    tests: { passed: 1, failed: 6, skipped: 0, names: ["tests.test_sums > test_passes"] },
  },
  "ruff-junit.xml": {
    format: "junit",
    lines: [
      "/project/app/broken.py:1:12 Expected a parameter or the end of the parameter list [org.ruff.invalid-syntax]",
      "/project/app/broken.py:1:13 Expected `)`, found newline [org.ruff.invalid-syntax]",
      "/project/app/sums.py:1:8 `os` imported but unused [org.ruff.F401]",
    ],
  },
  "ruff.json": {
    format: "ruff-json",
    lines: [
      "/project/app/broken.py:1:12 Expected a parameter or the end of the parameter list [invalid-syntax]",
      "/project/app/broken.py:1:13 Expected `)`, found newline [invalid-syntax]",
      "/project/app/sums.py:1:8 `os` imported but unused [F401]",
    ],
  },
  "ruff.sarif": {
    format: "sarif",
    lines: [
      "file:///project/app/broken.py:1:12 Expected a parameter or the end of the parameter list [invalid-syntax]",
      "file:///project/app/broken.py:1:13 Expected `)`, found newline [invalid-syntax]",
      "file:///project/app/sums.py:1:8 `os` imported but unused [F401]",
    ],
  },
  "tsc-7-pretty.txt": {
    format: "tsc",
    lines: [
      "src/a.ts:1:7 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/a.ts:3:3 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/b.ts:1:10 Module '\"./a.js\"' has no exported member 'missing'. [TS2305]",
      "src/b.ts:2:14 Property 'b' is missing in type '{ a: number; }' but required in type '{ a: number; b: string; }'. [TS2741]",
    ],
  },
  "tsc-7.txt": {
    format: "tsc",
    lines: [
      "src/a.ts:1:7 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/a.ts:3:3 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/b.ts:1:10 Module '\"./a.js\"' has no exported member 'missing'. [TS2305]",
      "src/b.ts:2:14 Property 'b' is missing in type '{ a: number; }' but required in type '{ a: number; b: string; }'. [TS2741]",
    ],
  },
  "tsc-no-inputs.txt": {
    format: "tsc",
    lines: [
      "No inputs were found in config file '/project/empty/tsconfig.json'. Specified 'include' paths were '[\"none/*.ts\"]' and 'exclude' paths were '[]'. [TS18003]",
    ],
  },
  "tsc-pretty.txt": {
    format: "tsc",
    lines: [
      "src/a.ts:1:7 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/a.ts:3:3 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/b.ts:1:10 Module '\"./a.js\"' has no exported member 'missing'. [TS2305]",
      "src/b.ts:2:14 Property 'b' is missing in type '{ a: number; }' but required in type '{ a: number; b: string; }'. [TS2741]",
    ],
  },
  "tsc.txt": {
    format: "tsc",
    lines: [
      "src/a.ts:1:7 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/a.ts:3:3 Type 'string' is not assignable to type 'number'. [TS2322]",
      "src/b.ts:1:10 Module '\"./a.js\"' has no exported member 'missing'. [TS2305]",
      "src/b.ts:2:14 Property 'b' is missing in type '{ a: number; }' but required in type '{ a: number; b: string; }'. [TS2741]",
    ],
  },
  "vitest-junit.xml": {
    format: "junit",
    lines: [
      "src/sum.test.ts:6:23 expected 4 to be 3 // Object.is equality [sum > adds <two> numbers]",
      "src/sum.js:5:9 not ready [sum > throws]",
    ],
    ids: ["src/sum.test.ts > sum > adds <two> numbers", "src/sum.test.ts > sum > throws"],
    tests: {
      passed: 1,
      failed: 2,
      skipped: 0,
      names: ["src/sum.test.ts: src/sum.test.ts > sum > passes"],
    },
  },
};
