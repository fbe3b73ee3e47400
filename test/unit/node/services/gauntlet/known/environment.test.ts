/** Which failures of a check are those of its environment. The outputs are those of real programs. */
import { describe, expect, test } from "vitest";
import { clip } from "@/common/text";
import {
  environmentCause,
  type EnvironmentFacts,
} from "@/node/services/gauntlet/known/environment";

const NONE: EnvironmentFacts = {
  isInTree: () => false,
  isInChange: () => false,
  isChangedFile: () => false,
};

function causeOf(exitCode: number, text: string, facts: Partial<EnvironmentFacts> = {}) {
  return environmentCause({ lines: text.split("\n"), exitCode }, { ...NONE, ...facts });
}

/** Exit code, output, kind and name. The first line that has the kind's message is the expected one, unless given. */
const MISSING: readonly (readonly [number, string, string, string | undefined])[] = [
  // Shells.
  [127, "sh: 1: foo: not found", "program", "foo"],
  [127, "dash: 1: exec: foo: not found", "program", "foo"],
  [127, "bash: line 1: foo: command not found", "program", "foo"],
  [127, "bash: foo: command not found", "program", "foo"],
  [127, "zsh:1: command not found: foo", "program", "foo"],
  [127, "sh: foo: not found", "program", "foo"],
  [127, "/bin/sh: 1: foo: not found", "program", "foo"],
  [127, "scripts/test.sh: 3: foo: not found", "program", "foo"],
  [127, "./test.sh: line 3: foo: command not found", "program", "foo"],
  [127, "fish: Unknown command: foo", "program", "foo"],
  [127, "env: ‘foo’: No such file or directory", "program", "foo"],
  [127, "env: 'foo': No such file or directory", "program", "foo"],
  [127, "/usr/bin/env: ‘node’: No such file or directory", "program", "node"],
  [127, "timeout: failed to run command ‘bundle’: No such file or directory", "program", "bundle"],
  [127, "sh: 1: /opt/tool/run: not found", "program", "/opt/tool/run"],
  [126, "bash: line 1: /opt/tool/run: Permission denied", "program", "/opt/tool/run"],
  [
    126,
    "bash: line 1: /opt/x: cannot execute binary file: Exec format error",
    "toolchain",
    "/opt/x",
  ],
  [127, "sh: 1: node_modules/.bin/foo: not found", "program", "node_modules/.bin/foo"],
  [127, "sh: 1: ./node_modules/.bin/foo: not found", "program", "./node_modules/.bin/foo"],
  [127, "bash: line 1: .venv/bin/pytest: No such file or directory", "program", ".venv/bin/pytest"],
  [
    127,
    "./t: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory",
    "toolchain",
    "libfoo.so.1",
  ],
  // Wrappers.
  [
    2,
    "foo --x\nmake: foo: No such file or directory\nmake: *** [Makefile:2: lint] Error 127",
    "program",
    "foo",
  ],
  [
    2,
    "make lint\nmake[1]: Entering directory '/p'\nfoo --x\nmake[1]: foo: No such file or directory\nmake[1]: *** [Makefile:2: lint] Error 127\nmake[1]: Leaving directory '/p'\nmake: *** [Makefile:8: lint4] Error 2",
    "program",
    "foo",
  ],
  [
    2,
    "/bin/sh: 1: foo: not found\n/bin/sh: 1: foo: not found\nmake: *** [Makefile:4: lint2] Error 127",
    "program",
    "foo",
  ],
  [127, "\n> test\n> vitest run\n\nsh: 1: vitest: not found\n", "program", "vitest"],
  [1, "sh: 1: vitest: not found\nnpm error code 127\nnpm error path /p", "program", "vitest"],
  [1, 'sh: 1: vitest: not found\nERROR: "test" exited with 127.', "program", "vitest"],
  [
    127,
    '$ vitest run\n/usr/bin/bash: line 1: vitest: command not found\nerror: script "test" exited with code 127',
    "program",
    "vitest",
  ],
  [
    127,
    "$ vitest run\nsh: 1: vitest: not found\n[ELIFECYCLE] Test failed. See above for more details.",
    "program",
    "vitest",
  ],
  [
    127,
    "yarn run v1.22.22\n$ vitest run\n/bin/sh: 1: vitest: not found\nerror Command failed with exit code 127.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.",
    "program",
    "vitest",
  ],
  [127, "command not found: vitest", "program", "vitest"],
  // Programs that start others.
  [1, "/v/bin/python3: No module named pytest", "program", "pytest"],
  [
    1,
    "/v/bin/python: No module named pytest\nmake: *** [Makefile:2: test] Error 1",
    "program",
    "pytest",
  ],
  [
    1,
    'npm error npx canceled due to missing packages and no YES option: ["foo@1.0.0"]\nnpm error A complete log of this run can be found in: /l',
    "program",
    "foo@1.0.0",
  ],
  [
    1,
    "npm error could not determine executable to run\nnpm error A complete log",
    "program",
    undefined,
  ],
  [
    1,
    'Error: ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\n\n  × Command "foo" not found\n',
    "program",
    "foo",
  ],
  [1, ' ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "foo" not found', "program", "foo"],
  [
    1,
    " ERR_PNPM_META_FETCH_FAIL  GET https://npm.acme.dev/left-pad: request to https://npm.acme.dev/left-pad failed",
    "network",
    "npm.acme.dev",
  ],
  [
    1,
    'yarn run v1.22.22\nerror Command "foo" not found.\ninfo Visit https://yarnpkg.com',
    "program",
    "foo",
  ],
  [
    1,
    "error: Could not find an existing 'foo' binary to run. Stopping because --no-install was passed.",
    "program",
    "foo",
  ],
  [
    127,
    "bundler: command not found: rspec\nInstall missing gem executables with `bundle install`",
    "program",
    "rspec",
  ],
  [7, "Could not find gem 'rspec' in locally installed gems.", "program", "rspec"],
  [
    1,
    "bundler: failed to load command: rspec (/usr/bin/rspec)\n/usr/lib/ruby/3.1.0/bundler/resolver.rb:235:in `block in verify_gemfile_dependencies_are_found!': Could not find gem 'rspec-q' in locally installed gems. (Bundler::GemNotFound)\n\tfrom /usr/lib/ruby/3.1.0/bundler/resolver.rb:228:in `map!'",
    "program",
    "rspec-q",
  ],
  [
    7,
    "Could not find rake-13.0.6 in any of the sources\nRun `bundle install` to install missing gems.",
    "program",
    "rake-13.0.6",
  ],
  [
    101,
    "error: no such command: `nextest`\n\nhelp: view all installed commands with `cargo --list`",
    "program",
    "nextest",
  ],
  [
    1,
    "error: 'cargo-fmt' is not installed for the toolchain 'stable-x86_64-unknown-linux-gnu'.",
    "toolchain",
    "cargo-fmt",
  ],
  [
    1,
    "error: the 'miri' component which provides the command 'cargo-miri' is not available for the 'stable' toolchain\n\nStack backtrace:\n   0: anyhow::kind::Adhoc::new",
    "toolchain",
    "miri",
  ],
  [
    1,
    "error: toolchain '1.20.0-x86_64-unknown-linux-gnu' is not installed\nhelp: run `rustup toolchain install` to install it",
    "toolchain",
    "1.20.0-x86_64-unknown-linux-gnu",
  ],
  [
    1,
    "error: custom toolchain 'mine' specified in override file '/p/rust-toolchain.toml' is not installed",
    "toolchain",
    "mine",
  ],
  [
    1,
    "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.",
    "toolchain",
    "rust",
  ],
  [
    2,
    '# runtime/cgo\ncgo: C compiler "gcc" not found: exec: "gcc": executable file not found in $PATH',
    "toolchain",
    "gcc",
  ],
  [1, "go: go.mod requires go >= 1.99 (running go 1.22.2; GOTOOLCHAIN=local)", "toolchain", "1.99"],
  [1, "go: download go1.99.0 for linux/amd64: toolchain not available", "toolchain", "go1.99.0"],
  [
    1,
    "ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.",
    "toolchain",
    "java",
  ],
  [
    1,
    "The JAVA_HOME environment variable is not defined correctly,\nthis environment variable is needed to run this program.",
    "toolchain",
    "java",
  ],
  [1, "error: release version 21 not supported", "toolchain", "21"],
  [1, "[ERROR] Fatal error compiling: error: release version 21 not supported", "toolchain", "21"],
  [
    1,
    "> No matching toolchains found for requested specification: {languageVersion=21}",
    "toolchain",
    "java",
  ],
  [145, "A compatible .NET SDK was not found.", "toolchain", ".NET"],
  [
    1,
    "/usr/share/dotnet/sdk/8.0.1/x.targets(166,5): error NETSDK1045: The current .NET SDK does not support targeting .NET 9.0.  Either target .NET 8.0 or lower",
    "toolchain",
    ".NET 9.0",
  ],
  [
    1,
    'error foo@1.0.0: The engine "node" is incompatible with this module. Expected version ">=99". Got "20.1.0"',
    "toolchain",
    "node",
  ],
  [
    1,
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    "program",
    "docker",
  ],
  [
    125,
    "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n\nRun 'docker run --help' for more information",
    "program",
    "docker",
  ],
  // Modules that are not installed.
  [
    1,
    "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module 'lodash'\nRequire stack:\n- /p/a.js",
    "program",
    "lodash",
  ],
  [
    1,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@scope/x' imported from /p/a.mjs",
    "program",
    "@scope/x",
  ],
  [2, "E   ModuleNotFoundError: No module named 'requests'", "program", "requests"],
  // Browsers.
  [
    1,
    "  1) a.spec.ts:1:47 › a ───\n\n    Error: browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium_headless_shell-1255/chrome-headless-shell-linux64/chrome-headless-shell\n    ║ Looks like Playwright was just installed or updated.       ║\n    Error Context: test-results/a/error-context.md\n\n  1 failed",
    "browser",
    "chromium_headless_shell",
  ],
  [
    1,
    "/p/node_modules/puppeteer-core/lib/cjs/puppeteer/node/BrowserLauncher.js:343\n\nError: Could not find Chrome (ver. 148.0.7778.97). This can occur if either\n 1. you did not perform an installation",
    "browser",
    "Chrome",
  ],
  [
    1,
    "The cypress npm package is installed, but the Cypress binary is missing.\n\nPlatform: linux-x64",
    "browser",
    "cypress",
  ],
  // No network.
  [6, "curl: (6) Could not resolve host: api.acme.dev", "network", "api.acme.dev"],
  [
    6,
    "  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0curl: (6) Could not resolve host: api.acme.dev",
    "network",
    "api.acme.dev",
  ],
  [
    4,
    "--2026-11-23 04:05:04--  https://api.acme.dev/\nwget: unable to resolve host address ‘api.acme.dev’",
    "network",
    "api.acme.dev",
  ],
  [
    1,
    "TypeError: fetch failed\n    at node:internal/deps/undici/undici:14976:13 {\n  [cause]: Error: getaddrinfo ENOTFOUND api.acme.dev\n      at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26) {",
    "network",
    "api.acme.dev",
  ],
  [
    1,
    "      throw er; // Unhandled 'error' event\n\nError: getaddrinfo EAI_AGAIN api.acme.dev\n    at GetAddrInfoReqWrap.onlookupall",
    "network",
    "api.acme.dev",
  ],
  [1, "Error: connect ENETUNREACH 140.82.121.6:443 - Local (0.0.0.0:0)", "network", "140.82.121.6"],
  [
    1,
    "socket.gaierror: [Errno -3] Temporary failure in name resolution\n\nurllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
    "network",
    undefined,
  ],
  [1, "OSError: [Errno 101] Network is unreachable", "network", undefined],
  [
    1,
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.acme.dev', port=443): Max retries exceeded with url: / (Caused by NameResolutionError(\"x\"))",
    "network",
    "api.acme.dev",
  ],
  [
    128,
    "Cloning into 'x'...\nfatal: unable to access 'https://git.acme.dev/x.git/': Could not resolve host: git.acme.dev",
    "network",
    "git.acme.dev",
  ],
  [
    128,
    "fatal: unable to access 'https://git.acme.dev/x.git/': SSL certificate problem: unable to get local issuer certificate",
    "network",
    "git.acme.dev",
  ],
  [
    128,
    "ssh: Could not resolve hostname git.acme.dev: Name or service not known\nfatal: Could not read from remote repository.",
    "network",
    "git.acme.dev",
  ],
  [
    255,
    "ssh: connect to host git.acme.dev port 22: Connection timed out",
    "network",
    "git.acme.dev",
  ],
  [
    1,
    'go: github.com/x/y@v1.0.0: Get "https://proxy.golang.org/github.com/x/y/@v/v1.0.0.info": dial tcp: lookup proxy.golang.org on 10.0.0.53:53: no such host',
    "network",
    "proxy.golang.org",
  ],
  [
    1,
    '    a_test.go:9: Get "https://api.acme.dev/": dial tcp: lookup api.acme.dev: no such host',
    "network",
    "api.acme.dev",
  ],
  [
    1,
    "npm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error errno ENOTFOUND",
    "network",
    undefined,
  ],
  [
    1,
    "npm error FetchError: request to https://npm.acme.dev/left-pad failed, reason: getaddrinfo ENOTFOUND npm.acme.dev",
    "network",
    "npm.acme.dev",
  ],
  [
    101,
    "error: failed to get `foo` as a dependency of package `a v0.1.0`\n\nCaused by:\n  failed to download from `https://crates.acme.dev/config.json`\n\nCaused by:\n  [6] Could not resolve hostname (Could not resolve host: crates.acme.dev)",
    "network",
    "crates.acme.dev",
  ],
  [
    1,
    "[ERROR] Plugin org.x:y:2.6 or one of its dependencies could not be resolved: Could not transfer artifact org.x:y:pom:2.6 from/to m (https://repo.acme.dev/): transfer failed for https://repo.acme.dev/y.pom: repo.acme.dev: Name or service not known -> [Help 1]",
    "network",
    "repo.acme.dev",
  ],
  [
    1,
    "[ERROR] Failed to execute goal: Could not transfer artifact a:b:jar:1 from/to central (https://repo.maven.apache.org/maven2): repo.maven.apache.org: Unknown host repo.maven.apache.org",
    "network",
    "repo.maven.apache.org",
  ],
  [
    1,
    "> Could not resolve org.x:y:1.0.\n   > Could not GET 'https://repo.acme.dev/y-1.0.pom'.\n      > repo.acme.dev: Name or service not known",
    "network",
    "repo.acme.dev",
  ],
  [
    1,
    'Downloading https://services.gradle.org/distributions/gradle-8.5-bin.zip\n\nException in thread "main" java.net.UnknownHostException: services.gradle.org\n\tat java.base/sun.nio.ch.X.connect(X.java:1)',
    "network",
    "services.gradle.org",
  ],
  [1, "curl: (56) CONNECT tunnel failed, response 403", "network", "proxy"],
];

describe("is the environment", () => {
  test.each(MISSING)("%i: %s", (exitCode, text, kind, name) => {
    const cause = causeOf(exitCode, text);
    expect(cause).toEqual({ kind, name, line: expect.any(String) as string });
    expect(text.split("\n").map((line) => clip(line.trim(), 200))).toContain(cause?.line);
  });
});

describe("is a failure like any other", () => {
  test.each([
    ["a pass", 0, "sh: 1: foo: not found"],
    ["a shell that went on", 1, "sh: 1: foo: not found\n1 test failed"],
    ["no message", 127, ""],
    ["a recipe with that exit code", 2, "make: *** [Makefile:6: types] Error 127"],
    ["a script of the project", 127, "sh: 1: ./scripts/x.sh: not found"],
    [
      "a script of the project in bash",
      127,
      "bash: line 1: scripts/x.sh: No such file or directory",
    ],
    ["a script of the project in zsh", 127, "zsh:1: no such file or directory: ./nofile.sh"],
    [
      "a script of the project in make",
      2,
      "make: ./x.sh: No such file or directory\nmake: *** [Makefile:6: l] Error 127",
    ],
    ["a script that is not executable", 126, "sh: 1: ./x.sh: Permission denied"],
    ["a line end of Windows after #!", 127, "/usr/bin/env: ‘bash\\r’: No such file or directory"],
    ["a script of npm that does not exist", 1, 'npm error Missing script: "nope"'],
    [
      "a file that Python does not find",
      2,
      "python3: can't open file '/p/x.py': [Errno 2] No such file or directory",
    ],
    ["a server on loopback", 1, "Error: connect ECONNREFUSED 127.0.0.1:3000"],
    ["a server on ::1", 1, "Error: connect ECONNREFUSED ::1:3000"],
    [
      "a server on localhost",
      7,
      "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server",
    ],
    ["a server on 0.0.0.0", 1, "Error: connect ECONNREFUSED 0.0.0.0:80"],
    [
      "a registry on loopback",
      1,
      "npm error FetchError: request to https://127.0.0.1:9/x failed, reason: connect ECONNREFUSED 127.0.0.1:9",
    ],
    [
      "loopback in Go",
      1,
      'a_test.go:5: Get "http://127.0.0.1:80/": dial tcp 127.0.0.1:80: connect: connection refused',
    ],
    ["loopback in Python", 1, "ConnectionRefusedError: [Errno 111] Connection refused"],
    [
      "loopback beside a network word",
      1,
      "Error: connect ECONNREFUSED 127.0.0.1:3000\nError: getaddrinfo ENOTFOUND api.acme.dev",
    ],
    [
      "a network word beside loopback",
      1,
      "Error: getaddrinfo ENOTFOUND api.acme.dev\nError: connect ECONNREFUSED 127.0.0.1:3000",
    ],
    ["a host that is a bug", 1, "Error: getaddrinfo ENOTFOUND undefined"],
    ["a host that exists nowhere", 1, "Error: getaddrinfo ENOTFOUND nope.invalid"],
    ["a relative module", 1, "Error: Cannot find module './x'"],
    ["an absolute module", 1, "Error: Cannot find module '/p/x'"],
    [
      "a test with such a title",
      1,
      " FAIL  a.test.ts > getaddrinfo ENOTFOUND api.acme.dev\nAssertionError: expected 1 to be 2",
    ],
    ["an assertion about it", 1, "AssertionError: getaddrinfo ENOTFOUND api.acme.dev"],
    [
      "an assertion that quotes it",
      1,
      "AssertionError: expected 'Error: getaddrinfo ENOTFOUND api.acme.dev' to be ''",
    ],
    [
      "an assertion of Node",
      1,
      "AssertionError [ERR_ASSERTION]: getaddrinfo ENOTFOUND api.acme.dev",
    ],
    [
      "a log line before a failure",
      1,
      "Error: getaddrinfo ENOTFOUND api.acme.dev\nnot ok 1\nAssertionError: expected 1 to be 2",
    ],
    [
      "a log line before a failure of pytest",
      1,
      "socket.gaierror: [Errno -2] Name or service not known\nE       assert 1 == 2",
    ],
    [
      "a log line before a failure of Go",
      1,
      'Get "https://api.acme.dev/": dial tcp: lookup api.acme.dev: no such host\n    a_test.go:9: got 1, want 2',
    ],
    [
      "a log line before an exception",
      1,
      "Error: getaddrinfo ENOTFOUND api.acme.dev\nTypeError: x is not a function",
    ],
    [
      "a log line before an exception of Java",
      1,
      "java.net.UnknownHostException: api.acme.dev\norg.opentest4j.AssertionFailedError: expected: <1>",
    ],
    [
      "a sentence with such words",
      1,
      "the handler prints curl: (6) Could not resolve host: api.acme.dev",
    ],
    ["a quotation", 1, "Expected: getaddrinfo ENOTFOUND api.acme.dev"],
    [
      "a browser test beside another failure",
      1,
      "Error: browserType.launch: Executable doesn't exist at /c/chromium-1/chrome\nError: expect(received).toBe(expected)",
    ],
    ["a starter in the middle", 1, `error: no such command: \`x\`${"\nok".repeat(100)}`],
    ["a certificate without a host", 1, "Error: self-signed certificate"],
    ["an ordinary failure", 1, "1 test failed"],
  ])("%s", (_, exitCode, text) => {
    expect(causeOf(exitCode, text)).toBeUndefined();
  });

  test.each([
    [127, "sh: 1: vitesst: not found", "vitesst"],
    [1, "Error: Cannot find module 'lodash'", "lodash"],
    [1, "ModuleNotFoundError: No module named 'a.b'", "a"],
    [1, "Error: getaddrinfo ENOTFOUND api.acme.dev", "api.acme.dev"],
    [101, "error: no such command: `nextest`", "nextest"],
  ])("what the change names: %i: %s", (exitCode, text, changed) => {
    expect(causeOf(exitCode, text)?.line).toBe(text.trim());
    const isInChange = (name: string): boolean => name === changed;
    expect(causeOf(exitCode, text, { isInChange })).toBeUndefined();
  });

  test.each([
    [127, "sh: 1: /p/build/x: not found", "/p/build/x"],
    [1, "ModuleNotFoundError: No module named 'pkg.part'", "pkg"],
    [1, "ModuleNotFoundError: No module named 'one'", "one.py"],
    [1, "ModuleNotFoundError: No module named 'one'", "src/one"],
    [1, "/v/bin/python: No module named pkg", "pkg"],
  ])("what the project has: %i: %s", (exitCode, text, path) => {
    expect(causeOf(exitCode, text)?.line).toBe(text);
    expect(causeOf(exitCode, text, { isInTree: (one) => one === path })).toBeUndefined();
  });
});

describe("findings", () => {
  const lines = ["Error: getaddrinfo ENOTFOUND api.acme.dev"];

  test.each([
    [["getaddrinfo ENOTFOUND api.acme.dev"], true],
    [["Error: getaddrinfo ENOTFOUND api.acme.dev", "connect ETIMEDOUT 1.2.3.4:443"], true],
    [["getaddrinfo ENOTFOUND api.acme.dev", "expected 1 to be 2"], false],
    [["Unused variable"], false],
  ])("%j", (messages, isRecognized) => {
    const findings = messages.map((message) => ({ message }));
    const cause = environmentCause({ lines, exitCode: 1, findings }, NONE);
    expect(cause !== undefined).toBe(isRecognized);
  });

  test("decide against a missing program too", () => {
    const findings = [{ message: "Unused variable" }];
    expect(
      environmentCause({ lines: ["sh: 1: foo: not found"], exitCode: 127, findings }, NONE)
    ).toBeUndefined();
  });
});

test("the line is short, and has no control characters", () => {
  const text = `\u001b[31merror\u001b[0m: Could not find an existing 'foo' binary to run \u202e${"x".repeat(9_000)}`;
  const cause = causeOf(1, text);
  expect(cause?.line).toHaveLength(200);
  expect(cause?.line).toMatch(/^error: Could not find an existing 'foo' binary to run \\u202ex+…$/);
});

test("a long and hostile output is examined in linear time", () => {
  const bits = [
    "Error: ",
    "a.",
    "make: *** [",
    'Get "https://',
    "dial tcp: lookup ",
    "x: ",
    "'",
    " ",
  ];
  const lines = Array.from({ length: 2_000 }, (_, i) => (bits[i % bits.length] ?? "").repeat(300));
  expect(environmentCause({ lines: [...lines, ...lines], exitCode: 1 }, NONE)).toBeUndefined();
  expect(environmentCause({ lines: ["Error: ".repeat(1e6)], exitCode: 127 }, NONE)).toBeUndefined();
});
