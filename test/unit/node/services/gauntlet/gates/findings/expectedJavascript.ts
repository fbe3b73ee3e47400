/** The findings and tests that the parsers have to find in the outputs of the test runners of JavaScript. */
import type { ExpectedFindings } from "@test/unit/node/services/gauntlet/gates/findings/expectedFindings";

const BUN_TEST_LINES = [
  "broken.test.js Cannot find module './missing.js' from '/project/bun/broken.test.js'",
  "/project/bun/sum.test.js:6:23 expect(received).toBe(expected) Expected: 3 Received: 4 [sum > adds <two> numbers]",
  "/project/bun/sum.js:6:47 TypeError: not ready [sum > nested (deep) > throws]",
  "/project/bun/sum.test.js:15:23 expect(received).toBe(expected) Expected: 1 Received: 2 [sum > adds 0 to 1]",
  "/project/bun/sum.test.js:15:23 expect(received).toBe(expected) Expected: 2 Received: 3 [sum > adds 0 to 2]",
  "/project/bun/sum.js:6:47 TypeError: not ready [database > (unnamed)]",
];

const BUN_TEST_IDS = [
  "sum > adds <two> numbers",
  "sum > nested (deep) > throws",
  "sum > adds 0 to 1",
  "sum > adds 0 to 2",
];

const BUN_TEST_NAMES = ["sum.test.js: sum > nested (deep) > passes", "text.test.js: trims > text"];

const BUN_TEST_NAMES_2 = [
  "broken.test.js: has imports",
  "sum.test.js: sum > adds <two> numbers",
  "sum.test.js: sum > nested (deep) > throws",
  "sum.test.js: sum > nested (deep) > passes",
  "sum.test.js: sum > adds 0 to 1",
  "sum.test.js: sum > adds 0 to 2",
  "text.test.js: trims > text",
  "text.test.js: database > reads",
];

const JEST_LINES = [
  "sum.test.js:5:23 expect(received).toBe(expected) // Object.is equality Expected: 3 Received: 4 [sum › adds <two> numbers]",
  "sum.js:6:22 TypeError: not ready [sum › nested (deep) › throws]",
  "sum.test.js:14:23 expect(received).toBe(expected) // Object.is equality Expected: 1 Received: 2 [sum › adds 0 to 1]",
  "sum.test.js:14:23 expect(received).toBe(expected) // Object.is equality Expected: 2 Received: 3 [sum › adds 0 to 2]",
  "sum.js:6:22 TypeError: not ready [database › reads]",
  "broken.test.js:1:19 Cannot find module './missing.js' from 'broken.test.js'",
];

const JEST_IDS = [
  "sum > adds <two> numbers",
  "sum > nested (deep) > throws",
  "sum > adds 0 to 1",
  "sum > adds 0 to 2",
  "database > reads",
];

const NODE_TEST_NAMES = ["sum > nested (deep) > passes", "trims > text"];

const NODE_TEST_LINES = [
  "/project/node/broken.test.js Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/node/missing.js' imported from /project/node/broken.test.js",
  "file:///project/node/sum.test.js:7:12 AssertionError: 4 == 3 [sum > adds <two> numbers]",
  "file:///project/node/sum.js:6:22 TypeError: not ready [sum > nested (deep) > throws]",
  "file:///project/node/sum.test.js:17:14 AssertionError: 2 == 1 [sum > adds 0 to 1]",
  "file:///project/node/sum.test.js:17:14 AssertionError: 3 == 2 [sum > adds 0 to 2]",
  "/project/node/text.test.js:12:3 test did not finish before its parent and was cancelled [database > reads]",
  "file:///project/node/sum.js:6:22 TypeError: not ready [database]",
];

const NODE_TEST_NAMES_2 = [
  "has imports",
  "sum > adds <two> numbers",
  "sum > nested (deep) > throws",
  "sum > nested (deep) > passes",
  "sum > adds 0 to 1",
  "sum > adds 0 to 2",
  "trims > text",
  "database > reads",
];

const PLAYWRIGHT_LINES = [
  "/project/playwright/sum.test.js:7:23 Error: expect(received).toBe(expected) // Object.is equality Expected: 3 Received: 4 [sum › adds <two> numbers]",
  "/project/playwright/sum.js:6:22 TypeError: not ready [sum › nested (deep) › throws]",
  "/project/playwright/sum.test.js:17:25 Error: expect(received).toBe(expected) // Object.is equality Expected: 1 Received: 2 [sum › adds 0 to 1]",
  "/project/playwright/sum.test.js:17:25 Error: expect(received).toBe(expected) // Object.is equality Expected: 2 Received: 3 [sum › adds 0 to 2]",
  "/project/playwright/sum.js:6:22 TypeError: not ready [database › reads]",
];

const VITEST_LINES = [
  "broken.test.js:2:19 Error: Cannot find module '/missing.js' imported from /project/vitest/broken.test.js",
  "sum.js:6:22 TypeError: not ready [database]",
  "sum.test.js:6:23 AssertionError: expected 4 to be 3 // Object.is equality [sum > adds <two> numbers]",
  "sum.js:6:22 TypeError: not ready [sum > nested (deep) > throws]",
  "sum.test.js:15:23 AssertionError: expected 2 to be 1 // Object.is equality [sum > adds 0 to 1]",
  "sum.test.js:15:23 AssertionError: expected 3 to be 2 // Object.is equality [sum > adds 0 to 2]",
];

export const JAVASCRIPT: Readonly<Record<string, ExpectedFindings>> = {
  "bun-test-agent.txt": {
    format: "bun-test",
    lines: BUN_TEST_LINES,
    ids: BUN_TEST_IDS,
    tests: { passed: 2, failed: 6, skipped: 1, names: [] },
  },
  "bun-test-ci.txt": {
    format: "bun-test",
    lines: BUN_TEST_LINES,
    ids: BUN_TEST_IDS,
    tests: { passed: 2, failed: 6, skipped: 1, names: BUN_TEST_NAMES },
  },
  "bun-test-long.txt": {
    format: "bun-test",
    lines: [
      "/project/bun-long/a.test.js:4:19 expect(received).not.toBe(expected) Expected: not 12 [number 12]",
      "a.test.js this test timed out after 1ms. [waits]",
    ],
    ids: ["number 12", "waits"],
    tests: {
      passed: 21,
      failed: 2,
      skipped: 1,
      names: [
        "a.test.js: number 0",
        "a.test.js: number 1",
        "a.test.js: number 2",
        "a.test.js: number 3",
        "a.test.js: number 4",
        "a.test.js: number 5",
        "a.test.js: number 6",
        "a.test.js: number 7",
        "a.test.js: number 8",
        "a.test.js: number 9",
        "a.test.js: number 10",
        "a.test.js: number 11",
        "a.test.js: number 13",
        "a.test.js: number 14",
        "a.test.js: number 15",
        "a.test.js: number 16",
        "a.test.js: number 17",
        "a.test.js: number 18",
        "a.test.js: number 19",
        "a.test.js: number 20",
        "a.test.js: number 21",
      ],
    },
  },
  "bun-test-passed.txt": {
    format: "bun-test",
    lines: [],
    tests: { passed: 8, failed: 0, skipped: 1, names: BUN_TEST_NAMES_2 },
  },
  "bun-test.txt": {
    format: "bun-test",
    lines: BUN_TEST_LINES,
    ids: BUN_TEST_IDS,
    tests: { passed: 2, failed: 6, skipped: 1, names: BUN_TEST_NAMES },
  },
  "jest-ci.txt": {
    format: "jest",
    lines: JEST_LINES,
    ids: JEST_IDS,
    tests: { passed: 2, failed: 5, skipped: 1, names: [] },
  },
  "jest-many.txt": {
    format: "jest",
    lines: [
      "4.test.js:2:17 expect(received).not.toBe(expected) // Object.is equality Expected: not 4 [number 4]",
    ],
    ids: ["number 4"],
    tests: { passed: 20, failed: 1, skipped: 0, names: [] },
  },
  "jest-one-file.txt": {
    format: "jest",
    lines: [
      "sum.test.js:5:23 expect(received).toBe(expected) // Object.is equality Expected: 3 Received: 4 [sum › adds <two> numbers]",
      "sum.js:6:22 TypeError: not ready [sum › nested (deep) › throws]",
      "sum.test.js:14:23 expect(received).toBe(expected) // Object.is equality Expected: 1 Received: 2 [sum › adds 0 to 1]",
      "sum.test.js:14:23 expect(received).toBe(expected) // Object.is equality Expected: 2 Received: 3 [sum › adds 0 to 2]",
    ],
    ids: BUN_TEST_IDS,
    tests: {
      passed: 1,
      failed: 4,
      skipped: 1,
      names: ["./sum.test.js: sum > nested (deep) > passes"],
    },
  },
  "jest-verbose-passed.txt": {
    format: "jest",
    lines: [],
    tests: {
      passed: 8,
      failed: 0,
      skipped: 1,
      names: [
        "./sum.test.js: sum > adds <two> numbers",
        "./sum.test.js: sum > adds 0 to 1",
        "./sum.test.js: sum > adds 0 to 2",
        "./sum.test.js: sum > nested (deep) > throws",
        "./sum.test.js: sum > nested (deep) > passes",
        "./text.test.js: trims > text",
        "./text.test.js: database > reads",
        "./broken.test.js: has imports",
      ],
    },
  },
  "jest.txt": {
    format: "jest",
    lines: JEST_LINES,
    ids: JEST_IDS,
    tests: { passed: 2, failed: 5, skipped: 1, names: [] },
  },
  "mocha-broken.txt": {
    format: "mocha",
    lines: [
      "file:///project/mocha/broken.test.js:2:51 Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/mocha/missing.js' imported from /project/mocha/broken.test.js",
    ],
  },
  "mocha-passed.txt": {
    format: "mocha",
    lines: [],
    tests: {
      passed: 7,
      failed: 0,
      skipped: 1,
      names: [
        "trims > text",
        "sum > adds <two> numbers",
        "sum > adds 0 to 1",
        "sum > adds 0 to 2",
        "sum > nested (deep) > throws",
        "sum > nested (deep) > passes",
        "database > reads",
      ],
    },
  },
  "mocha.txt": {
    format: "mocha",
    lines: [
      "file:///project/mocha/sum.test.js:6:12 AssertionError [ERR_ASSERTION]: 4 == 3 [sum > adds <two> numbers]",
      "file:///project/mocha/sum.test.js:16:14 AssertionError [ERR_ASSERTION]: 2 == 1 [sum > adds 0 to 1]",
      "file:///project/mocha/sum.test.js:16:14 AssertionError [ERR_ASSERTION]: 3 == 2 [sum > adds 0 to 2]",
      "file:///project/mocha/sum.js:6:22 TypeError: not ready [sum > nested (deep) > throws]",
      'file:///project/mocha/sum.js:6:22 TypeError: not ready [database > "before all" hook for "reads"]',
    ],
    ids: [
      "sum > adds <two> numbers",
      "sum > adds 0 to 1",
      "sum > adds 0 to 2",
      "sum > nested (deep) > throws",
    ],
    tests: {
      passed: 2,
      failed: 5,
      skipped: 1,
      names: ["trims > text", "sum > nested (deep) > passes"],
    },
  },
  "node-20-test-spec.txt": {
    format: "node-test",
    lines: [
      "broken.test.js Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/node/missing.js' imported from /project/node/broken.test.js",
      "file:///project/node/sum.test.js:7:12 AssertionError [ERR_ASSERTION]: 4 == 3 [sum > adds <two> numbers]",
      "file:///project/node/sum.js:6:22 TypeError [Error]: not ready [sum > nested (deep) > throws]",
      "file:///project/node/sum.test.js:17:14 AssertionError [ERR_ASSERTION]: 2 == 1 [sum > adds 0 to 1]",
      "file:///project/node/sum.test.js:17:14 AssertionError [ERR_ASSERTION]: 3 == 2 [sum > adds 0 to 2]",
      "text.test.js:12:3 test did not finish before its parent and was cancelled [database > reads]",
      "file:///project/node/sum.js:6:22 TypeError [Error]: not ready [database]",
    ],
    ids: JEST_IDS,
    tests: { passed: 2, failed: 6, skipped: 1, names: NODE_TEST_NAMES },
  },
  "node-20-test.txt": {
    format: "node-test",
    lines: NODE_TEST_LINES,
    ids: JEST_IDS,
    tests: { passed: 2, failed: 6, skipped: 1, names: NODE_TEST_NAMES },
  },
  "node-22-test-passed.txt": {
    format: "node-test",
    lines: [],
    tests: { passed: 8, failed: 0, skipped: 1, names: NODE_TEST_NAMES_2 },
  },
  "node-22-test.txt": {
    format: "node-test",
    lines: NODE_TEST_LINES,
    ids: JEST_IDS,
    tests: { passed: 2, failed: 6, skipped: 1, names: NODE_TEST_NAMES },
  },
  "node-24-test-passed.txt": {
    format: "node-test",
    lines: [],
    tests: { passed: 8, failed: 0, skipped: 1, names: NODE_TEST_NAMES_2 },
  },
  "node-24-test.txt": {
    format: "node-test",
    lines: [
      "broken.test.js Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/node/missing.js' imported from /project/node/broken.test.js",
      "file:///project/node/sum.test.js:7:12 AssertionError [ERR_ASSERTION]: 4 == 3 [sum > adds <two> numbers]",
      "file:///project/node/sum.js:6:22 TypeError: not ready [sum > nested (deep) > throws]",
      "file:///project/node/sum.test.js:17:14 AssertionError [ERR_ASSERTION]: 2 == 1 [sum > adds 0 to 1]",
      "file:///project/node/sum.test.js:17:14 AssertionError [ERR_ASSERTION]: 3 == 2 [sum > adds 0 to 2]",
      "text.test.js:12:3 test did not finish before its parent and was cancelled [database > reads]",
      "file:///project/node/sum.js:6:22 TypeError: not ready [database]",
    ],
    ids: JEST_IDS,
    tests: { passed: 2, failed: 6, skipped: 1, names: NODE_TEST_NAMES },
  },
  "playwright-broken.txt": {
    format: "playwright",
    lines: [
      "a.test.js:2 Error: not loaded",
      "b.test.js:2 SyntaxError: /project/playwright-broken/b.test.js: Unexpected token (2:24)",
    ],
  },
  "playwright-dot.txt": {
    format: "playwright",
    lines: PLAYWRIGHT_LINES,
    ids: JEST_IDS,
    tests: { passed: 2, failed: 5, skipped: 1, names: [] },
  },
  "playwright-flaky.txt": {
    format: "playwright",
    lines: [
      "/project/playwright-flaky/a.test.js:7:15 Error: expect(received).toBe(expected) // Object.is equality Expected: 2 Received: 1 [serial › first]",
      "/project/playwright-flaky/a.test.js:7:15 Error: expect(received).toBe(expected) // Object.is equality Expected: 2 Received: 1 [serial › first]",
      "/project/playwright-flaky/a.test.js:3:22 warning: Error: expect(received).toBe(expected) // Object.is equality Expected: 1 Received: 0 [flaky]",
      "/project/playwright-flaky/a.test.js:3:22 warning: Error: expect(received).toBe(expected) // Object.is equality Expected: 1 Received: 0 [flaky]",
    ],
    ids: ["[one] > serial > first", "[two words] > serial > first"],
    tests: {
      passed: 2,
      failed: 2,
      skipped: 2,
      names: ["a.test.js: [one] > flaky", "a.test.js: [two words] > flaky"],
    },
  },
  "playwright-line.txt": {
    format: "playwright",
    lines: PLAYWRIGHT_LINES,
    ids: JEST_IDS,
    tests: { passed: 2, failed: 5, skipped: 1, names: [] },
  },
  "playwright-list.txt": {
    format: "playwright",
    lines: PLAYWRIGHT_LINES,
    ids: JEST_IDS,
    tests: { passed: 2, failed: 5, skipped: 1, names: BUN_TEST_NAMES },
  },
  "playwright-passed.txt": {
    format: "playwright",
    lines: [],
    tests: { passed: 8, failed: 0, skipped: 1, names: BUN_TEST_NAMES_2 },
  },
  "vitest-agent.txt": {
    format: "vitest",
    lines: VITEST_LINES,
    ids: BUN_TEST_IDS,
    tests: { passed: 2, failed: 4, skipped: 2, names: [] },
  },
  "vitest-ci.txt": {
    format: "vitest",
    lines: VITEST_LINES,
    ids: BUN_TEST_IDS,
    tests: { passed: 2, failed: 4, skipped: 2, names: ["text.test.js: trims > text"] },
  },
  "vitest-passed.txt": {
    format: "vitest",
    lines: [],
    tests: { passed: 8, failed: 0, skipped: 1, names: [] },
  },
  "vitest-projects.txt": {
    format: "vitest",
    lines: [
      "a.test.js:6:20 AssertionError: expected { a: 1 } to deeply equal { a: 2 } [compares]",
      "a.test.js:6:20 AssertionError: expected { a: 1 } to deeply equal { a: 2 } [compares]",
      "a.test.js:3:18 Error: late",
      "a.test.js:3:18 Error: late",
    ],
    ids: ["unit > compares", "two words > compares"],
    tests: {
      passed: 2,
      failed: 2,
      skipped: 0,
      names: ["a.test.js: two words > rejects late", "a.test.js: unit > rejects late"],
    },
  },
  "vitest-verbose.txt": {
    format: "vitest",
    lines: VITEST_LINES,
    ids: BUN_TEST_IDS,
    tests: { passed: 2, failed: 4, skipped: 2, names: BUN_TEST_NAMES },
  },
  "vitest.txt": {
    format: "vitest",
    lines: VITEST_LINES,
    ids: BUN_TEST_IDS,
    tests: { passed: 2, failed: 4, skipped: 2, names: ["text.test.js: trims > text"] },
  },
};
