/** Prints what test runners and linters print about the tests and problems of a model, in the form of `fixtures/toolOutputs`. */
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
  tests(
    "mocha",
    (name) => `mocha/${name}.test.js`,
    mocha,
    (failed) => failed
  ),
  tests("pytest", (name) => `pytest/test_${name}.py`, pytest),
  tests("go", (name) => `go/${name}_test.go`, go),
  tests(
    "rustc",
    (name) => `rustc/${name}.rs`,
    cargo,
    () => 101
  ),
  tests("surefire", (name) => `src/test/java/com/example/${capital(name)}Test.java`, surefire),
];

const linter = (format: OutputFormat, extension: string, print: Tool["print"]): Tool => ({
  ...{ format, kind: "problems", print },
  path: (name) => `${format}/${name}.${extension}`,
});

function eslint({ dir, failed }: Shown): string {
  const files = [...new Set(failed.map(({ path }) => path))].map((file) => {
    const own = failed.filter(({ path }) => path === file);
    const lines = own.map(({ line, name, message }) => `  ${line}:7  error  ${message}  ${name}`);
    return `${dir}/${file}\n${lines.join("\n")}\n`;
  });
  return `
${files.join("\n")}
✖ ${failed.length} problem${failed.length === 1 ? "" : "s"} (${failed.length} errors, 0 warnings)

`;
}

/** Rules are words elsewhere. */
const code = (name: string): string =>
  `TS${1000 + ((name.length * 7 + name.charCodeAt(3)) % 9000)}`;

function tsc({ failed }: Shown): string {
  return failed
    .map(({ path, line, name, message }) => `${path}(${line},7): error ${code(name)}: ${message}\n`)
    .join("");
}

function prettier({ failed }: Shown): string {
  const files = [...new Set(failed.map(({ path }) => path))];
  const end =
    files.length === 1
      ? "Code style issues found in the above file. Run Prettier with --write to fix."
      : `Code style issues found in ${files.length} files. Run Prettier with --write to fix.`;
  return [
    "Checking formatting...",
    ...files.map((file) => `[warn] ${file}`),
    `[warn] ${end}`,
    "",
  ].join("\n");
}

export const LINTERS: readonly Tool[] = [
  linter("eslint-stylish", "js", eslint),
  linter("tsc", "ts", tsc),
  { ...linter("prettier", "css", prettier), isByFile: true },
];
