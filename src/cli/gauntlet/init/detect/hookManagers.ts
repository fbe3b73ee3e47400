/** Managers of git hooks, which run the linters and formatters of a project. */
import { readPackageJson } from "@/cli/gauntlet/init/detect/javascript/packageJson";
import { findPackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { Detected, Suggestion } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";

const LEFTHOOK = /^\.?lefthook\.ya?ml$/;

export async function suggestHookManagers(project: ProjectFolder): Promise<Detected> {
  const base = { kind: "lint", entryPoint: ".", origin: "hooks" } as const;
  const suggestions: Suggestion[] = [];
  const preCommit = project.find(".pre-commit-config.yaml", ".pre-commit-config.yml");
  if (preCommit !== undefined) {
    const command = "pre-commit run --all-files";
    // The trial runs everything, a stop only what changed.
    const written = { command: "pre-commit run --files {files}", full: command };
    const reason = reasons.file(preCommit);
    suggestions.push({ ...base, tool: "pre-commit", command, written, reason });
  }
  const lefthook = project.match(LEFTHOOK);
  if (lefthook !== undefined && hasPreCommit(await project.yaml(lefthook))) {
    const line = "lefthook run pre-commit --all-files";
    const { dependencies } = await readPackageJson(project);
    const isInstalled = dependencies.has("lefthook");
    const command = isInstalled ? (await findPackageManager(project)).exec(line) : line;
    suggestions.push({ ...base, tool: "lefthook", command, reason: reasons.file(lefthook) });
  }
  return { suggestions };
}

function hasPreCommit(config: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(objectAt(config, "pre-commit")).length > 0;
}
