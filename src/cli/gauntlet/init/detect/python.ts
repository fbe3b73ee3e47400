/** Python projects: pytest, mypy, Ruff and Black, in the project's own environment if there is one. */
import { ruffFix } from "@/cli/gauntlet/init/detect/fixes";
import { objectAt, textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { CheckKind, Detected, Suggestion } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";

interface ToolRow {
  readonly kind: CheckKind;
  /** The name of the program, of its module, and of its section in pyproject.toml. */
  readonly tool: string;
  readonly args: string;
  readonly configs: readonly string[];
}

const TOOLS: readonly ToolRow[] = [
  { kind: "test", tool: "pytest", args: "", configs: ["pytest.ini", "conftest.py"] },
  { kind: "types", tool: "mypy", args: ".", configs: ["mypy.ini", ".mypy.ini"] },
  { kind: "lint", tool: "ruff", args: "check .", configs: ["ruff.toml", ".ruff.toml"] },
  { kind: "lint", tool: "flake8", args: ".", configs: [".flake8"] },
  { kind: "format", tool: "ruff", args: "format --check .", configs: ["ruff.toml", ".ruff.toml"] },
  { kind: "format", tool: "black", args: "--check .", configs: [] },
];

const MANIFESTS = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"];
const REQUIREMENTS = /^requirements[\w.-]*\.txt$/;
const ENVIRONMENTS = [".venv", "venv"];

export async function suggestPython(project: ProjectFolder): Promise<Detected> {
  const isPython =
    project.find(...MANIFESTS, "pytest.ini", "tox.ini") !== undefined ||
    project.match(REQUIREMENTS) !== undefined;
  if (!isPython) return { suggestions: [] };
  const named = await namedTools(project);
  const start = await starter(project);
  const kinds = new Set<CheckKind>();
  return {
    suggestions: TOOLS.flatMap(({ kind, tool, args, configs }): Suggestion[] => {
      const config = project.find(...configs);
      const source = named.get(tool);
      if (kinds.has(kind) || (config === undefined && source === undefined)) return [];
      kinds.add(kind);
      const reason = source === undefined ? reasons.file(config ?? "") : `${source} names ${tool}`;
      const command = `${start} ${tool} ${args}`.trim();
      const repair = tool === "ruff" && kind === "format" ? ruffFix(start) : undefined;
      return [{ kind, tool, command, repair, reason, entryPoint: ".", origin: "default" }];
    }),
  };
}

/** Returns the start of a command that runs a module in the environment of the project. */
async function starter(project: ProjectFolder): Promise<string> {
  for (const folder of ENVIRONMENTS) {
    if (await project.hasFile(`${folder}/bin/python`)) return `${folder}/bin/python -m`;
  }
  if (project.find("uv.lock") !== undefined) return "uv run --no-sync python -m";
  if (project.find("poetry.lock") !== undefined) return "poetry run python -m";
  return "python3 -m";
}

/** Returns the tools that the project configures or depends on, each with the file that names it. */
async function namedTools(project: ProjectFolder): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const add = (name: string, file: string): void => {
    if (!found.has(name)) found.set(name, file);
  };
  if (project.find("pyproject.toml") !== undefined) {
    const toml = await project.toml("pyproject.toml");
    for (const name of [
      ...Object.keys(objectAt(toml, "tool")),
      ...textsOf(objectAt(toml, "project").dependencies).map(requirement),
      ...groups(objectAt(toml, "project", "optional-dependencies")),
      ...groups(objectAt(toml, "dependency-groups")),
      ...Object.keys(objectAt(toml, "tool", "poetry", "dependencies")),
      ...Object.values(objectAt(toml, "tool", "poetry", "group")).flatMap((group) =>
        Object.keys(objectAt(group, "dependencies"))
      ),
    ]) {
      add(name, "pyproject.toml");
    }
  }
  const file = project.match(REQUIREMENTS);
  for (const name of [file, project.find("requirements-dev.txt")]) {
    if (name === undefined) continue;
    for (const line of (await project.text(name)).split("\n")) add(requirement(line), name);
  }
  return found;
}

function groups(lists: Readonly<Record<string, unknown>>): string[] {
  return Object.values(lists).flatMap((list) => textsOf(list).map(requirement));
}

/** Returns the name of the package in a requirement such as `pytest[all]>=8; python_version > "3.8"`. */
function requirement(text: string): string {
  return (/^\s*([\w.-]+)/.exec(text)?.[1] ?? "").toLowerCase();
}
