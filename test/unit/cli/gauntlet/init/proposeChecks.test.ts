/** The checks that the files of a project suggest. No program of the project runs here (G29). */
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { proposeChecks } from "@/cli/gauntlet/init/detect/proposeChecks";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/findPlaceholders";
import { commands, packageJson, propose, type Tree } from "@test/helpers/gauntlet/proposals";

const dependsOn = (...names: readonly string[]): object => ({
  devDependencies: Object.fromEntries(names.map((name) => [name, "1.0.0"])),
});

const matching = (names: readonly string[], globs: readonly string[] = []): string[] => {
  const isMatch = picomatch([...globs]);
  return names.filter((name) => isMatch(name));
};
const WEB_FILES = [
  "**/*.{js,jsx,mjs,cjs,ts,tsx,mts,cts}",
  "**/*.{json,jsonc,json5,css,scss,less,html,vue,graphql,md,mdx,yml,yaml}",
];
const PRETTIER = "npx --no-install prettier --write --ignore-unknown {files}";

test.each([
  ["react-scripts test", "CI=1 npm test"],
  ["craco test --verbose", "CI=1 npm test"],
  ["react-scripts test --watchAll=false", "npm test"],
  ["CI=true react-scripts test", "npm test"],
  ["jest -w 2", "npm test"],
])("the script %j is proposed as a command that ends (G29)", async (script, command) => {
  const { checks } = await propose(packageJson({ test: script }));
  expect(checks).toEqual([expect.objectContaining({ name: "test", command, program: "npm" })]);
});

describe("the fix of a formatter", () => {
  const fixes = async (tree: Tree): Promise<string[]> =>
    (await propose(tree)).checks.flatMap(({ repair }) => repair?.fix ?? []);

  test.each([
    ["prettier --check .", [PRETTIER]],
    ["prettier . -c", [PRETTIER]],
    ["oxfmt --check", ["npx --no-install oxfmt --no-error-on-unmatched-pattern {files}"]],
    ["prettier --check src", []],
    ["prettier --check . --config x.json", []],
    ["prettier --check . && node check.js", []],
    ["biome-check .", []],
    ["node format.js", []],
  ])(
    "is known for the script %j if it formats all files with its own settings",
    async (check, fix) => {
      expect(await fixes(packageJson({ "format:check": check }))).toEqual(fix);
    }
  );

  test("is that of Biome, which also lints, for its formatting only", async () => {
    const fix = "format --write --no-errors-on-unmatched --files-ignore-unknown=true {files}";
    const script = { ...packageJson({ lint: "biome ci" }), "pnpm-lock.yaml": "" };
    expect(await fixes(script)).toEqual([`pnpm exec biome ${fix}`]);
    const tool = { ...packageJson({}, dependsOn("@biomejs/biome")), "biome.json": "{}" };
    expect(await fixes(tool)).toEqual([`npx --no-install biome ${fix}`]);
  });

  test.each([
    [{ ...packageJson({}, dependsOn("prettier")), ".prettierrc": "" }, [PRETTIER]],
    [
      { ...packageJson({}, dependsOn("oxfmt")), ".oxfmtrc.json": "{}" },
      ["npx --no-install oxfmt --no-error-on-unmatched-pattern {files}"],
    ],
    [
      { "pyproject.toml": "[tool.ruff]", "uv.lock": "" },
      ["uv run --no-sync python -m ruff format --force-exclude {files}"],
    ],
    [{ "pyproject.toml": "[tool.black]" }, []],
    [{ "go.mod": "module a" }, ["gofmt -w {files}"]],
    // rustfmt also changes the modules of a file.
    [{ "Cargo.toml": "[package]" }, []],
    [{ Makefile: "fmt-check:\n" }, []],
  ])("is that of the usual command: %j", async (tree, expected) => {
    expect(await fixes(tree)).toEqual(expected);
  });

  test("gets its files in a valid way, and its globs match them", async () => {
    const { checks } = await propose({
      ...packageJson({ "format:check": "prettier --check .", lint: "biome ci" }),
      "go.mod": "module a",
      "pyproject.toml": "[tool.ruff]",
    });
    const repaired = checks.filter(({ repair }) => repair !== undefined);
    expect(repaired).toHaveLength(4);
    for (const { repair } of repaired) {
      expect(parseCommand(repair?.fix ?? "")).toMatchObject({ placeholder: "{files}" });
      expect(parseCommand(repair?.fix ?? "").fault).toBeUndefined();
    }
    const names = ["a.ts", "b/c.mjs", "b/x.md", "x.pyi", "b/y.py", "main.go", "a.png"];
    expect(repaired.map(({ name, repair }) => [name, ...matching(names, repair?.files)])).toEqual([
      ["lint", "a.ts", "b/c.mjs"],
      ["format", "a.ts", "b/c.mjs", "b/x.md"],
      [expect.stringMatching(/^format-/), "x.pyi", "b/y.py"],
      [expect.stringMatching(/^format-/), "main.go"],
    ]);
  });
});

describe("package.json", () => {
  test("proposes its scripts with the reason, by the first name of each kind", async () => {
    const scripts = {
      ...{ test: "ava", "test:unit": "x", lint: "eslint .", "format:check": "prettier --check ." },
      ...{ typecheck: "tsc", build: "tsc", deploy: "ship" },
    };
    const { checks } = await propose(packageJson(scripts));
    const proposal = (kind: string, command: string, script = kind) => ({
      ...{ name: kind, kind, command, program: "npm", reason: `package.json has "${script}"` },
      ...{ entryPoints: ["."], folder: ".", isPreselected: true },
    });
    const format = proposal("format", "npm run format:check", "format:check");
    expect(checks).toEqual([
      ...[proposal("test", "npm test"), proposal("lint", "npm run lint")],
      { ...format, repair: { fix: PRETTIER, files: WEB_FILES } },
      proposal("types", "npm run typecheck", "typecheck"),
    ]);
  });

  test.each([
    ["package-lock.json", "npm test", "npx --no-install tsc --noEmit"],
    ["pnpm-lock.yaml", "pnpm run test", "pnpm exec tsc --noEmit"],
    ["yarn.lock", "yarn run test", "yarn run tsc --noEmit"],
    ["bun.lock", "bun run test", "bunx --no-install tsc --noEmit"],
  ])(
    "uses the package manager of %s, and installed tools without a script",
    async (lock, ...expected) => {
      const tree = {
        ...packageJson({ test: "x" }, dependsOn("typescript")),
        "tsconfig.json": "{}",
        [lock]: "",
      };
      expect(await commands(tree)).toEqual([`test: ${expected[0]}`, `types: ${expected[1]}`]);
    }
  );

  test("uses the package manager that it names", async () => {
    const tree = packageJson({ test: "x" }, { packageManager: "pnpm@10.0.0" });
    expect(await commands(tree)).toEqual(["test: pnpm run test"]);
  });

  test.each<[string, Tree]>([
    ["a tool that is not installed", { ...packageJson({}), "tsconfig.json": "{}" }],
    ["a tool without a configuration", packageJson({}, dependsOn("typescript"))],
    ["scripts that are not text", { "package.json": '{"scripts": {"test": 3, "lint": ["x"]}}' }],
    ["a file that is not JSON", { "package.json": "{" }],
    ["a list", { "package.json": "[]" }],
    ["deep JSON", { "package.json": '{"a":'.repeat(100_000) }],
    ["a prototype", { "package.json": '{"__proto__": {"scripts": {"test": "x"}}}' }],
    ["no tests", packageJson({ test: 'echo "Error: no test specified" && exit 1' })],
    ["vitest that waits", packageJson({ test: "vitest --watch" })],
    ["tsc that waits", packageJson({ test: "tsc -w" })],
  ])("proposes nothing for %s", async (_, tree) => {
    expect(await commands(tree)).toEqual([]);
  });
});

/** Returns a project with scripts of its own and packages with theirs. */
const monorepo = (
  own: Tree,
  packages: Readonly<Record<string, Tree>>,
  workspaces: unknown = ["packages/*"]
): Tree => ({
  ...packageJson(own, { workspaces }),
  ...Object.fromEntries(
    Object.entries(packages).map(([name, scripts]) => [
      `packages/${name}/package.json`,
      JSON.stringify({ scripts }),
    ])
  ),
});

describe("workspaces", () => {
  test("get an entry point for the glob, and root files that concern every package", async () => {
    const { checks, globalDependencies } = await propose({
      ...monorepo({}, { a: { test: "x", lint: "x" }, b: { test: "x" } }),
      "package-lock.json": "",
      "packages/notes/readme.md": "",
    });
    expect(checks).toMatchObject([
      { command: "npm test", entryPoints: ["packages/*"], folder: "packages/a" },
      { command: "npm run lint", entryPoints: ["packages/a"], folder: "packages/a" },
    ]);
    expect(globalDependencies).toEqual([
      ...["package.json", "tsconfig*.json", "package-lock.json", "npm-shrinkwrap.json"],
    ]);
  });

  const excluding = { packages: ["./packages/*/", "!packages/old"] };
  const old = { a: { test: "x" }, old: { lint: "x" } };
  const pnpm = { "pnpm-workspace.yaml": "packages:\n- packages/*\n- '!packages/old'\n" };
  const called = { test: "npm run all && echo ok", all: "npm test --workspaces" };
  const other = { test: "vitest run", lint: "eslint .", build: "npm run build --workspaces" };
  const both = { a: { test: "x", lint: "y" }, b: { lint: "y" } };

  test.each<[string, Tree, string]>([
    ["are those of package.json", monorepo({}, old, excluding), "npm test: packages/*"],
    [
      "are those of pnpm-workspace.yaml",
      { ...monorepo({}, old), ...pnpm, "pnpm-lock.yaml": "" },
      "pnpm run test: packages/*",
    ],
    [
      "replace a root script that only runs theirs",
      monorepo({ test: "npm test --workspaces", lint: "eslint ." }, { a: { test: "x" } }),
      "npm run lint: ., npm test: packages/*",
    ],
    [
      "replace a root script that runs them by another script",
      monorepo(called, { a: { test: "x" } }),
      "npm test: packages/*",
    ],
    [
      "leave a root script whose own program has an option that pnpm knows",
      monorepo({ test: "pnpm mocha -r esm --filter a && ava -r b" }, { a: { test: "x" } }),
      "npm test: . packages/*",
    ],
    [
      "replace a root script that runs them with pnpm",
      monorepo({ test: "CI=1 pnpm --silent -r test" }, { a: { test: "x" } }),
      "npm test: packages/*",
    ],
    [
      "leave a root script that runs something else",
      monorepo(other, both),
      "npm test: . packages/a, npm run lint: . packages/*",
    ],
    [
      "outside the project, or of any depth, are ignored",
      monorepo({}, { a: { test: "x" } }, ["../*", "packages/**", "/etc/*", "a/../b"]),
      "",
    ],
  ])("%s", async (_, tree, expected) => {
    const { checks } = await propose(tree);
    const places = checks.map(({ command, entryPoints }) => `${command}: ${entryPoints.join(" ")}`);
    expect(places.join(", ")).toBe(expected);
  });

  test.each([
    ["turbo.json", '{ // tasks\n"tasks": { "web#test": {}, "lint": {} } }', "turbo run"],
    ["turbo.json", '{ "pipeline": { "test": {}, "lint": {} } }', "turbo run"],
    ["nx.json", '{ "targetDefaults": { "test": {}, "lint": {} } }', "nx run-many -t"],
  ])("are left to %s: %s", async (file, text, line) => {
    const tree = monorepo({ test: "turbo run test" }, { a: { test: "x", lint: "x" } });
    // Turborepo ends at the first task that fails.
    const flag = line.startsWith("turbo") ? " --continue" : "";
    expect(await commands({ ...tree, [file]: text })).toEqual([
      `test: npx --no-install ${line} test${flag}`,
      `lint: npx --no-install ${line} lint${flag}`,
    ]);
  });
});

describe("other languages", () => {
  const python = { "pyproject.toml": "" };
  const PYTHON_TOOLS = '[project]\ndependencies = ["Flask>=3", "mypy[faster]~=1.8"]\n[tool.ruff]\n';
  const unittest = "test: python3 -m unittest discover -s";
  const rust = (all = ""): string =>
    `test: cargo test${all} --no-fail-fast, lint: cargo clippy${all} --all-targets -- -D warnings, format: cargo fmt --all --check`;

  test.each<[Tree, string]>([
    // The tools that are configured or required, in the environment of the project.
    [
      { "pyproject.toml": PYTHON_TOOLS, "conftest.py": "", ".venv/bin/python": "" },
      [
        "test: V pytest",
        "types: V mypy .",
        "lint: V ruff check .",
        "format: V ruff format --check .",
      ]
        .join(", ")
        .replaceAll("V", ".venv/bin/python -m"),
    ],
    [
      { ...python, "requirements-ci.txt": "black\n# mypy\n", "requirements.txt": "pytest==8\n" },
      "test: python3 -m pytest, format: python3 -m black --check .",
    ],
    // Black formats, unless Ruff is set up to do it.
    [
      { "pyproject.toml": "[tool.black]\n[tool.ruff]\n" },
      "lint: python3 -m ruff check ., format: python3 -m black --check .",
    ],
    [
      { "pyproject.toml": "[tool.black]\n", "ruff.toml": "[format]\n" },
      "lint: python3 -m ruff check ., format: python3 -m ruff format --check .",
    ],
    [{ ...python, "uv.lock": "", "pytest.ini": "" }, "test: uv run --no-sync python -m pytest"],
    [{ ...python, "poetry.lock": "", "pytest.ini": "" }, "test: poetry run python -m pytest"],
    // The runner that the tests import.
    [{ ...python, "tests/test_a.py": "import os\nimport unittest\n" }, `${unittest} tests`],
    [
      { ...python, "tests/__init__.py": "", "tests/test_a.py": "from unittest import TestCase\n" },
      `${unittest} tests -t .`,
    ],
    [{ ...python, "test_a.py": "import unittest\n" }, `${unittest} .`],
    [{ ...python, "test/test_a.py": "import pytest\n" }, "test: python3 -m pytest"],
    [{ ...python, "tests/test_a.py": "# import unittest\n" }, ""],
    [{ ...python, "tests/helper.py": "import unittest\n" }, ""],
    [{ "Cargo.toml": "[package]\nname = 'a'" }, rust()],
    [{ "Cargo.toml": "[workspace]\nmembers = ['a']" }, rust(" --workspace")],
    [{ gradlew: "", "build.gradle.kts": "" }, "test: ./gradlew test --continue"],
    [{ "pom.xml": "" }, "test: mvn -q test -fae"],
    [{ "App.sln": "" }, "test: dotnet test, format: dotnet format --verify-no-changes"],
    [{ Rakefile: "RSpec::Core::RakeTask.new(:spec)\n", ".rspec": "" }, "test: bundle exec rspec"],
    [{ Rakefile: "Rake::TestTask.new do |t|\nend\n" }, "test: bundle exec rake test"],
    [{ ".rspec": "", ".rubocop.yml": "" }, "test: bundle exec rspec, lint: bundle exec rubocop"],
    [
      { "phpunit.xml.dist": "", "phpstan.neon": "" },
      "test: vendor/bin/phpunit, types: vendor/bin/phpstan analyse",
    ],
    [{ "composer.json": '{"scripts": {"test": "x"}}', "phpunit.xml": "" }, "test: composer test"],
  ])("have a row for each tool: %j", async (tree, expected) => {
    expect((await commands(tree)).join(", ")).toBe(expected);
  });

  test("Go: a module, or those of a workspace", async () => {
    const { checks } = await propose({ "go.mod": "module a", ".golangci.yml": "" });
    expect(
      checks.map(({ name, command, program }) => [name, command.slice(0, 18), program])
    ).toEqual([
      ["test", "go test ./...", "go"],
      ["lint", "golangci-lint run", "golangci-lint"],
      ["format", "files=$(gofmt -l .", "gofmt"],
    ]);
    const work = await propose({
      "go.work": "go 1.23\nuse ./a // main\nuse (\n\t./b\n\t../c\n)\n",
    });
    expect(work.checks[0]).toMatchObject({ command: "go test ./...", entryPoints: ["a", "b"] });
    expect(work.globalDependencies).toEqual(["go.work", "go.work.sum"]);
  });
});

describe("task runners", () => {
  test.each([
    ["Makefile", ".PHONY: test\ntest lint: build\n\tcc\n%.o: %.c\n", ["make test", "make lint"]],
    ["Makefile", "CC := gcc\ncheck:\n", ["make check"]],
    ["justfile", "x := '1'\n@test *args: y\n  z\nlint name:\n  x {{name}}\n", ["just test"]],
    ["Taskfile.yml", "tasks:\n  test: x\n  lint:\n    cmds: [x]\n", ["task test", "task lint"]],
  ])("%s: %j", async (file, text, expected) => {
    const { checks } = await propose({ [file]: text });
    expect(checks.map(({ command }) => command)).toEqual(expected);
  });

  test("replace the usual commands of a language, but not the scripts of package.json", async () => {
    expect(await commands({ Makefile: "test:\n", "go.mod": "" })).toEqual([
      "lint: go vet ./...",
      expect.stringContaining("format: "),
      "test: make test",
      "test-go?: go test ./...",
    ]);
    expect(
      await commands({ Makefile: "test:\n", ...packageJson({ test: "x" }), "Cargo.toml": "" })
    ).toContain("test-make?: make test");
  });

  test("a manager of git hooks counts if nothing else lints", async () => {
    const hooks = { ".pre-commit-config.yaml": "repos: []" };
    expect(await commands(hooks)).toEqual(["lint: pre-commit run --all-files"]);
    expect(await commands({ ...hooks, ...packageJson({ lint: "x" }) })).toEqual([
      "lint: npm run lint",
      "lint-pre-commit?: pre-commit run --all-files",
    ]);
    const lefthook = { "lefthook.yml": "pre-commit:\n  commands: {a: {run: x}}\n" };
    const line = "lefthook run pre-commit --all-files";
    expect(await commands(lefthook)).toEqual([`lint: ${line}`]);
    expect(await commands({ ...lefthook, ...packageJson({}, dependsOn("lefthook")) })).toEqual([
      `lint: npx --no-install ${line}`,
    ]);
  });
});

describe("a command that ends at its first failure", () => {
  const noEmit = { "tsconfig.json": '{ "compilerOptions": { "noEmit": true } }' };
  const make = { Makefile: "test: unit lint\nunit:\n\tgo test ./...\nlint: ; go vet\n" };

  // `X` is short for npx.
  test.each<[string, Tree, string, Tree?]>([
    ["a script", { test: "xo && tsd && ava" }, "test-xo: X xo, test-tsd: X tsd, test-ava: X ava"],
    [
      "scripts that call others",
      { test: "npm run unit && npm run types:all", unit: "ava", "types:all": "tsd" },
      "test-unit: npm run unit, test-types-all: npm run types:all",
    ],
    [
      "a part that another check has",
      { test: "npm run lint && xo && ava", lint: "eslint .", typecheck: "xo" },
      "test: X ava, lint: npm run lint, types: npm run typecheck",
    ],
    [
      "pnpm",
      { test: "xo && ava" },
      "test-xo: pnpm exec xo, test-ava: pnpm exec ava",
      { "pnpm-lock.yaml": "" },
    ],
    [
      "a build that the tests need",
      { test: "xo && npm run build && ava", build: "tsc" },
      "test-xo: X xo, test-ava: npm run build && X ava",
    ],
    ["a tsc that writes nothing", { test: "tsc && a" }, "test-tsc: X tsc, test-a: X a", noEmit],
    [
      "equal and long names",
      { test: "ava a && ava b && a-program-with-a-very-long-name" },
      "test-ava: X ava a, test-ava-2: X ava b, test-a-program-with-a-very-lon: X a-program-with-a-very-long-name",
    ],
    ["make", {}, "test: make unit, lint: make lint", make],
    ["a flag", { test: "ava --fail-fast" }, "test: X ava"],
    ["a part that is never offered", { test: "ava && npm run e2e", e2e: "x" }, "test: npm test"],
    ["variables of make", {}, "test: make test", { Makefile: "test:\n\t$(A) x\n\t$(A) y\n" }],
  ])("is replaced by its parts: %s", async (_, scripts, expected, more = {}) => {
    const found = await commands({ ...packageJson(scripts), ...more });
    expect(found.join(", ").replaceAll("npx --no-install", "X")).toBe(expected);
  });

  test("has parts with the reason and the program of each", async () => {
    const { checks } = await propose(packageJson({ test: "cd . && xo && ava" }));
    const reason = 'npm test: package.json has "test"';
    expect(checks).toMatchObject([
      { name: "test-xo", kind: "test", program: "sh", reason: `part 1 of ${reason}` },
      { name: "test-ava", reason: `part 2 of ${reason}` },
    ]);
    for (const { name } of checks) expect(name.length).toBeLessThanOrEqual(30);
  });

  test("stays one check with a note if it cannot be split", async () => {
    const { checks } = await propose(packageJson({ test: "xo | cat && ava" }));
    expect(checks).toMatchObject([
      {
        command: "npm test",
        note: 'Later problems may be hidden until the first one is fixed: "&&" ends it at the first failure.',
      },
    ]);
  });

  test("stays as it is in the packages of a glob", async () => {
    const tree = monorepo({}, { a: { test: "xo && ava" }, b: { test: "ava && xo" } });
    expect(await commands(tree)).toEqual(["test: npm test"]);
  });
});

describe("a report", () => {
  const FILE = '"${GAUNTLET_REPORT:-/dev/null}"';
  const VITEST = `--reporter=default --reporter=junit --outputFile.junit=${FILE}`;
  const NODE = `--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=${FILE}`;
  const reportsOf = async (tree: Tree): Promise<string[]> =>
    (await propose(tree)).checks.flatMap(({ report }) => report?.command ?? []);
  const script = (test: string, more: Tree = {}): Tree => ({ ...packageJson({ test }), ...more });

  test.each<[Tree, string]>([
    [script("vitest run"), `npm test -- ${VITEST}`],
    [script("vitest run --coverage"), `npm test -- ${VITEST}`],
    [script("vitest run", { "vitest.config.ts": "{}" }), `npm test -- ${VITEST}`],
    [script("vitest run", { "pnpm-lock.yaml": "" }), `pnpm run test ${VITEST}`],
    [script("vitest run", { "yarn.lock": "" }), `yarn run test ${VITEST}`],
    [
      { ...packageJson({}, dependsOn("vitest")), "vitest.config.ts": "" },
      `npx --no-install vitest run ${VITEST}`,
    ],
    [script("node --test"), `npm test -- ${NODE}`],
    [{ "pytest.ini": "" }, `python3 -m pytest --junitxml=${FILE}`],
  ])("is added to a plain call: %j", async (tree, command) => {
    const { checks } = await propose(tree);
    expect(checks[0]?.report).toEqual({ command, findings: "junit" });
    expect(checks[0]?.command).not.toContain("junit");
  });

  test.each<[Tree]>([
    [script("vitest run --reporter=dot")],
    [script("vitest run", { "vitest.config.ts": "{ reporters: [] }" })],
    [script("vitest")],
    [script("cross-env A=1 vitest run")],
    [script("vitest run | cat")],
    [script("node --test test/a.js")],
    [script("node --test --test-reporter=tap")],
    [script("node --test -- x")],
    [script("jest")],
    [{ "pytest.ini": "[pytest]\naddopts = --junitxml=x.xml\n" }],
    [monorepo({}, { a: { test: "vitest run" } })],
  ])("is not added where it is not certain: %j", async (tree) => {
    expect(await reportsOf(tree)).toEqual([]);
  });
});

test("an empty folder, and one that cannot be read, get no proposal", async () => {
  expect(await propose({})).toEqual({ checks: [], leftOut: [], globalDependencies: [] });
  const nowhere = await ProjectFolder.open(new LocalRuntime(), "/nowhere/at/all");
  expect(await proposeChecks(nowhere)).toMatchObject({ checks: [] });
});
