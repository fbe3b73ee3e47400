// Tiny projects, one for each kind of tool that `init` knows, with a change that its check finds.

const pack = (fields) => `${JSON.stringify({ name: "tiny", version: "1.0.0", ...fields })}\n`;
const TEST = 'require("node:assert").equal(require("./sum.js")(1, 2), 3);\n';
const sum = (sign) => `module.exports = (a, b) => a ${sign} b;\n`;
const SUM_PACKAGE = {
  "packages/a/package.json": pack({ name: "a", scripts: { test: "node test.js" } }),
  "packages/a/test.js": TEST,
  "packages/a/sum.js": sum("+"),
};
const SUM = { path: "packages/a/sum.js", broken: sum("-"), fixed: `${sum("+")}// Adds.\n` };
const WORKSPACES = { private: true, workspaces: ["packages/*"] };
const NODE_IGNORED = "node_modules/\n.turbo/\n.nx/\n.yarn/install-state.gz\n";

/** A check by a plain script, for tools that only start one. */
const NO_TODO = "if grep -n TODO a.txt; then exit 1; fi\n";
const TODO = { path: "a.txt", broken: "TODO\n", fixed: "b\n" };
const WITH_TODO = { "check.sh": NO_TODO, "a.txt": "a\n" };

/**
 * - `programs`: all have to be on PATH
 * - `packages`: packages of npm that `make test-tools` installs
 * - `linked`: packages that the project has in its node_modules
 * - `setup`: a script that runs in the project before its first commit
 * - `checks`: the commands that `init` has to write, by name
 *
 * @type {readonly import("./toolProjects.mjs").ToolProject[]}
 */
export const TOOL_PROJECTS = [
  {
    name: "npm",
    programs: ["npm"],
    files: { "package.json": pack(WORKSPACES), ...SUM_PACKAGE },
    checks: { test: "npm test" },
    change: SUM,
  },
  {
    name: "pnpm",
    programs: ["pnpm"],
    packages: ["pnpm@10.34.9"],
    files: {
      "package.json": pack({ private: true }),
      "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
      ...SUM_PACKAGE,
    },
    setup: "pnpm install --offline --silent",
    checks: { test: "pnpm run test" },
    change: SUM,
  },
  {
    name: "yarn",
    programs: ["yarn"],
    packages: ["@yarnpkg/cli-dist@4.18.1"],
    files: { "package.json": pack(WORKSPACES), "yarn.lock": "", ...SUM_PACKAGE },
    setup: "yarn install",
    checks: { test: "yarn run test" },
    change: SUM,
  },
  {
    name: "bun",
    programs: ["bun"],
    packages: ["bun@1.4.5"],
    files: {
      "package.json": pack(WORKSPACES),
      "bun.lock": '{ "lockfileVersion": 1, "workspaces": {}, "packages": {} }\n',
      ...SUM_PACKAGE,
    },
    setup: "bun install --no-save",
    checks: { test: "bun run test" },
    change: SUM,
  },
  {
    name: "Turborepo",
    programs: ["turbo", "npx"],
    packages: ["turbo@2.11.11"],
    linked: ["turbo"],
    files: {
      "package.json": pack({ ...WORKSPACES, packageManager: "npm@10.8.2" }),
      "package-lock.json": pack({ lockfileVersion: 3, packages: {} }),
      "turbo.json": '{ "tasks": { "test": {} } }\n',
      ...SUM_PACKAGE,
    },
    checks: { test: "npx --no-install turbo run test --continue" },
    change: SUM,
  },
  {
    name: "Nx",
    programs: ["nx", "npx"],
    packages: ["nx@24.0.6"],
    linked: ["nx"],
    files: {
      "package.json": pack(WORKSPACES),
      "package-lock.json": pack({ lockfileVersion: 3, packages: {} }),
      "nx.json": '{ "targetDefaults": { "test": {} } }\n',
      ...SUM_PACKAGE,
    },
    checks: { test: "npx --no-install nx run-many -t test" },
    change: SUM,
  },
  {
    name: "Python",
    programs: ["python3"],
    probe: "python3 -m pytest --version",
    files: {
      "pyproject.toml": '[project]\nname = "tiny"\nversion = "1"\n[tool.pytest.ini_options]\n',
      "tiny.py": "def add(a: int, b: int) -> int:\n    return a + b\n",
      "test_tiny.py":
        "from tiny import add\n\n\ndef test_add() -> None:\n    assert add(1, 2) == 3\n",
    },
    checks: { test: "python3 -m pytest" },
    change: {
      path: "tiny.py",
      broken: "def add(a: int, b: int) -> int:\n    return a - b\n",
      fixed: "def add(a: int, b: int) -> int:\n    return b + a\n",
    },
  },
  {
    name: "Python venv",
    programs: ["python3"],
    python: ["pytest", "mypy", "ruff"],
    files: {
      "pyproject.toml":
        '[project]\nname = "tiny"\nversion = "1"\n[tool.pytest.ini_options]\n[tool.mypy]\n[tool.ruff]\n',
      "tiny.py": "def add(a: int, b: int) -> int:\n    return a + b\n",
      "test_tiny.py":
        "from tiny import add\n\n\ndef test_add() -> None:\n    assert add(1, 2) == 3\n",
    },
    checks: {
      test: ".venv/bin/python -m pytest",
      types: ".venv/bin/python -m mypy .",
      lint: ".venv/bin/python -m ruff check .",
      format: ".venv/bin/python -m ruff format --check .",
    },
    change: {
      path: "tiny.py",
      broken: "def add(a: int, b: int) -> str:\n    return a + b\n",
      fixed: "def add(a: int, b: int) -> int:\n    return b + a\n",
    },
  },
  {
    name: "Go",
    programs: ["go", "gofmt"],
    files: {
      "go.mod": "module tiny\n\ngo 1.19\n",
      "tiny.go": "package tiny\n\nfunc Add(a, b int) int { return a + b }\n",
      "tiny_test.go":
        'package tiny\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    // Fills the cache of the compiler, which takes longer than a trial.
    setup: "go vet ./... && go test ./...",
    checks: { test: "go test ./...", lint: "go vet ./..." },
    change: {
      path: "tiny.go",
      broken: "package tiny\n\nfunc Add(a, b int) int { return a - b }\n",
      fixed: "package tiny\n\nfunc Add(a, b int) int { return b + a }\n",
    },
  },
  {
    name: "Rust",
    programs: ["cargo", "cargo-clippy", "cargo-fmt"],
    files: {
      "Cargo.toml": '[package]\nname = "tiny"\nversion = "1.0.0"\nedition = "2021"\n',
      ".gitignore": "target/\nCargo.lock\n",
      "src/lib.rs":
        "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
    },
    checks: {
      test: "cargo test --no-fail-fast",
      lint: "cargo clippy --all-targets -- -D warnings",
      format: "cargo fmt --all --check",
    },
    change: {
      path: "src/lib.rs",
      broken:
        "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
      fixed:
        "pub fn add(a: i32, b: i32) -> i32 {\n    b + a\n}\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
    },
  },
  {
    name: "Make",
    programs: ["make"],
    files: { Makefile: "lint:\n\t@sh check.sh\n", ...WITH_TODO },
    checks: { lint: "make lint" },
    change: TODO,
  },
  {
    name: "just",
    programs: ["just"],
    packages: ["rust-just@1.57.0"],
    files: { justfile: "lint:\n  @sh check.sh\n", ...WITH_TODO },
    checks: { lint: "just lint" },
    change: TODO,
  },
  {
    name: "Task",
    programs: ["task"],
    files: {
      "Taskfile.yml": 'version: "3"\ntasks:\n  lint:\n    cmds:\n      - sh check.sh\n',
      ...WITH_TODO,
    },
    checks: { lint: "task lint" },
    change: TODO,
  },
  {
    name: "pre-commit",
    programs: ["pre-commit"],
    python: ["pre-commit"],
    files: {
      ".pre-commit-config.yaml":
        "repos:\n  - repo: local\n    hooks:\n      - id: todo\n        name: todo\n        language: system\n        entry: sh check.sh\n        pass_filenames: false\n",
      ...WITH_TODO,
    },
    checks: { lint: "pre-commit run --all-files" },
    change: TODO,
  },
  {
    name: "lefthook",
    programs: ["lefthook"],
    packages: ["lefthook@2.2.2"],
    files: {
      "lefthook.yml": "pre-commit:\n  commands:\n    todo:\n      run: sh check.sh\n",
      ...WITH_TODO,
    },
    checks: { lint: "lefthook run pre-commit --all-files" },
    change: TODO,
  },
].map((project) => ({
  ...project,
  files: { ".gitignore": `${NODE_IGNORED}.venv\n__pycache__/\n.mypy_cache/\n`, ...project.files },
}));
