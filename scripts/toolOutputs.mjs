// `make tool-outputs`: runs the real tools on small projects with problems, and saves what they print and write as
// fixtures for the parsers of findings. A tool that is not installed keeps its fixtures, and is named. Needs npm and
// pip with their registries; Go, Rust and golangci-lint are used if they are on PATH.
import { join } from "node:path";
import { cargoTests, goTests } from "./toolOutputs/goAndRust.mjs";
import { gradle, surefire } from "./toolOutputs/java.mjs";
import { javascriptTools } from "./toolOutputs/javascript.mjs";
import { packageVersion, project, saveVersions, versions } from "./toolOutputs/project.mjs";
import { pytestNames, typeCheckers } from "./toolOutputs/python.mjs";
import { minitest, phpunit, rspec } from "./toolOutputs/rubyAndPhp.mjs";

/** Exact versions of npm packages. TypeScript has two, because version 7 is another program. */
const NPM = [
  "typescript@5.9.3",
  "typescript7@npm:typescript@7.0.2",
  "eslint@10.15.0",
  "eslint-formatter-unix@9.0.1",
  "eslint-formatter-pretty@7.1.0",
  "@microsoft/eslint-formatter-sarif@3.1.0",
  "vitest@4.1.12",
  "jest@30.5.2",
  "jest-junit@17.0.0",
];

const missing = [];

javascript();
missing.push(...javascriptTools());
python();
go();
rust();
golangci();
for (const record of [typeCheckers, pytestNames, goTests, cargoTests, rspec, minitest, phpunit]) {
  missing.push(...record());
}
missing.push(...surefire(), ...gradle());

saveVersions();
if (missing.length > 0) console.log(`not available, fixtures kept: ${missing.join(", ")}`);

function javascript() {
  const { dir, run, save, file } = project("javascript", {
    "package.json": JSON.stringify({
      name: "scratch",
      private: true,
      type: "module",
      scripts: { lint: "eslint --format json src" },
    }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, types: [], skipLibCheck: true },
      include: ["src/*.ts"],
      exclude: ["src/*.test.ts"],
    }),
    "empty/tsconfig.json": JSON.stringify({ include: ["none/*.ts"] }),
    "src/a.ts":
      'const n: number = "one";\nexport function f(x: string): number {\n  return x;\n}\n',
    "src/b.ts":
      'import { missing } from "./a.js";\nexport const o: { a: number; b: string } = { a: 1 };\n',
    "eslint.config.js":
      'export default [{ rules: { "no-unused-vars": "error", "no-undef": "error", eqeqeq: "warn" } }];\n',
    "src/c.js": 'const unused = 1;\nif (window == "a  b") undefinedCall();\n',
    "src/broken.js": "const = 1;\n",
    "src/sum.js":
      'export function sum(a, b) {\n  return a + b + 1;\n}\nexport function fail() {\n  throw new TypeError("not ready");\n}\n',
    "src/sum.test.ts":
      'import { describe, expect, test } from "vitest";\nimport { fail, sum } from "./sum.js";\n\ndescribe("sum", () => {\n  test("adds <two> numbers", () => {\n    expect(sum(1, 2)).toBe(3);\n  });\n  test("throws", () => {\n    fail();\n  });\n  test("passes", () => {});\n});\n',
    "jest/sum.test.cjs":
      'function fail() {\n  throw new TypeError("not ready");\n}\ndescribe("sum", () => {\n  test("adds", () => {\n    expect(1 + 2).toBe(4);\n  });\n  test("throws", () => {\n    fail();\n  });\n});\n',
    "jest.config.cjs": "module.exports = { testMatch: ['**/jest/*.cjs'] };\n",
  });
  const installed = run("npm", ["install", "--no-save", "--no-audit", "--no-fund", ...NPM]);
  if (installed.status !== 0) {
    missing.push("npm packages");
    return;
  }
  const bin = (name) => join(dir, "node_modules", ".bin", name);
  const typescript = (name) => [join(dir, "node_modules", name, "bin", "tsc")];
  const packages = ["typescript", "eslint", "vitest", "jest", "jest-junit"];
  for (const name of packages) versions[name] = packageVersion(dir, name);
  versions["eslint-formatter-pretty"] = packageVersion(dir, "eslint-formatter-pretty");
  versions.typescript7 = packageVersion(dir, "typescript7");
  versions["eslint-formatter-unix"] = packageVersion(dir, "eslint-formatter-unix");
  versions["@microsoft/eslint-formatter-sarif"] = packageVersion(
    dir,
    "@microsoft/eslint-formatter-sarif"
  );
  const { execPath } = process;
  save("tsc.txt", run(execPath, [...typescript("typescript"), "-p", "."]));
  save("tsc-pretty.txt", run(execPath, [...typescript("typescript"), "-p", ".", "--pretty"]));
  save("tsc-no-inputs.txt", run(execPath, [...typescript("typescript"), "-p", "empty"]));
  save("tsc-7.txt", run(execPath, [...typescript("typescript7"), "-p", "."]));
  save("tsc-7-pretty.txt", run(execPath, [...typescript("typescript7"), "-p", ".", "--pretty"]));
  save("eslint-stylish.txt", run(bin("eslint"), ["src"]));
  save("eslint-unix.txt", run(bin("eslint"), ["--format", "unix", "src"]));
  const pretty = join(dir, "node_modules/eslint-formatter-pretty/index.js");
  save("eslint-pretty.txt", run(bin("eslint"), ["--format", pretty, "src"]));
  save("eslint.json", run(bin("eslint"), ["--format", "json", "src"]));
  save("eslint-npm-run.txt", run("npm", ["run", "lint"], { npm_config_userconfig: "/dev/null" }));
  save("eslint.sarif", run(bin("eslint"), ["--format", "@microsoft/sarif", "src"]));
  run(bin("vitest"), ["run", "src", "--reporter=junit", "--outputFile=vitest.xml"]);
  file("vitest-junit.xml", "vitest.xml");
  const JEST_JUNIT_OUTPUT_FILE = join(dir, "jest.xml");
  const reporters = ["--reporters=default", "--reporters=jest-junit"];
  run(bin("jest"), reporters, { JEST_JUNIT_OUTPUT_FILE });
  file("jest-junit.xml", "jest.xml");
}

function python() {
  const { dir, run, save, file } = project("python", {
    "app/__init__.py": "",
    "app/sums.py":
      "import os\n\n\ndef total(values):\n    return sum(values) + 1\n\n\ndef ratio(a, b):\n    return a / b\n",
    "app/broken.py": "def broken(:\n    pass\n",
    "tests/test_sums.py":
      'import pytest\nfrom app.sums import ratio, total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n\n\nclass TestRatio:\n    def test_zero(self):\n        assert ratio(1, 0) == 0\n\n    @pytest.mark.parametrize("text", ["a - b", "c::d"])\n    def test_names(self, text):\n        assert text == ""\n\n\n@pytest.fixture\ndef database():\n    raise RuntimeError("no database")\n\n\ndef test_setup(database):\n    pass\n\n\ndef test_passes():\n    pass\n',
    "tests/test_import.py": "import not_installed\n\n\ndef test_nothing():\n    pass\n",
  });
  run("python3", ["-m", "venv", "venv"]);
  const installed = run(join(dir, "venv/bin/pip"), ["install", "--quiet", "pytest", "ruff"]);
  if (installed.status !== 0) {
    missing.push("pytest", "ruff");
    return;
  }
  const bin = (name) => join(dir, "venv", "bin", name);
  const env = { PYTHONPATH: dir, PYTHONDONTWRITEBYTECODE: "1", COLUMNS: "120" };
  versions.pytest = run(bin("pytest"), ["--version"]).text.replace("pytest ", "").trim();
  versions.ruff = run(bin("ruff"), ["--version"]).text.replace("ruff ", "").trim();
  const pytest = (...args) => run(bin("pytest"), ["-p", "no:cacheprovider", "tests", ...args], env);
  save("pytest.txt", pytest("--continue-on-collection-errors", "--junitxml=pytest.xml"));
  file("pytest-junit.xml", "pytest.xml");
  save("pytest-quiet.txt", pytest("-q", "--tb=short", "--continue-on-collection-errors"));
  save("pytest-no-traceback.txt", pytest("--tb=no", "--continue-on-collection-errors"));
  const ruff = (format) =>
    run(bin("ruff"), ["check", "--isolated", "--no-cache", `--output-format=${format}`, "app"]);
  save("ruff.json", ruff("json"));
  save("ruff.sarif", ruff("sarif"));
  save("ruff-junit.xml", ruff("junit"));
}

function go() {
  const { run, save } = project("go", {
    "go.mod": "module example.com/scratch\n\ngo 1.19\n",
    "broken/broken.go":
      'package broken\n\nfunc F() int {\n\tx := 1\n\treturn undefinedName + "a"\n}\n',
    "vetted/vetted.go":
      'package vetted\n\nimport "fmt"\n\nfunc F() {\n\tfmt.Printf("%d\\n", "text")\n}\n',
    "inner/sums/sums.go": "package sums\n\nfunc Sum(a, b int) int { return a + b + 1 }\n",
    "inner/sums/sums_test.go":
      'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif got := Sum(1, 2); got != 3 {\n\t\tt.Errorf("Sum(1, 2) = %d, want 3", got)\n\t}\n\tt.Run("inner test", func(t *testing.T) {\n\t\tt.Fatal("not equal")\n\t})\n}\n\nfunc TestPasses(t *testing.T) { t.Log("a note") }\n',
    "crash/crash_test.go":
      'package crash\n\nimport "testing"\n\nfunc TestCrash(t *testing.T) {\n\tvar values []int\n\t_ = values[3]\n}\n',
  });
  const version = run("go", ["version"]);
  if (version.status !== 0) {
    missing.push("go");
    return;
  }
  versions.go = /go(\d[\d.]*)/.exec(version.text)?.[1];
  save("go-build.txt", run("go", ["build", "./..."]));
  save("go-vet.txt", run("go", ["vet", "./..."]));
  save("go-test.txt", run("go", ["test", "./inner/...", "./crash"]));
  save("go-test-verbose.txt", run("go", ["test", "-v", "./inner/..."]));
}

function rust() {
  const { dir, run, save } = project("rust", {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n',
    "crates/bad/Cargo.toml": '[package]\nname = "bad"\nversion = "0.1.0"\nedition = "2021"\n',
    "crates/bad/src/lib.rs":
      'pub fn f() -> u32 {\n    let unused = 1;\n    let n: u32 = "one";\n    missing(n)\n}\n',
    "crates/good/Cargo.toml": '[package]\nname = "good"\nversion = "0.1.0"\nedition = "2021"\n',
    "crates/good/src/lib.rs":
      'pub fn sum(a: u32, b: u32) -> u32 {\n    a + b + 1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::sum(1, 2), 3);\n    }\n    #[test]\n    fn fails() {\n        panic!("not ready");\n    }\n    #[test]\n    fn passes() {}\n}\n',
    "main.rs": 'fn main() {\n    let n: u32 = "one";\n}\n',
  });
  const version = run("rustc", ["--version"]);
  if (version.status !== 0) {
    missing.push("rustc");
    return;
  }
  versions.rustc = /rustc (\S+)/.exec(version.text)?.[1];
  const env = { CARGO_TARGET_DIR: join(dir, "target"), CARGO_NET_OFFLINE: "true" };
  save("rustc.txt", run("rustc", ["main.rs"]));
  save("cargo-check.txt", run("cargo", ["check", "-p", "bad"], env));
  save("cargo-test.txt", run("cargo", ["test", "-p", "good"], env));
}

/** Version 2. Its Go has to be on PATH as well. */
function golangci() {
  const { run, save } = project("golangci", {
    "go.mod": "module example.com/scratch\n\ngo 1.19\n",
    ".golangci.yml": 'version: "2"\n',
    "main.go": 'package main\n\nimport "os"\n\nfunc main() {\n\tunused := 1\n\tos.Remove("x")\n}\n',
  });
  const version = run("golangci-lint", ["version"]);
  if (version.status !== 0) {
    missing.push("golangci-lint");
    return;
  }
  versions["golangci-lint"] = /version (\S+)/.exec(version.text)?.[1];
  save("golangci.json", run("golangci-lint", ["run", "--output.json.path=stdout"]));
  save("golangci.txt", run("golangci-lint", ["run"]));
}
