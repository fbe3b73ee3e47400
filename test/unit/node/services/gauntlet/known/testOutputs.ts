/** Prints what test runners print about the tests of a model, in the form of `fixtures/toolOutputs`. */
import type { OutputFormat } from "@/node/services/gauntlet/domain/findings/finding";

/** A test that failed or a problem of a linter, at a line of a file. */
export interface ShownProblem {
  /** Relative to the project. */
  readonly path: string;
  readonly line: number;
  /** Of a test, or the rule. */
  readonly name: string;
  readonly message: string;
  /** The text of the line. */
  readonly code: string;
}

export interface Shown {
  readonly dir: string;
  readonly failed: readonly ShownProblem[];
  readonly passed: readonly { readonly path: string; readonly name: string }[];
  /** Differs between two runs: for durations, addresses and numbers of threads. */
  readonly seed: number;
}

export interface Tool {
  readonly format: OutputFormat;
  readonly kind: "tests" | "problems";
  /** Returns the path of a file with this short name, such as `one`. */
  readonly path: (name: string) => string;
  readonly print: (shown: Shown) => string;
  readonly exit?: (failed: number) => number;
  /** Whether it reports files rather than lines. */
  readonly isByFile?: boolean;
}

const tests = (
  format: OutputFormat,
  path: Tool["path"],
  print: Tool["print"],
  exit?: Tool["exit"]
): Tool => ({ format, kind: "tests", path, print, exit });

const stem = (path: string): string => /([^/]+?)(?:\.test)?\.\w+$/.exec(path)?.[1] ?? path;
const filesOf = ({ failed, passed }: Shown): string[] => [
  ...new Set([...failed, ...passed].map(({ path }) => path)),
];

function jest(shown: Shown): string {
  const { failed, passed, seed } = shown;
  const files = filesOf(shown).map((file) => {
    const own = failed.filter(({ path }) => path === file);
    const items = own.map(
      ({ name, message, path, line, code }) => `  ● suite › ${name}

    ${message}

    > ${line} |     ${code}
        |                       ^

      at Object.toBe (${path}:${line}:23)
`
    );
    return own.length === 0 ? `PASS ./${file}` : [`FAIL ./${file}`, ...items].join("\n");
  });
  const bad = files.filter((text) => text.startsWith("FAIL")).length;
  const good = bad === files.length ? "" : `${files.length - bad} passed, `;
  return `${files.join("\n")}
Test Suites: ${bad} failed, ${good}${files.length} total
Tests:       ${failed.length} failed, ${passed.length} passed, ${failed.length + passed.length} total
Snapshots:   0 total
Time:        1.${seed} s
Ran all test suites.
`;
}

function vitest(shown: Shown): string {
  const { dir, failed, passed, seed } = shown;
  const files = filesOf(shown).map((file) => {
    const own = failed.filter(({ path }) => path === file);
    const all = own.length + passed.filter(({ path }) => path === file).length;
    if (own.length === 0) return ` ✓ ${file} (${all} tests) ${seed}ms`;
    const lines = own.map(({ name }) => `     × ${name} ${seed}ms`);
    return [` ❯ ${file} (${all} tests | ${own.length} failed) ${seed}ms`, ...lines].join("\n");
  });
  const items = failed.map(
    ({ path, name, message, line, code }, i) => ` FAIL  ${path} > suite > ${name}
AssertionError: ${message}

 ❯ ${path}:${line}:23
     ${line}|     ${code}
       |                       ^

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[${i + 1}/${failed.length}]⎯
`
  );
  const bad = new Set(failed.map(({ path }) => path)).size;
  return `
 RUN  v4.1.12 ${dir}

${files.join("\n")}

⎯⎯⎯⎯⎯⎯⎯ Failed Tests ${failed.length} ⎯⎯⎯⎯⎯⎯⎯

${items.join("\n")}

 Test Files  ${bad} failed (${files.length})
      Tests  ${failed.length} failed | ${passed.length} passed (${failed.length + passed.length})
   Start at  04:30:${seed}
   Duration  ${seed}ms (transform 61ms, setup 0ms, import 83ms, tests 27ms, environment 0ms)

`;
}

function mocha({ dir, failed, passed, seed }: Shown): string {
  const tree = [
    ...passed.map(({ name }) => `    ✔ ${name}`),
    ...failed.map(({ name }, i) => `    ${i + 1}) ${name}`),
  ];
  const items = failed.map(
    ({ path, name, message, line }, i) => `  ${i + 1}) suite
       ${name}:

      AssertionError [ERR_ASSERTION]: ${message}
      + expected - actual

      -4
      +3
      
      at Context.<anonymous> (file://${dir}/${path}:${line}:12)
      at process.processImmediate (node:internal/timers:483:21)
`
  );
  return `

  suite
${tree.join("\n")}


  ${passed.length} passing (${seed}ms)
  ${failed.length} failing

${items.join("\n")}


`;
}

function nodeTest({ dir, failed, passed, seed }: Shown): string {
  const bad = failed.map(
    ({ path, name, message, line }, i) => `# Subtest: ${name}
not ok ${i + 1} - ${name}
  ---
  duration_ms: 1.${seed}
  type: 'test'
  location: '${dir}/${path}:${line}:3'
  failureType: 'testCodeFailure'
  error: '${message}'
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  stack: |-
    TestContext.<anonymous> (file://${dir}/${path}:${line}:12)
    Test.run (node:internal/test_runner/test:1047:25)
  ...`
  );
  const good = passed.map(
    ({ name }, i) => `# Subtest: ${name}
ok ${failed.length + i + 1} - ${name}
  ---
  duration_ms: 0.${seed}
  type: 'test'
  ...`
  );
  const all = failed.length + passed.length;
  return `TAP version 13
${[...bad, ...good].join("\n")}
1..${all}
# tests ${all}
# suites 0
# pass ${passed.length}
# fail ${failed.length}
# cancelled 0
# skipped 0
# todo 0
# duration_ms ${seed}.119
`;
}

function pytest({ failed, passed, seed }: Shown): string {
  const items = failed.map(
    ({ path, name, message, line, code }) => `____________ ${name} ____________

    def ${name}():
>       ${code}
E       AssertionError: ${message}

${path}:${line}: AssertionError`
  );
  const short = failed.map(
    ({ path, name, message }) => `FAILED ${path}::${name} - AssertionError: ${message}`
  );
  return `============ test session starts ============
platform linux -- Python 3.11.7, pytest-9.1.1, pluggy-1.6.0
rootdir: /project
collected ${failed.length + passed.length} items

================= FAILURES =================
${items.join("\n")}
========= short test summary info =========
${short.join("\n")}
======= ${failed.length} failed, ${passed.length} passed in 0.${seed}s =======
`;
}

function phpunit({ dir, failed, passed, seed }: Shown): string {
  const items = failed.map(
    ({ path, name, message, line }, i) => `${i + 1}) App\\${stem(path)}::${name}
${message}

${dir}/${path}:${line}
`
  );
  const all = failed.length + passed.length;
  return `PHPUnit 9.6.7 by Sebastian Bergmann and contributors.

${"F".repeat(failed.length)}${".".repeat(passed.length)}     ${all} / ${all} (100%)

Time: 00:00.0${seed}, Memory: 4.00 MB

There ${failed.length === 1 ? "was 1 failure" : `were ${failed.length} failures`}:

${items.join("\n")}
FAILURES!
Tests: ${all}, Assertions: 5, Failures: ${failed.length}.
`;
}

function go({ failed, passed, seed }: Shown): string {
  const bad = failed.map(
    ({ path, name, message, line }) => `=== RUN   ${name}
    ${path.slice(path.lastIndexOf("/") + 1)}:${line}: ${message}
--- FAIL: ${name} (0.00s)`
  );
  const good = passed.map(({ name }) => `=== RUN   ${name}\n--- PASS: ${name} (0.00s)`);
  return `${[...bad, ...good].join("\n")}
FAIL
FAIL\texample.com/scratch/go\t0.0${seed}s
FAIL
`;
}

function cargo({ failed, passed, seed }: Shown): string {
  const outcomes = [
    ...failed.map(({ name }) => `test tests::${name} ... FAILED`),
    ...passed.map(({ name }) => `test tests::${name} ... ok`),
  ];
  const items = failed.map(
    ({ path, name, message, line }, i) => `---- tests::${name} stdout ----

thread 'tests::${name}' (${seed}${i}) panicked at ${path}:${line}:9:
${message}
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
`
  );
  return `   Compiling good v0.1.0 (/project)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 0.${seed}s
     Running unittests src/lib.rs (target/debug/deps/good-6a318058901a39f8)

running ${failed.length + passed.length} tests
${outcomes.join("\n")}

failures:

${items.join("\n")}

failures:
${failed.map(({ name }) => `    tests::${name}`).join("\n")}

test result: FAILED. ${passed.length} passed; ${failed.length} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.${seed}s

error: test failed, to rerun pass \`-p good --lib\`
`;
}

function surefire(shown: Shown): string {
  const { failed, passed, seed } = shown;
  const classes = filesOf(shown).map((file) => {
    const own = failed.filter(({ path }) => path === file);
    const name = `com.example.${stem(file)}`;
    const all = own.length + passed.filter(({ path }) => path === file).length;
    const counts = `Tests run: ${all}, Failures: ${own.length}, Errors: 0, Skipped: 0`;
    const end = own.length === 0 ? "" : " <<< FAILURE!";
    const head = `[${own.length === 0 ? "INFO" : "ERROR"}] ${counts}, Time elapsed: 0.0${seed} s${end} -- in ${name}`;
    const items = own.map(
      ({
        name: test,
        message,
        line,
      }) => `[ERROR] ${name}.${test} -- Time elapsed: 0.0${seed} s <<< FAILURE!
org.opentest4j.AssertionFailedError: ${message}
\tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:531)
\tat ${name}.${test}(${stem(file)}.java:${line})
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)
`
    );
    return [`[INFO] Running ${name}`, head, ...items].join("\n");
  });
  const list = failed.map(
    ({ path, name, line, message }) => `[ERROR]   ${stem(path)}.${name}:${line} ${message}`
  );
  return `[INFO] Scanning for projects...
[INFO]  T E S T S
${classes.join("\n")}
[INFO] 
[INFO] Results:
[INFO] 
[ERROR] Failures: 
${list.join("\n")}
[INFO] 
[ERROR] Tests run: ${failed.length + passed.length}, Failures: ${failed.length}, Errors: 0, Skipped: 0
[INFO] 
[INFO] BUILD FAILURE
[INFO] Total time:  4.${seed} s
[INFO] Finished at: 2026-11-23T04:11:${seed}Z
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.5.6:test (default-test) on project scratch: There are test failures.
`;
}

const capital = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

export const RUNNERS: readonly Tool[] = [
  tests("jest", (name) => `jest/${name}.test.js`, jest),
  tests("vitest", (name) => `vitest/${name}.test.ts`, vitest),
  tests(
    "mocha",
    (name) => `mocha/${name}.test.js`,
    mocha,
    (failed) => failed
  ),
  tests("node-test", (name) => `node-test/${name}.test.js`, nodeTest),
  tests("pytest", (name) => `pytest/test_${name}.py`, pytest),
  tests("phpunit", (name) => `phpunit/${capital(name)}Test.php`, phpunit),
  tests("go", (name) => `go/${name}_test.go`, go),
  tests(
    "rustc",
    (name) => `rustc/${name}.rs`,
    cargo,
    () => 101
  ),
  tests("surefire", (name) => `src/test/java/com/example/${capital(name)}Test.java`, surefire),
];
