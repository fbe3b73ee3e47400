// mypy, pyright, and pytest with names of passed tests, nested classes, parameters, skipped tests and fixtures.
import { join } from "node:path";
import { packageVersion, project, versions } from "./project.mjs";

const PYRIGHT = "pyright@1.1.414";

/** Returns the tools that are not available. */
export function typeCheckers() {
  const missing = [];
  const { dir, run, save } = project("types", {
    "app/__init__.py": "",
    "app/sums.py":
      'from app.texts import join\n\n\ndef total(values: list[int]) -> int:\n    return "none"\n\n\ncount: int = "one"\ntotal(1, 2)\njoin(1)\nreveal_type(count)\n\n\ndef pair(first: tuple[int, str, int, str, int, str], second: dict[str, int]) -> None: ...\n\n\npair(second=None, first={"first": [1, 2, 3], "second": [4, 5, 6]})\n',
    "app/texts.py":
      "from typing import overload\n\nimport not_installed\n\n\ndef join(text: str) -> str:\n    return text.missing()\n\n\n@overload\ndef size(text: str) -> int: ...\n@overload\ndef size(text: list[str]) -> int: ...\ndef size(text):\n    return len(text)\n\n\nsize(1)\n",
    "clean/one.py": "def one() -> int:\n    return 1\n",
    "broken/syntax.py": "def broken(:\n    pass\n",
  });
  const mypy = (...args) =>
    run("mypy", ["--no-incremental", "--cache-dir=/dev/null", ...args], { COLUMNS: "80" });
  const version = run("mypy", ["--version"]);
  if (version.status === 0) {
    versions.mypy = /mypy (\S+)/.exec(version.text)?.[1];
    save("mypy.txt", mypy("app"));
    save("mypy-columns.txt", mypy("--show-column-numbers", "--show-error-end", "app"));
    save("mypy-pretty.txt", mypy("--pretty", "app"));
    save("mypy-syntax.txt", mypy("broken"));
    save("mypy-clean.txt", mypy("clean"));
  } else missing.push("mypy");
  const installed = run("npm", ["install", "--no-save", "--no-audit", "--no-fund", PYRIGHT]);
  if (installed.status === 0) {
    versions.pyright = packageVersion(dir, "pyright");
    const pyright = (...args) => run(join(dir, "node_modules", ".bin", "pyright"), args);
    save("pyright.txt", pyright("app", "broken"));
    save("pyright-clean.txt", pyright("clean"));
  } else missing.push("pyright");
  return missing;
}

/** Returns the tools that are not available. Uses the pytest of `python3`, without a registry of packages. */
export function pytestNames() {
  const sums = (expected, broken) =>
    `import unittest\n\nimport pytest\n\n\nclass TestSums:\n    class TestNested:\n        def test_total(self):\n            assert 1 + 2 == ${expected}\n\n    @pytest.mark.parametrize("a, b", [(1, 1), (2, ${broken})], ids=["same", "a - b"])\n    def test_pairs(self, a, b):\n        assert a == b\n\n\nclass CaseTest(unittest.TestCase):\n    def test_case(self):\n        self.assertEqual(1, ${expected - 2})\n\n\n@pytest.mark.skip(reason="not ready")\ndef test_skipped():\n    pass\n\n\n@pytest.mark.xfail(reason="known")\ndef test_known():\n    assert False\n\n\ndef test_passes():\n    pass\n`;
  const other = (raised) =>
    `import pytest\n\n\n@pytest.fixture\ndef database():\n    yield\n    ${raised}\n\n\ndef test_teardown(database):\n    pass\n\n\ndef test_other():\n    pass\n`;
  const subtests =
    "import unittest\n\n\nclass SubTest(unittest.TestCase):\n    def test_values(self):\n        for value in (0, 1):\n            with self.subTest(value=value):\n                self.assertEqual(value, 0)\n";
  const { dir, run, save } = project("pytestNames", {
    "failing/test_sums.py": sums(4, 3),
    "failing/test_other.py": other('raise RuntimeError("not closed")'),
    "passing/test_sums.py": sums(3, 2),
    "passing/test_other.py": other("pass"),
    "subtests/test_sub.py": subtests,
    "empty/test_none.py": "",
  });
  const env = {
    PYTHONDONTWRITEBYTECODE: "1",
    COLUMNS: "100",
    PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1",
  };
  const version = run("python3", ["-m", "pytest", "--version"], env);
  if (version.status !== 0) return ["pytest (of python3)"];
  versions["pytest (of python3)"] = version.text.replace("pytest ", "").trim();
  const pytest = (...args) => {
    const common = ["-m", "pytest", "-p", "no:cacheprovider", "--rootdir", dir];
    const { text } = run("python3", [...common, ...args], env);
    // With -v, the header has the path of the interpreter.
    return { text: text.replace(/ -- \/\S+$/m, " -- /usr/bin/python3") };
  };
  save("pytest-verbose.txt", pytest("-v", "failing"));
  save("pytest-verbose-passes.txt", pytest("-v", "passing"));
  save("pytest-passes.txt", pytest("passing"));
  save("pytest-report-all.txt", pytest("-rA", "-q", "failing"));
  save("pytest-subtests.txt", pytest("subtests"));
  save("pytest-empty.txt", pytest("empty"));
  return [];
}
