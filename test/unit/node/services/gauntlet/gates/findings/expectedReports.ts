/** The findings that the parsers have to find in the outputs of the linters of JavaScript, and in reports of its runners. */
import type { ExpectedFindings } from "@test/unit/node/services/gauntlet/gates/findings/expectedFindings";

const OXLINT_LINES = [
  "b.js:1:18 Unexpected token",
  "a.js:1:5 warning: Variable 'unused' is declared but never used. Unused variables should start with a '_'. [eslint(no-unused-vars)]",
  "a.js:2:23 warning: `debugger` statement is not allowed [eslint(no-debugger)]",
];

export const REPORTS: Readonly<Record<string, ExpectedFindings>> = {
  "eslint-pretty.txt": {
    format: "eslint-pretty",
    lines: [
      "src/c.js:2:12 warning: Expected === and instead saw ==. [eqeqeq]",
      "src/c.js:1:7 unused is assigned a value but never used. [no-unused-vars]",
      "src/c.js:2:5 window is not defined. [no-undef]",
      "src/c.js:2:23 undefinedCall is not defined. [no-undef]",
      "src/broken.js:1:7 Parsing error: Unexpected token =",
    ],
  },
  "ava.txt": {
    format: "ava",
    lines: [
      "broken.test.js Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/project/ava/missing.js' imported from /project/ava/broken.test.js",
      "sum.test.js:5 failed [sum › adds <two> numbers]",
      "file:///project/ava/sum.js:6:22 TypeError: not ready [sum › throws]",
      "sum.test.js:16 a message [sum › adds 0 to 1]",
      "sum.test.js:16 a message [sum › adds 0 to 2]",
      "file:///project/ava/sum.js:6:22 TypeError: not ready [sum › rejects]",
    ],
    ids: [
      "sum › adds <two> numbers",
      "sum › throws",
      "sum › adds 0 to 1",
      "sum › adds 0 to 2",
      "sum › rejects",
    ],
    tests: {
      ...{ passed: 3, failed: 5, skipped: 2 },
      names: ["sum › passes", "sum › is known", "text › trims > text"],
    },
  },
  "ava-one-file.txt": {
    format: "ava",
    lines: [
      "sum.test.js:5 failed [adds <two> numbers]",
      "file:///project/ava/sum.js:6:22 TypeError: not ready [throws]",
      "sum.test.js:16 a message [adds 0 to 1]",
      "sum.test.js:16 a message [adds 0 to 2]",
      "file:///project/ava/sum.js:6:22 TypeError: not ready [rejects]",
    ],
    ids: ["adds <two> numbers", "throws", "adds 0 to 1", "adds 0 to 2", "rejects"],
    tests: { passed: 2, failed: 5, skipped: 2, names: ["passes", "is known"] },
  },
  "ava-passed.txt": {
    format: "ava",
    lines: [],
    tests: {
      ...{ passed: 9, failed: 0, skipped: 2 },
      names: [
        "broken › has imports",
        "sum › adds <two> numbers",
        "sum › throws",
        "sum › passes",
        "sum › adds 0 to 1",
        "sum › adds 0 to 2",
        "sum › is known",
        "sum › rejects",
        "text › trims > text",
      ],
    },
  },
  "biome-check.txt": {
    format: "biome",
    lines: [
      "a.js:1:5 warning: This variable unused is unused. [lint/correctness/noUnusedVariables]",
      "a.js:2:12 Using == may be unsafe if you are relying on type coercion. [lint/suspicious/noDoubleEquals]",
      "a.js:2:23 This is an unexpected use of the debugger statement. [lint/suspicious/noDebugger]",
      "b.js:1:18 Expected an expression, or an assignment but instead found ';'. [parse]",
      "b.js Code formatting aborted due to parsing errors. To format code with errors, enable the 'formatter.formatWithErrors' option. [format]",
      "src/c.js Formatter would have printed the following content: [format]",
      "src/style.css Formatter would have printed the following content: [format]",
    ],
  },
  "biome-ci.txt": {
    format: "biome",
    lines: [
      "a.js:1:5 warning: This variable unused is unused. [lint/correctness/noUnusedVariables]",
      "a.js:2:12 Using == may be unsafe if you are relying on type coercion. [lint/suspicious/noDoubleEquals]",
      "a.js:2:23 This is an unexpected use of the debugger statement. [lint/suspicious/noDebugger]",
      "b.js:1:18 Expected an expression, or an assignment but instead found ';'. [parse]",
      "b.js Code formatting aborted due to parsing errors. To format code with errors, enable the 'formatter.formatWithErrors' option. [format]",
      "src/c.js File content differs from formatting output [format]",
      "src/style.css File content differs from formatting output [format]",
    ],
  },
  "biome-format.txt": {
    format: "biome",
    lines: [
      "b.js:1:18 Expected an expression, or an assignment but instead found ';'. [parse]",
      "b.js Code formatting aborted due to parsing errors. To format code with errors, enable the 'formatter.formatWithErrors' option. [format]",
      "src/c.js Formatter would have printed the following content: [format]",
      "src/style.css Formatter would have printed the following content: [format]",
    ],
  },
  "biome-lint.txt": {
    format: "biome",
    lines: [
      "a.js:1:5 warning: This variable unused is unused. [lint/correctness/noUnusedVariables]",
      "a.js:2:12 Using == may be unsafe if you are relying on type coercion. [lint/suspicious/noDoubleEquals]",
      "a.js:2:23 This is an unexpected use of the debugger statement. [lint/suspicious/noDebugger]",
      "b.js:1:18 Expected an expression, or an assignment but instead found ';'. [parse]",
    ],
  },
  "bun-junit-passed.xml": {
    format: "junit",
    lines: [],
    tests: {
      passed: 8,
      failed: 0,
      skipped: 1,
      names: [
        "broken.test.js: broken.test.js > has imports",
        "sum.test.js: sum > adds <two> numbers",
        "sum.test.js: nested (deep) > sum > throws",
        "sum.test.js: nested (deep) > sum > passes",
        "sum.test.js: sum > adds 0 to 1",
        "sum.test.js: sum > adds 0 to 2",
        "text.test.js: text.test.js > trims > text",
        "text.test.js: database > reads",
      ],
    },
  },
  "bun-junit.xml": {
    format: "junit",
    lines: [
      "sum.test.js:6:23 expect(received).toBe(expected) Expected: 3 Received: 4 [adds <two> numbers]",
      "sum.js:6:47 not ready [throws]",
      "sum.test.js:15:23 expect(received).toBe(expected) Expected: 1 Received: 2 [adds 0 to 1]",
      "sum.test.js:15:23 expect(received).toBe(expected) Expected: 2 Received: 3 [adds 0 to 2]",
      "sum.js:6:47 not ready [(unnamed)]",
    ],
    ids: [
      "sum > adds <two> numbers",
      "nested (deep) > sum > throws",
      "sum > adds 0 to 1",
      "sum > adds 0 to 2",
      "database > (unnamed)",
    ],
    tests: {
      passed: 2,
      failed: 5,
      skipped: 1,
      names: [
        "sum.test.js: nested (deep) > sum > passes",
        "text.test.js: text.test.js > trims > text",
      ],
    },
  },
  "jest-junit-passed.xml": {
    format: "junit",
    lines: [],
    tests: {
      passed: 8,
      failed: 0,
      skipped: 1,
      names: [
        "sum adds <two> numbers",
        "sum nested (deep) throws",
        "sum nested (deep) passes",
        "sum adds 0 to 1",
        "sum adds 0 to 2",
        "trims > text",
        "database reads",
        "has imports",
      ],
    },
  },
  "node-junit-passed.xml": {
    format: "junit",
    lines: [],
    tests: {
      passed: 8,
      failed: 0,
      skipped: 1,
      names: [
        "/project/node/broken.test.js: test > has imports",
        "/project/node/sum.test.js: sum > adds <two> numbers",
        "/project/node/sum.test.js: sum.nested (deep) > throws",
        "/project/node/sum.test.js: sum.nested (deep) > passes",
        "/project/node/sum.test.js: sum > adds 0 to 1",
        "/project/node/sum.test.js: sum > adds 0 to 2",
        "/project/node/text.test.js: test > trims > text",
        "/project/node/text.test.js: database > reads",
      ],
    },
  },
  "node-junit.xml": {
    format: "junit",
    lines: [
      "/project/node/broken.test.js test failed [broken.test.js]",
      "file:///project/node/sum.test.js:7:12 4 == 3 [adds <two> numbers]",
      "file:///project/node/sum.js:6:22 not ready [throws]",
      "file:///project/node/sum.test.js:17:14 2 == 1 [adds 0 to 1]",
      "file:///project/node/sum.test.js:17:14 3 == 2 [adds 0 to 2]",
      "/project/node/text.test.js test did not finish before its parent and was cancelled [reads]",
    ],
    ids: [
      "sum > adds <two> numbers",
      "sum.nested (deep) > throws",
      "sum > adds 0 to 1",
      "sum > adds 0 to 2",
      "database > reads",
    ],
    tests: {
      passed: 2,
      failed: 6,
      skipped: 1,
      names: [
        "/project/node/sum.test.js: sum.nested (deep) > passes",
        "/project/node/text.test.js: test > trims > text",
      ],
    },
  },
  "oxlint-agent.txt": {
    format: "oxlint",
    lines: [
      "a.js:1:5 warning: Variable 'unused' is declared but never used. Unused variables should start with a '_'. [eslint(no-unused-vars)]",
      "a.js:2:23 warning: `debugger` statement is not allowed [eslint(no-debugger)]",
      "b.js:1:18 Unexpected token",
    ],
  },
  "oxlint-color.txt": {
    format: "oxlint",
    lines: OXLINT_LINES,
  },
  "oxlint-github.txt": {
    format: "oxlint",
    lines: OXLINT_LINES,
  },
  "oxlint.txt": {
    format: "oxlint",
    lines: OXLINT_LINES,
  },
  "prettier.txt": {
    format: "prettier",
    lines: [
      "b.js:1:18 SyntaxError: Unexpected token",
      "src/c.js warning: not formatted",
      "src/style.css warning: not formatted",
    ],
  },
  "vitest-junit-passed.xml": {
    format: "junit",
    lines: [],
    tests: {
      passed: 8,
      failed: 0,
      skipped: 1,
      names: [
        "broken.test.js: broken.test.js > has imports",
        "sum.test.js: sum.test.js > sum > adds <two> numbers",
        "sum.test.js: sum.test.js > sum > nested (deep) > throws",
        "sum.test.js: sum.test.js > sum > nested (deep) > passes",
        "sum.test.js: sum.test.js > sum > adds 0 to 1",
        "sum.test.js: sum.test.js > sum > adds 0 to 2",
        "text.test.js: text.test.js > trims > text",
        "text.test.js: text.test.js > database > reads",
      ],
    },
  },
};
