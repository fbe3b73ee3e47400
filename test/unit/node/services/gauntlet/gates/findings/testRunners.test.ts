/** Lines of test runners that the recorded outputs do not have: of other versions, options and libraries (G37). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test, vi } from "vitest";
import * as findingTypes from "@/node/services/gauntlet/domain/findings/finding";
import { OUTPUT_READERS } from "@/node/services/gauntlet/gates/findings/matchOutput";
import { outputLines } from "@/node/services/gauntlet/gates/findings/outputLines";
import { parseReport } from "@/node/services/gauntlet/gates/findings/readReports";
import { resolvePaths } from "@/node/services/gauntlet/gates/findings/resolvePaths";
import { Random } from "@test/helpers/Random";
import { newRuntime } from "@test/helpers/localRuntime";
import { folderWith } from "@test/helpers/tempDir";

/** Returns the problems as `file:line message {test}`, and the tests, as `passed/failed/skipped` with their names. */
function read(format: findingTypes.OutputFormat, ...lines: readonly string[]) {
  const readers = OUTPUT_READERS[format]();
  for (const line of lines) for (const reader of readers) reader.read(line);
  const found = readers.flatMap(({ all }) => all);
  const [run] = readers.flatMap(({ tally }) => tally?.run ?? []);
  return {
    found: found.map(
      ({ file = "", line = "", message, test: name = "" }) => `${file}:${line} ${message} {${name}}`
    ),
    counts:
      run === undefined
        ? "none"
        : `${run.passed}/${run.failed}/${run.skipped}${run.isPartial === true ? "+" : ""}`,
    names: run?.names.map((one) => one.test) ?? [],
  };
}

test("node --test has errors of several lines, whose text is not taken for results (G37)", () => {
  const tap = `not ok 1 - parses
  ---
  location: '/p/a.test.mjs:2:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly deep-equal:
    ...
    not ok 1 - x
      {
    +   name: 'b'
      }
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  expected:
    name: 'a'
  stack: |-
    TestContext.<anonymous> (file:///p/a.test.mjs:2:30)
  ...
not ok 4 - is quoted
  ---
  failureType: 'testCodeFailure'
  location: "/p/it's.mjs:4:1"
  error: "it's wrong"
  ...
not ok 2 - is cut off
  ---
  location: '/p/a.test.mjs:3:1'
ok 3 - adds
  ---
  duration_ms: 0.4
  ...
# suites 0
# pass 1
# fail 2`;
  const { found, names } = read("node-test", ...tap.split("\n"));
  expect(found).toEqual([
    "file:///p/a.test.mjs:2 AssertionError: Expected values to be strictly deep-equal: {parses}",
    "/p/it's.mjs:4 it's wrong {is quoted}",
  ]);
  expect(names).toEqual(["adds"]);
});

describe("pytest", () => {
  test("names tests that several processes run, and adds up several runs (G37)", () => {
    const lines = [
      "[gw1] [ 50%] PASSED tests/test_a.py::test_one ",
      "[gw0] [100%] PASSED tests/test_a.py::TestB::test_two[x::y - z] ",
      "========= 2 passed, 3 warnings in 61.20s (0:01:01) =========",
      "tests/test_c.py::test_three PASSED     [100%]",
      "1 passed, 2 xfailed, 1 deselected in 0.10s",
    ].map((line) => line.trimEnd());
    expect(read("pytest", ...lines)).toEqual({
      found: [],
      counts: "3/0/2",
      names: [
        "tests/test_a.py > test_one",
        "tests/test_a.py > TestB > test_two[x::y - z]",
        "tests/test_c.py > test_three",
      ],
    });
  });

  test("does not count what another program prints (G37)", () => {
    const lines = ["2 apples, 1 passed in 0.10s", "3 warnings in 0.10s", "no luck in 0.10s"];
    expect(read("pytest", ...lines).counts).toBe("none");
  });

  test("reads the tests in files that are not Python (G37)", () => {
    const lines = [
      "_____________ [doctest] README.md _____________",
      "/project/README.md:2: DocTestFailure",
      "docs/a.rst::a.rst PASSED     [ 50%]",
      "FAILED README.md::README.md",
      "FAILED a b.ipynb::Cell 0",
      "ERROR a.py - b.c::d",
      "ERROR app::db: cannot connect",
    ];
    const [readme, ...others] = read("pytest", ...lines).found;
    expect(readme).toBe("/project/README.md:2 failed {README.md > README.md}");
    expect(others).toEqual(["a b.ipynb: failed {a b.ipynb > Cell 0}", "a.py: b.c::d {}"]);
    expect(read("pytest", ...lines).names).toEqual(["docs/a.rst > a.rst"]);
  });

  test("has the last frame of the project, which is not in the captured output (G37)", () => {
    const lines = [
      ...["___ test_a ___", "tests/test_a.py:3: in test_a", "E   assert 'b.py:1: x' == ''"],
      ...["/v/lib/python3.11/site-packages/x.py:9: Error", "--- Captured stderr call ---"],
      ...["c.py:7: in f", "FAILED tests/test_a.py::test_a"],
    ];
    const [found] = read("pytest", ...lines).found;
    expect(found).toMatch(/^tests\/test_a\.py:3 assert 'b\.py:1: x'/);
  });

  test("has the whole name of a test whose message had no room in the line (G43)", () => {
    const lines = [
      "FAILED a.py::test_a[x - y]",
      "FAILED a.py::test_a[x - z]",
      "FAILED a.py::b - c[0]",
    ];
    expect(read("pytest", ...lines).found).toEqual([
      "a.py: failed {a.py > test_a[x - y]}",
      "a.py: failed {a.py > test_a[x - z]}",
      "a.py: c[0] {a.py > b}",
    ]);
  });

  test("does not name a test that passed and failed (G37)", () => {
    const lines = [
      "a.py::test_a PASSED [ 50%]",
      "a.py::test_b PASSED [100%]",
      "ERROR a.py::test_a - OSError: closed",
    ];
    expect(read("pytest", ...lines).names).toEqual(["a.py > test_b"]);
  });
});

test("vitest's positions and durations are not part of a name (G43)", () => {
  const found = [" FAIL  a.test.ts:12:3 > adds", "AssertionError: no", "⎯⎯⎯⎯[1/1]⎯"];
  const lines = [
    " RUN  v4.1.0",
    " ✓ a.test.ts:3:1 > is slow 5ms (retry x1)",
    "⎯⎯ Failed Tests 1 ⎯⎯",
  ];
  expect(read("vitest", ...lines, ...found, "      Tests  1 failed | 1 passed (2)")).toMatchObject({
    ...{ found: ["a.test.ts: AssertionError: no {adds}"], names: ["is slow"] },
  });
});

describe("go test", () => {
  test("has the error of testify, which is below the position (G37)", () => {
    const lines = [
      "--- FAIL: TestA (0.00s)",
      "    a_test.go:8: ",
      "        \tError Trace:\t/project/a_test.go:8",
      "        \tError:      \tShould be true",
      "        \tTest:       \tTestA",
      "FAIL\texample.com/m\t0.01s",
    ].map((line) => line.trimEnd());
    expect(read("go", ...lines).found).toEqual([
      "a_test.go:8 Should be true {example.com/m > TestA}",
    ]);
  });

  test("reports a package that fails without a failed test (G37)", () => {
    const lines = ["connection refused", "FAIL\texample.com/m\t0.01s", "FAIL"];
    expect(read("go", ...lines).found).toEqual([": the package failed, and none of its tests {}"]);
    expect(read("go", "FAIL\texample.com/m [build failed]").found).toEqual([]);
  });

  test("has no tests if no package has any, and does not know those of a quiet run (G37)", () => {
    const none = "?   \texample.com/m\t[no test files]";
    expect(read("go", none).counts).toBe("0/0/0");
    expect(read("go", none, "ok  \texample.com/n\t0.01s").counts).toBe("none");
    expect(read("go", "ok  \texample.com/n\t0.01s [no tests to run]").counts).toBe("0/0/0");
    const failed = ["--- FAIL: TestA (0.00s)", "FAIL\texample.com/m\t0.01s"];
    expect(read("go", none, "ok  \texample.com/n\t0.01s", ...failed).counts).toBe("0/1/0+");
    expect(read("go", none, ...failed).counts).toBe("0/1/0+");
    expect(read("go", "=== RUN   TestA", ...failed).counts).toBe("0/1/0");
  });
});

describe("cargo test", () => {
  test("reads the panics of Rust before 1.73 (G37)", () => {
    const lines = [
      "running 2 tests",
      "---- a::b stdout ----",
      "thread 'a::b' panicked at 'assertion failed: `(left == right)`",
      "  left: `1`,",
      " right: `2`', src/lib.rs:7:9",
      "---- c stdout ----",
      "thread 'c' panicked at 'not ready', src/lib.rs:9:5",
      "test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
    ];
    expect(read("rustc", ...lines)).toEqual({
      found: [
        "src/lib.rs:7 assertion failed: `(left == right)` {a > b}",
        "src/lib.rs:9 not ready {c}",
      ],
      counts: "0/2/0",
      names: [],
    });
  });

  test("reports a failed test whose output is not printed, and panics of other programs (G37)", () => {
    const lines = [
      "thread 'main' panicked at src/main.rs:2:5:",
      "no argument",
      "     Running `target/debug/app`",
      "     Running unittests src/lib.rs (target/debug/deps/my_app-0123456789abcdef)",
      "running 2 tests",
      "thread 'b' panicked at src/lib.rs:3:5:",
      "not ready",
      "test a ... FAILED",
      "test b ... FAILED",
      "test result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
    ];
    expect(read("rustc", ...lines).found).toEqual([
      "src/main.rs:2 no argument {}",
      "src/lib.rs:3 not ready {my_app > b}",
      ": failed {my_app > a}",
    ]);
  });
});

test("durations of minutes are not in the names of tests (G37)", () => {
  const lines = ["  ✔ a (1m 3.2s)", "  ✔ b (1m)", "  ✔ c ()", "  ─", "  3 tests passed"];
  expect(read("ava", ...lines).names).toEqual(["a", "b", "c ()"]);
  const one = ["Running 1 test using 1 worker", "  ✓  1 a.js:1:1 › b (1.2m)", "  1 passed (1.2m)"];
  expect(read("playwright", ...one).names).toEqual(["b"]);
});

test("RSpec does not name examples if the lines may be others (G37)", () => {
  const tree = ["Sums", "  adds", "   printed by the example"];
  expect(read("rspec", ...tree, "2 examples, 0 failures").names).toEqual([]);
  expect(read("rspec", "Sums", "  adds", "  prints", "1 example, 0 failures").names).toEqual([]);
  expect(read("rspec", "Sums", "  adds", "  fails (FAILED - 1)", "2 examples, 1 failure")).toEqual({
    found: [],
    counts: "1/1/0",
    names: ["Sums adds"],
  });
});

test("PHPUnit reads an error inside of it once, and a run without tests (G37)", () => {
  const lines = [
    "PHP Parse error:  syntax error, unexpected token in here in /project/a.php on line 3",
    "Parse error: syntax error, unexpected token in here in /project/a.php on line 3",
    "No tests executed!",
  ];
  expect(read("phpunit", ...lines)).toEqual({
    found: ["/project/a.php:3 syntax error, unexpected token in here {}"],
    counts: "0/0/0",
    names: [],
  });
});

test("PHPUnit reads on after a message with lines like those of a summary (G37)", () => {
  const item = (i: number, ...message: readonly string[]): string[] => {
    return [`${i}) FooTest::test${i}`, ...message, "", `/project/FooTest.php:${i}`, ""];
  };
  const first = ["There were 3 failures:", "", ...item(1, "OK status expected", "is wrong")];
  const rest = [...item(2, "Tests: 5 of them", "--"), ...item(3, "failed"), "FAILURES!"];
  expect(read("phpunit", ...first, ...rest, "--", ...item(4, "other")).found).toEqual([
    "/project/FooTest.php:1 OK status expected is wrong {FooTest > test1}",
    "/project/FooTest.php:2 Tests: 5 of them -- {FooTest > test2}",
    "/project/FooTest.php:3 failed {FooTest > test3}",
  ]);
});

test("Prettier has files without a name before the dot, and with other characters after it (G37)", () => {
  const files = [".prettierrc", "a b/.babelrc", "app.code-workspace"];
  const other = "[warn] Ignored unknown option { semicolon: true }.";
  const invalid = "[error] .prettierrc: SyntaxError: Unexpected token (1:2)";
  const end = "[warn] Code style issues found in 3 files. Run Prettier with --write to fix.";
  const lines = [invalid, other, ...files.map((file) => `[warn] ${file}`), end];
  const found = [
    ".prettierrc:1 SyntaxError: Unexpected token {}",
    ...files.map((file) => `${file}: not formatted {}`),
  ];
  expect(read("prettier", ...lines).found).toEqual(found);
  expect(read("prettier", ...lines.slice(0, -1)).found).toEqual([]);
});

describe("Maven", () => {
  test("reads Surefire 2 with JUnit 4, and adds up the modules (G37)", () => {
    const lines = [
      "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 sec <<< FAILURE! - in com.example.SumsTest",
      "[ERROR] adds[1 - b](com.example.SumsTest)  Time elapsed: 0.005 s  <<< FAILURE!",
      "java.lang.AssertionError: expected:<4> but was:<3>",
      "\tat org.junit.Assert.fail(Assert.java:88)",
      "\tat com.example.SumsTest.adds(SumsTest.java:12)",
      "",
      "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0",
      "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1",
      "[ERROR] Tests run: 99999999999999999999, Failures: 0, Errors: 0, Skipped: 0",
    ];
    expect(read("surefire", ...lines)).toEqual({
      found: [
        "com/example/SumsTest.java:12 AssertionError: expected:<4> but was:<3> {com.example.SumsTest > adds[1 - b]}",
      ],
      counts: "5/1/1",
      names: [],
    });
  });

  test("finds the file of a class in the folders of its sources (G37)", async () => {
    const paths = [
      "app/src/test/java/com/example/SumsTest.java",
      "app/src/main/kotlin/com/example/Helper.kt",
      "src/main/java/com/example/Root.java",
    ];
    const projectDir = await folderWith(Object.fromEntries(paths.map((path) => [path, ""])));
    const folders = { projectDir, folder: join(projectDir, "app") };
    const names = ["SumsTest.java", "Helper.kt", "Root.java"].map((name) => `com/example/${name}`);
    const found = [...names, projectDir].map((file) => ({ file }));
    expect(await resolvePaths(newRuntime(), folders, found)).toEqual([...paths, "."]);
  });
});

test("the file of a Go test is looked for in few folders, however deep its package is (G37)", async () => {
  const runtime = newRuntime();
  const stat = vi.spyOn(runtime, "stat").mockResolvedValue([]);
  const folders = { projectDir: "/project", folder: "/project" };
  const inPackage = (goPackage: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ file: `${i}_test.go`, goPackage }));
  await resolvePaths(runtime, folders, inPackage("a/".repeat(2_000), 20));
  await resolvePaths(runtime, folders, inPackage("a/".repeat(100), 2_000));
  expect(stat.mock.calls.flatMap(([paths]) => paths).length).toBeLessThan(25_000);
});

test("Gradle has the class as the file if no frame is in the project (G37)", () => {
  const lines = [
    "com.example.SumsTest$Inner > adds FAILED",
    "    java.util.concurrent.TimeoutException: timed out",
    "        at java.base/java.lang.Thread.run(Thread.java:840)",
    "",
    "My sums > adds() FAILED",
    "    java.util.concurrent.TimeoutException",
  ];
  expect(read("gradle", ...lines).found).toEqual([
    "com/example/SumsTest.java: TimeoutException: timed out {com.example.SumsTest$Inner > adds}",
    ": TimeoutException {My sums > adds()}",
  ]);
});

const FIXTURES = fileURLToPath(
  new URL("../../../../../../../fixtures/toolOutputs", import.meta.url)
);

test("no reader throws, in whatever order the lines of all tools come (G37)", async () => {
  const names = (await readdir(FIXTURES)).filter((name) => name.endsWith(".txt"));
  const texts = await Promise.all(names.map((name) => readFile(join(FIXTURES, name), "utf8")));
  const lines = texts.flatMap((text) => outputLines(text));
  const random = new Random(1);
  const mixed = lines.map(() => random.pick(lines));
  for (const format of findingTypes.OUTPUT_FORMATS)
    expect(read(format, ...mixed).names).not.toContain("");
});

test("Minitest has one failure for each number, also for those with two digits (G37)", () => {
  const items = Array.from({ length: 12 }, (_, i) => [
    `${String(i + 1).padStart(3)}) Failure:`,
    `SumsTest#test_${i + 1} [test/sums.rb:${i + 1}]:`,
    "Expected: 3",
    "",
  ]);
  const end = "14 runs, 14 assertions, 12 failures, 0 errors, 1 skips";
  const { found, counts } = read("minitest", ...items.flat(), end);
  expect(found).toHaveLength(12);
  expect(found.at(11)).toBe("test/sums.rb:12 Expected: 3 {SumsTest > test_12}");
  expect(counts).toBe("1/12/1");
});

test("a JUnit report has the positions in the traces of Go, Rust and Python (G37)", async () => {
  const failure = (text: string) =>
    `<testcase name="t" classname="m/inner"><failure message="wrong">${text}</failure></testcase>`;
  const python = "a.py:3: in f\nE   assert 'b.py:1: x'\n/v/site-packages/x.py:9: Error";
  const texts = ["    a_test.go:7: wrong", "thread 't' panicked at src/lib.rs:3:5:", python];
  const xml = `<testsuite>${texts.map(failure).join("")}</testsuite>`;
  const { found } = await parseReport("junit", xml);
  expect(found).toMatchObject([
    { file: "a_test.go", line: 7, goPackage: "m/inner", message: "wrong" },
    { file: "src/lib.rs", line: 3, column: 5 },
    { file: "a.py", line: 3 },
  ]);
});
