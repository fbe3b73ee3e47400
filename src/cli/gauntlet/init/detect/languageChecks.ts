/**
 * Suggests the usual test, lint, format and type checks of Python, Go and Rust, with the fixes of formatters, and by a
 * table those of Java, .NET, Ruby and PHP. Also suggests the script `test` of composer.json. Those of JavaScript are in
 * `javascript.ts`.
 */
import { posix } from "node:path";
import { objectAt, textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { suggestRows, type Suggestion, type ToolRow } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";

/** Returns the suggestions for the projects of all these languages. */
export async function suggestLanguages(project: ProjectFolder): Promise<Suggestion[]> {
  const hasComposerTest = (await composerTest(project)).length > 0;
  const rakefile = project.find("Rakefile") === undefined ? "" : await project.text("Rakefile");
  const isOffered = ([, tool]: ToolRow): boolean =>
    tool === "rake" ? RAKE_TEST.test(rakefile) : tool !== "phpunit" || !hasComposerTest;
  return [
    ...(await python(project)),
    ...(await go(project)),
    ...(await rust(project)),
    ...suggestRows(
      OTHERS.filter(isOffered),
      ([kind, tool]) => `${kind} ${tool}`,
      ([, , file]) => reasonByFile(project, file)
    ),
  ];
}

/** The rows of one tool and kind are in the order of preference: the first one whose file exists is used. */
const OTHERS: readonly ToolRow[] = [
  ["test", "gradle", /^gradlew$/, "./gradlew test"],
  ["test", "gradle", /^build\.gradle(?:\.kts)?$/, "gradle test"],
  ["test", "maven", /^mvnw$/, "./mvnw -q test"],
  ["test", "maven", /^pom\.xml$/, "mvn -q test"],
  ["test", "dotnet", /\.(?:sln|slnx|csproj|fsproj)$/, "dotnet test"],
  ["format", "dotnet", /\.(?:sln|slnx|csproj|fsproj)$/, "dotnet format --verify-no-changes"],
  ["test", "rspec", /^\.rspec$/, "bundle exec rspec"],
  ["test", "rake", /^Rakefile$/, "bundle exec rake test"],
  ["lint", "rubocop", /^\.rubocop\.yml$/, "bundle exec rubocop"],
  ["test", "phpunit", /^phpunit\.xml/, "vendor/bin/phpunit"],
  ["types", "phpstan", /^phpstan\.neon/, "vendor/bin/phpstan analyse"],
];

/** Matches a Rakefile that has the task `test`. */
const RAKE_TEST = /\bTestTask\b|^[ \t]*task\b\W{0,9}test\b|\bload_tasks\b/m;

/** Returns the reason for a suggestion if a file matches. */
function reasonByFile(project: ProjectFolder, file: RegExp): string | undefined {
  const name = project.match(file);
  return name === undefined ? undefined : reasons.file(name);
}

/** Suggests the script `test` of composer.json, which replaces the usual command of PHPUnit. */
export async function composerTest(project: ProjectFolder): Promise<Suggestion[]> {
  if (project.find("composer.json") === undefined) return [];
  const scripts = objectAt(await project.data("composer.json"), "scripts");
  if (!Object.hasOwn(scripts, "test")) return [];
  const reason = reasons.task("test", "composer.json");
  return [{ kind: "test", tool: "composer", command: "composer test", reason }];
}

async function rust(project: ProjectFolder): Promise<Suggestion[]> {
  if (project.find("Cargo.toml") === undefined) return [];
  const toml = await project.data("Cargo.toml");
  const all = Object.keys(objectAt(toml, "workspace")).length > 0 ? " --workspace" : "";
  const reason = reasons.file("Cargo.toml");
  const clippy = `cargo clippy${all} --all-targets -- -D warnings`;
  const format = "cargo fmt --all --check";
  return [
    { kind: "test", tool: "cargo", command: `cargo test${all}`, reason },
    { kind: "lint", tool: "clippy", command: clippy, program: "cargo-clippy", reason },
    { kind: "format", tool: "rustfmt", command: format, program: "cargo-fmt", reason },
  ];
}

const MAX_MODULES = 50;
/** gofmt exits with 0 for files that need formatting. */
const GOFMT =
  'files=$(gofmt -l .) || exit; [ -z "$files" ] || { echo "gofmt would change:"; echo "$files"; exit 1; }';

async function go(project: ProjectFolder): Promise<Suggestion[]> {
  const isWorkspace = project.find("go.work") !== undefined;
  const manifest = isWorkspace ? "go.work" : "go.mod";
  if (project.find(manifest) === undefined) return [];
  const modules = isWorkspace ? usedModules(await project.text("go.work")) : ["."];
  const reason = reasons.file(manifest);
  const lint = reasonByFile(project, /^\.golangci\.(?:ya?ml|toml|json)$/);
  const linter =
    lint === undefined
      ? { tool: "vet", command: "go vet ./..." }
      : { tool: "golangci-lint", command: "golangci-lint run", reason: lint };
  const repair = { fix: "gofmt -w {files}", files: ["**/*.go"] };
  const globalDependencies = isWorkspace ? ["go.work", "go.work.sum"] : [];
  return modules.slice(0, MAX_MODULES).flatMap((entryPoint): Suggestion[] => {
    const base = { reason, entryPoint, globalDependencies };
    return [
      { ...base, kind: "test", tool: "go", command: "go test ./..." },
      { ...base, kind: "lint", ...linter },
      { ...base, kind: "format", tool: "gofmt", command: GOFMT, program: "gofmt", repair },
    ];
  });
}

/** Returns the folders of `use ./a` and of `use ( ./a ./b )`. */
function usedModules(text: string): string[] {
  const uses = text
    .replaceAll(/\/\/.*/g, "")
    .matchAll(/^[ \t]*use\s*\(([^)]*)\)|^[ \t]*use[ \t]+(\S+)[ \t\r]*$/gm);
  return [...uses]
    .flatMap(([, block, one]) => block?.split("\n").map((line) => line.trim()) ?? one ?? "")
    .filter((folder) => folder !== "")
    .map((folder) => folder.replace(/^"(.*)"$/, "$1").replaceAll(/^\.\/|\/+$/g, "") || ".")
    .filter((folder) => /^[\w./-]+$/.test(folder) && !folder.split("/").includes(".."));
}

/**
 * The tool is the name of the program, of its module, and of its section in pyproject.toml. The last column has its
 * arguments.
 */
const PYTHON: readonly ToolRow[] = [
  ["test", "pytest", /^pytest\.ini$/, ""],
  ["test", "pytest", /^conftest\.py$/, ""],
  ["types", "mypy", /^mypy\.ini$/, " ."],
  ["types", "mypy", /^\.mypy\.ini$/, " ."],
  ["lint", "ruff", /^ruff\.toml$/, " check ."],
  ["lint", "ruff", /^\.ruff\.toml$/, " check ."],
  ["lint", "flake8", /^\.flake8$/, " ."],
  // Black has no settings file of its own, so the pattern matches no name.
  ["format", "black", /^$/, " --check ."],
  ["format", "ruff", /^ruff\.toml$/, " format --check ."],
  ["format", "ruff", /^\.ruff\.toml$/, " format --check ."],
];

const MANIFESTS = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"];
const REQUIREMENTS = /^requirements[\w.-]*\.txt$/;

/** Suggests pytest or unittest, mypy, Ruff, Flake8 and Black, in the project's own environment if there is one. */
async function python(project: ProjectFolder): Promise<Suggestion[]> {
  const isPython =
    project.find(...MANIFESTS, "pytest.ini", "tox.ini") !== undefined ||
    project.match(REQUIREMENTS) !== undefined;
  if (!isPython) return [];
  const named = await namedTools(project);
  const start = await starter(project);
  const toml = await project.data("pyproject.toml");
  const ruff = [await project.data("ruff.toml"), await project.data(".ruff.toml")];
  const usesRuffFormat = [objectAt(toml, "tool", "ruff"), ...ruff].some((one) => "format" in one);
  const rows = suggestRows(
    PYTHON.filter(([, tool]) => tool !== "black" || !usesRuffFormat),
    ([kind]) => kind,
    ([, tool, file]) =>
      named.has(tool) ? `${named.get(tool) ?? ""} names ${tool}` : reasonByFile(project, file)
  );
  const tests = rows.some(({ kind }) => kind === "test") ? [] : await testsByImport(project, start);
  // Without this option, Ruff also formats named files that its settings exclude.
  const fix = `${start} ruff format --force-exclude {files}`;
  const tools = rows.map(({ command, ...row }) => ({
    ...row,
    command: `${start} ${row.tool}${command}`,
    repair:
      row.tool === "ruff" && row.kind === "format" ? { fix, files: ["**/*.{py,pyi}"] } : undefined,
  }));
  return [...tests, ...tools];
}

/** Suggests the test runner that the first file of tests imports, if no settings name one. */
async function testsByImport(project: ProjectFolder, start: string): Promise<Suggestion[]> {
  for (const folder of ["tests", "test", "."]) {
    const names = await project.list(folder);
    const name = names.find((one) => /^test.*\.py$/.test(one));
    if (name === undefined) continue;
    const path = posix.join(folder, name);
    const [, tool] =
      /^\s*(?:import|from) (pytest|unittest)\b/m.exec(await project.text(path)) ?? [];
    if (tool === undefined) continue;
    const reason = `${path} imports ${tool}`;
    if (tool === "pytest") return [{ kind: "test", tool, command: `${start} pytest`, reason }];
    // A package is only importable from the folder above it.
    const isPackage = folder !== "." && names.includes("__init__.py");
    const command = `${start} unittest discover -s ${folder}${isPackage ? " -t ." : ""}`;
    return [{ kind: "test", tool, command, reason }];
  }
  return [];
}

/** Returns the start of a command that runs a module in the environment of the project. */
async function starter(project: ProjectFolder): Promise<string> {
  for (const folder of [".venv", "venv"]) {
    if (await project.hasFile(`${folder}/bin/python`)) return `${folder}/bin/python -m`;
  }
  if (project.find("uv.lock") !== undefined) return "uv run --no-sync python -m";
  return project.find("poetry.lock") === undefined ? "python3 -m" : "poetry run python -m";
}

/** Returns the tools that the project configures or depends on, each with the file that names it. */
async function namedTools(project: ProjectFolder): Promise<ReadonlyMap<string, string>> {
  const toml = await project.data("pyproject.toml");
  const poetry = objectAt(toml, "tool", "poetry");
  const requirements = [
    objectAt(toml, "project").dependencies,
    ...Object.values(objectAt(toml, "project", "optional-dependencies")),
    ...Object.values(objectAt(toml, "dependency-groups")),
  ];
  const lines = project
    .matchAll(REQUIREMENTS)
    .map(async (name) =>
      (await project.text(name)).split("\n").map((line) => [packageName(line), name] as const)
    );
  const named = [
    ...Object.keys(objectAt(toml, "tool")),
    ...requirements.flatMap(textsOf).map(packageName),
    ...Object.keys(objectAt(poetry, "dependencies")),
    ...Object.values(objectAt(poetry, "group")).flatMap((group) =>
      Object.keys(objectAt(group, "dependencies"))
    ),
  ].map((name) => [name, "pyproject.toml"] as const);
  // The first file that names a tool counts.
  return new Map([...named, ...(await Promise.all(lines)).flat()].reverse());
}

/** Returns the name of the package in a requirement such as `pytest[all]>=8; python_version > "3.8"`. */
function packageName(text: string): string {
  return (/^\s*([\w.-]+)/.exec(text)?.[1] ?? "").toLowerCase();
}
