// Runs the test runners and linters of JavaScript, each on a project with problems, and once without, if it runs tests.
import { join } from "node:path";
import { packageVersion, project, versions } from "./project.mjs";

const NODES = ["20.20.2", "22.23.3", "24.21.0"];

/** Exact versions of npm packages. The runner of Node is recorded with each supported release line. */
const NPM = [
  "jest@30.5.2",
  "jest-junit@17.0.0",
  "vitest@4.1.12",
  "mocha@12.0.3",
  "ava@7.0.0",
  "bun@1.4.5",
  "@playwright/test@1.65.1",
  "@biomejs/biome@2.6.8",
  "oxlint@1.94.0",
  "prettier@3.10.1",
  ...NODES.map((version) => `node-${version.slice(0, 2)}@npm:node@${version}`),
];

/** With `PASSES`, every test passes. */
const SUM = `const passes = process.env.PASSES === "1";
export function sum(a, b) {
  return a + b + (passes ? 0 : 1);
}
export function check() {
  if (!passes) throw new TypeError("not ready");
}
`;

const jestLike = (
  imports,
  { beforeAll = "beforeAll", test = "test", equals, each, ext = "js" }
) => ({
  [`sum.test.${ext}`]: `${imports}import { check, sum } from "./sum.js";

describe("sum", () => {
  ${test}("adds <two> numbers", () => {
    ${equals("sum(1, 2)", "3")};
  });
  describe("nested (deep)", () => {
    ${test}("throws", () => {
      check();
    });
    ${test}("passes", () => {});
  });
  ${each("adds 0 to %i", (n) => equals(`sum(0, ${n})`, n))}
  ${test}.skip("later", () => {});
});
`,
  [`text.test.${ext}`]: `${imports}import { check } from "./sum.js";

${test}("trims > text", () => {
  console.log("a note");
});
describe("database", () => {
  ${beforeAll}(() => {
    check();
  });
  ${test}("reads", () => {});
});
`,
  [`broken.test.${ext}`]: `${imports}const { check } = await import(process.env.PASSES === "1" ? "./sum.js" : "./missing.js");
${test}("has imports", () => {
  check();
});
`,
});

const expectToBe = (actual, expected) => `expect(${actual}).toBe(${expected})`;
const assertEqual = (actual, expected) => `assert.equal(${actual}, ${expected})`;
const testEach = (title, body) => `test.each([1, 2])("${title}", (n) => {
    ${body("n")};
  });`;
const loopOf = (test) => (title, body) =>
  `for (const n of [1, 2]) {
    ${test}("${title.replace("%i", "")}" + n, () => {
      ${body("n")};
    });
  }`;

const inFolder = (folder, files) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

const FILES = {
  "package.json": JSON.stringify({ name: "scratch", private: true, type: "module" }),
  ...inFolder("vitest", {
    "sum.js": SUM,
    "vitest.config.js": "export default {};\n",
    ...jestLike('import { beforeAll, describe, expect, test } from "vitest";\n', {
      equals: expectToBe,
      each: testEach,
    }),
  }),
  ...inFolder("bun", {
    "sum.js": SUM,
    ...jestLike('import { beforeAll, describe, expect, test } from "bun:test";\n', {
      equals: expectToBe,
      each: testEach,
    }),
  }),
  ...inFolder("jest", {
    "package.json": "{}",
    "sum.js": SUM.replaceAll("export function", "module.exports.").replaceAll(
      /module\.exports\. (\w+)/g,
      "exports.$1 = function $1"
    ),
    ...Object.fromEntries(
      Object.entries(jestLike("", { equals: expectToBe, each: testEach })).map(([name, text]) => [
        name,
        text
          .replace(/import (.*) from (.*);/, "const $1 = require($2);")
          .replace(/await import\((.*)\);/, "require($1);"),
      ])
    ),
  }),
  ...inFolder("mocha", {
    "sum.js": SUM,
    ...jestLike('import assert from "node:assert";\n', {
      beforeAll: "before",
      test: "it",
      equals: assertEqual,
      each: loopOf("it"),
    }),
  }),
  ...inFolder("ava", {
    "package.json": '{ "type": "module", "ava": { "files": ["*.test.js"] } }',
    "sum.js": SUM,
    "sum.test.js": `import test from "ava";
import { check, sum } from "./sum.js";

test("adds <two> numbers", (t) => {
  t.is(sum(1, 2), 3);
});
test("throws", (t) => {
  check();
  t.pass();
});
test("rejects", async (t) => {
  await Promise.resolve().then(check);
  t.pass();
});
test("passes", (t) => t.pass());
for (const n of [1, 2]) test(\`adds 0 to \${n}\`, (t) => t.is(sum(0, n), n, "a message"));
test.skip("later", (t) => t.fail());
test.todo("never");
test.failing("is known", (t) => t.fail());
`,
    "text.test.js": 'import test from "ava";\n\ntest("trims > text", (t) => t.pass());\n',
    "broken.test.js": `import test from "ava";
const { check } = await import(process.env.PASSES === "1" ? "./sum.js" : "./missing.js");
test("has imports", (t) => t.notThrows(check));
`,
  }),
  ...inFolder("node", {
    "sum.js": SUM,
    ...jestLike(
      'import assert from "node:assert";\nimport { before, describe, test } from "node:test";\n',
      { beforeAll: "before", equals: assertEqual, each: loopOf("test") }
    ),
  }),
  ...inFolder("playwright", {
    "sum.js": SUM,
    "playwright.config.js": 'export default { testMatch: "*.test.js", workers: 1 };\n',
    ...jestLike(
      'import { expect, test } from "@playwright/test";\nconst { describe, beforeAll } = test;\n',
      { equals: expectToBe, each: loopOf("test") }
    ),
  }),
  ...inFolder("vitest-projects", {
    "vitest.config.js":
      'const projects = ["unit", "two words"].map((name) => ({ test: { name } }));\nexport default { test: { projects } };\n',
    "a.test.js":
      'import { expect, test } from "vitest";\ntest("rejects late", () => {\n  Promise.reject(new Error("late"));\n});\ntest("compares", () => {\n  expect({ a: 1 }).toEqual({ a: 2 });\n});\n',
  }),
  ...inFolder("jest-many", {
    "package.json": "{}",
    ...Object.fromEntries(
      Array.from({ length: 21 }, (_, i) => [
        `${i}.test.js`,
        `test("number ${i}", () => {\n  expect(${i}).not.toBe(4);\n});\n`,
      ])
    ),
  }),
  ...inFolder("bun-long", {
    "a.test.js":
      'import { expect, test } from "bun:test";\nfor (let n = 0; n < 22; n++) {\n  test("number " + n, () => {\n    expect(n).not.toBe(12);\n  });\n}\ntest("waits", () => new Promise(() => {}), 1);\ntest.todo("later");\n',
  }),
  ...inFolder("playwright-flaky", {
    "playwright.config.js":
      'export default { testMatch: "*.test.js", workers: 1, retries: 1, projects: [{ name: "one" }, { name: "two words" }] };\n',
    "a.test.js":
      'import { expect, test } from "@playwright/test";\ntest("flaky", ({}, info) => {\n  expect(info.retry).toBe(1);\n});\ntest.describe.serial("serial", () => {\n  test("first", () => {\n    expect(1).toBe(2);\n  });\n  test("second", () => {});\n});\n',
  }),
  ...inFolder("playwright-broken", {
    "playwright.config.js": 'export default { testMatch: "*.test.js", workers: 1 };\n',
    "a.test.js": 'import { test } from "@playwright/test";\nthrow new Error("not loaded");\n',
    "b.test.js": 'import { test } from "@playwright/test";\ntest("b", () => { const = 1; });\n',
  }),
  ...inFolder("lint", {
    "a.js": 'var unused = 1;\nif (window == "a  b") debugger;\n',
    "b.js": "export const x = ;\n",
    "src/c.js": "export function   f( ) { return 1 }\n",
    "src/d.js": "export const d = 1;\n",
    "src/style.css": "a { color: }\n",
  }),
};

/** Returns the names of the packages that are missing. */
export function javascriptTools() {
  const { dir, run: runIn, save, file } = project("javascript-tools", FILES);
  const installed = runIn("npm", ["install", "--no-save", "--no-audit", "--no-fund", ...NPM]);
  if (installed.status !== 0) return ["npm packages of test runners"];
  const names = ["jest", "vitest", "mocha", "ava", "bun", "@playwright/test", "oxlint", "prettier"];
  for (const name of [...names, "@biomejs/biome"]) versions[name] = packageVersion(dir, name);
  runIn("node", [join(dir, "node_modules/bun/install.js")]);
  const bin = (name) => join(dir, "node_modules/.bin", name);
  /** Runs a program in a folder of the project. */
  const record = (file, folder, program, args, env = {}) =>
    save(file, runIn("sh", ["-c", 'cd "$0" && exec "$@"', folder, program, ...args], env));
  const passes = { PASSES: "1" };

  record("jest.txt", "jest", bin("jest"), []);
  record("jest-one-file.txt", "jest", bin("jest"), ["sum"]);
  record("jest-verbose-passed.txt", "jest", bin("jest"), ["--verbose"], passes);
  record("jest-many.txt", "jest-many", bin("jest"), ["--runInBand"]);
  record("jest-ci.txt", "jest", bin("jest"), ["--ci"], { CI: "true", GITHUB_ACTIONS: "true" });

  record("vitest.txt", "vitest", bin("vitest"), ["run"]);
  record("vitest-projects.txt", "vitest-projects", bin("vitest"), ["run"], { NO_COLOR: "1" });
  record("vitest-passed.txt", "vitest", bin("vitest"), ["run"], passes);
  record("vitest-verbose.txt", "vitest", bin("vitest"), ["run", "--reporter=verbose"]);
  record("vitest-agent.txt", "vitest", bin("vitest"), ["run"], { CLAUDECODE: "1" });
  record("vitest-ci.txt", "vitest", bin("vitest"), ["run"], { CI: "true", GITHUB_ACTIONS: "true" });

  const mocha = ["sum.test.js", "text.test.js"];
  record("mocha.txt", "mocha", bin("mocha"), mocha);
  record("mocha-passed.txt", "mocha", bin("mocha"), mocha, passes);
  record("mocha-broken.txt", "mocha", bin("mocha"), ["*.test.js"]);

  record("ava.txt", "ava", bin("ava"), []);
  record("ava-passed.txt", "ava", bin("ava"), [], passes);
  record("ava-one-file.txt", "ava", bin("ava"), ["sum.test.js"]);

  for (const version of NODES) {
    const name = `node-${version.slice(0, 2)}`;
    versions[name] = version;
    const node = join(dir, "node_modules", name, "bin/node");
    record(`${name}-test.txt`, "node", node, ["--test"]);
    if (version === NODES[0]) {
      record(`${name}-test-spec.txt`, "node", node, ["--test", "--test-reporter=spec"]);
    } else record(`${name}-test-passed.txt`, "node", node, ["--test"], passes);
  }

  record("bun-test.txt", "bun", bin("bun"), ["test"]);
  record("bun-test-passed.txt", "bun", bin("bun"), ["test"], passes);
  record("bun-test-long.txt", "bun-long", bin("bun"), ["test"]);
  record("bun-test-agent.txt", "bun", bin("bun"), ["test"], { CLAUDECODE: "1" });
  record("bun-test-ci.txt", "bun", bin("bun"), ["test"], { CI: "true", GITHUB_ACTIONS: "true" });

  const playwright = ["sum.test.js", "text.test.js"];
  for (const reporter of ["list", "line", "dot"]) {
    const args = ["test", `--reporter=${reporter}`, ...playwright];
    record(`playwright-${reporter}.txt`, "playwright", bin("playwright"), args, { CI: "true" });
  }
  record("playwright-broken.txt", "playwright-broken", bin("playwright"), ["test"]);
  record("playwright-passed.txt", "playwright", bin("playwright"), ["test"], passes);
  record("playwright-flaky.txt", "playwright-flaky", bin("playwright"), ["test"]);

  /** Runs a program in a folder, and saves the report that it writes. */
  const report = (name, folder, program, args, env = {}) => {
    runIn("sh", ["-c", 'cd "$0" && exec "$@"', folder, program, ...args], env);
    file(name, `${folder}/report.xml`);
  };
  const jestJunit = ["--reporters=jest-junit"];
  const jestOutput = { JEST_JUNIT_OUTPUT_FILE: "report.xml" };
  report("jest-junit-passed.xml", "jest", bin("jest"), jestJunit, { ...passes, ...jestOutput });
  const vitestJunit = ["run", "--reporter=junit", "--outputFile=report.xml"];
  report("vitest-junit-passed.xml", "vitest", bin("vitest"), vitestJunit, passes);
  const bunJunit = ["test", "--reporter=junit", "--reporter-outfile=report.xml"];
  report("bun-junit.xml", "bun", bin("bun"), bunJunit);
  report("bun-junit-passed.xml", "bun", bin("bun"), bunJunit, passes);
  const node24 = join(dir, "node_modules/node-24/bin/node");
  const nodeJunit = ["--test", "--test-reporter=junit", "--test-reporter-destination=report.xml"];
  report("node-junit.xml", "node", node24, nodeJunit);
  report("node-junit-passed.xml", "node", node24, nodeJunit, passes);

  for (const command of ["check", "lint", "format", "ci"]) {
    record(`biome-${command}.txt`, "lint", bin("biome"), [command]);
  }
  record("oxlint-color.txt", "lint", bin("oxlint"), [], { FORCE_COLOR: "1" });
  record("oxlint-github.txt", "lint", bin("oxlint"), [], { GITHUB_ACTIONS: "true" });
  record("oxlint-agent.txt", "lint", bin("oxlint"), [], { CLAUDECODE: "1" });
  record("oxlint.txt", "lint", bin("oxlint"), []);
  record("prettier.txt", "lint", bin("prettier"), ["--check", "."]);
  return [];
}
