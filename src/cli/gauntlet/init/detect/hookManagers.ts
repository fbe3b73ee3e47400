/** Managers of git hooks, which run the linters and formatters of a project. */
import { readPackageJson } from "@/cli/gauntlet/init/detect/javascript/packageJson";
import { findPackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { kindOf, scriptReader } from "@/cli/gauntlet/init/detect/evidence";
import { objectAt, textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { Detected, Suggestion } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";
import { isSystemProgram } from "@/node/services/gauntlet/known/commandTools";
import { commandTexts } from "@/node/services/gauntlet/known/namedScripts";
import { shellWord } from "@/node/runtime/remote/shellLine";

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
  const read = scriptReader(project);
  for (const { line, globs, source, tool } of await hookCommands(project)) {
    const texts = await commandTexts(line, ".", read);
    const kind = texts.map(kindOf).find((one) => one !== undefined);
    if (kind === undefined) continue;
    const own = { kind, tool, entryPoint: ".", origin: "hooks", reason: source } as const;
    const [program = ""] = line.split(" ", 1);
    const written = { command: line, ...(globs.length === 0 ? {} : { files: globs }) };
    const when = globs.length === 0 ? undefined : { when: globs };
    suggestions.push(
      line.includes("{files}")
        ? { ...own, command: onAllFiles(line, globs), program, written }
        : { ...own, command: line, written: when }
    );
  }
  const lefthook = project.match(LEFTHOOK);
  const isSplit = suggestions.some(({ reason }) => reason.startsWith(`${lefthook} `));
  if (lefthook !== undefined && !isSplit && hasPreCommit(await project.yaml(lefthook))) {
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

interface HookCommand {
  /** With `{files}` in the place of the files that the manager passes. */
  readonly line: string;
  readonly globs: readonly string[];
  /** As in `lefthook.yml runs it in pre-push`. */
  readonly source: string;
  readonly tool: string;
}

const HOOKS = ["pre-commit", "pre-push"];
const LINT_STAGED = /^\.lintstagedrc(?:\.(?:json|ya?ml))?$/;

/** Returns the commands of lefthook, lint-staged and husky. Conditions such as `only` leave a command out. */
async function hookCommands(project: ProjectFolder): Promise<HookCommand[]> {
  const found: HookCommand[] = [];
  const add = (line: string, glob: unknown, source: string, tool: string): void => {
    const globs = typeof glob === "string" ? [glob] : textsOf(glob);
    found.push({ line: checking(line.trim()), globs, source, tool });
  };
  const lefthook = project.match(LEFTHOOK);
  const config = lefthook === undefined ? {} : await project.yaml(lefthook);
  for (const hook of HOOKS) {
    const { jobs } = objectAt(config, hook);
    const commands = Object.values(objectAt(config, hook, "commands"));
    for (const job of [...commands, ...(Array.isArray(jobs) ? (jobs as unknown[]) : [])]) {
      const { run, glob, root, skip, only, exclude } = objectAt(job);
      const isPlain = [root, skip, only, exclude].every((value) => value === undefined);
      if (typeof run !== "string" || !isPlain) continue;
      const line = run.replaceAll(/\{(?:staged|push|all)_files\}/g, "{files}");
      add(line, glob, `${lefthook} runs it in ${hook}`, "lefthook");
    }
    const husky = await project.text(`.husky/${hook}`);
    for (const line of husky.split("\n").filter((one) => /^[\w./]+ [^$`]*$/.test(one))) {
      add(line, undefined, `.husky/${hook} runs it`, "husky");
    }
  }
  const { exec } = await findPackageManager(project);
  const rc = project.match(LINT_STAGED);
  const file = rc ?? "package.json";
  const tasks =
    rc === undefined ? objectAt(await project.json(file), "lint-staged") : await project.yaml(rc);
  for (const [glob, lines] of Object.entries(tasks)) {
    for (const line of typeof lines === "string" ? [lines] : textsOf(lines)) {
      const isFound = isSystemProgram(line.split(" ", 1)[0] ?? "");
      add(
        `${isFound ? line : exec(line)} {files}`,
        glob,
        `lint-staged in ${file} runs it`,
        "lint-staged"
      );
    }
  }
  return found;
}

/** Returns the command that reports what this one would change. */
function checking(line: string): string {
  return line
    .replace(/ --fix(?:=\S+)?(?= |$)/, "")
    .replace(/(\bprettier\b.*) (?:--write|-w)(?= |$)/, "$1 --check")
    .replace(/ --(?:write|apply)(?= |$)/, "")
    .replace(/\b(ruff format|black|isort)(?= )(?!.* --(?:check|diff))/, "$1 --check");
}

/** Returns the command for the trial, which has no changed files. */
function onAllFiles(line: string, globs: readonly string[]): string {
  const expand = (glob: string): string[] => {
    const [whole, inner = ""] = /\{([^{}]*)\}/.exec(glob) ?? [];
    return whole === undefined
      ? [glob]
      : inner.split(",").flatMap((one) => expand(glob.replace(whole, () => one)));
  };
  const paths = globs.flatMap(expand).slice(0, 100).map(shellWord).join(" ");
  return `git ls-files -z -- ${paths} | xargs -0 ${line.replace(" {files}", "")}`;
}
