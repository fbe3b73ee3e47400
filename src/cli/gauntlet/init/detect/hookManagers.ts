/**
 * Suggests as checks what pre-commit, lefthook, lint-staged and husky run before a commit or a push: tests, linters,
 * formatters and type checkers, changed so that they only report. Leaves out all other commands. Suggests pre-commit,
 * and lefthook if none of its pre-commit commands fits, as a whole.
 */
import { kindOf } from "@/cli/gauntlet/init/detect/workflowEvidence";
import { findPackageManager, readPackageJson } from "@/cli/gauntlet/init/detect/packageManager";
import { objectAt, textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { CheckKind, Suggestion } from "@/cli/gauntlet/init/detect/types";
import { programOf } from "@/cli/gauntlet/init/detect/improveChecks";
import * as reasons from "@/cli/gauntlet/messages/shared";
import { isSystemProgram } from "@/node/services/gauntlet/shell/programFacts";
import { parseShellLine } from "@/node/services/gauntlet/shell/shellLine";
import type { JsonObject } from "@/common/json";
import { shellWord } from "@/node/runtime/remote/shellLine";

/** Longer lines are not read. */
const MAX_LINE = 1_000;

export async function suggestHookManagers(project: ProjectFolder): Promise<Suggestion[]> {
  const suggestions: Suggestion[] = [];
  const preCommit = project.find(".pre-commit-config.yaml", ".pre-commit-config.yml");
  if (preCommit !== undefined) {
    const command = "pre-commit run --all-files";
    // The trial runs on all files, a stop only on those that changed.
    const written = { command: "pre-commit run --files {files}", full: command };
    const reason = reasons.file(preCommit);
    suggestions.push({ kind: "lint", tool: "pre-commit", command, written, reason });
  }
  const lefthook = project.match(/^\.?lefthook\.ya?ml$/);
  const config = lefthook === undefined ? {} : await project.data(lefthook);
  const { exec } = await findPackageManager(project);
  /** Whether the suggestions contain a single command of the pre-commit hook of lefthook. */
  let isSplit = false;
  for (const { line, globs, reason, tool } of await hookCommands(project, config, lefthook, exec)) {
    const kind = await kindOfCheck(project, line);
    if (kind === undefined) continue;
    isSplit ||= tool === "lefthook" && reason.endsWith("pre-commit");
    const own = { kind, tool, reason };
    const isForAll = globs.length === 0;
    suggestions.push(
      line.includes("{files}")
        ? {
            ...{ ...own, command: onAllFiles(line, globs), program: programOf(line) },
            written: { command: line, ...(!isForAll && { files: globs }) },
          }
        : { ...own, command: line, written: isForAll ? undefined : { when: globs } }
    );
  }
  const hasPreCommit = Object.keys(objectAt(config, "pre-commit")).length > 0;
  if (lefthook !== undefined && hasPreCommit && !isSplit) {
    const line = "lefthook run pre-commit --all-files";
    const isInstalled = (await readPackageJson(project)).dependencies.has("lefthook");
    const command = isInstalled ? exec(line) : line;
    suggestions.push({ kind: "lint", tool: "lefthook", command, reason: reasons.file(lefthook) });
  }
  return suggestions;
}

/** A command that a manager runs before a commit or a push. */
interface HookCommand {
  /** With `{files}` in the place of the files that the manager passes. */
  readonly line: string;
  readonly globs: readonly string[];
  /** Such as `lefthook.yml runs it in pre-push`. */
  readonly reason: string;
  readonly tool: string;
}

/** Returns the commands of lefthook, lint-staged and husky. A command with a condition such as `only` is left out. */
async function hookCommands(
  project: ProjectFolder,
  config: JsonObject,
  lefthook: string | undefined,
  exec: (line: string) => string
): Promise<HookCommand[]> {
  const found: HookCommand[] = [];
  const add = (line: string, glob: unknown, reason: string, tool: string): void => {
    const globs = typeof glob === "string" ? [glob] : textsOf(glob);
    if (line.length <= MAX_LINE) found.push({ line: asCheck(line.trim()), globs, reason, tool });
  };
  for (const hook of ["pre-commit", "pre-push"]) {
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
  const rc = project.match(/^\.lintstagedrc(?:\.(?:json|ya?ml))?$/);
  const file = rc ?? "package.json";
  const data = await project.data(file);
  const tasks = rc === undefined ? objectAt(data, "lint-staged") : data;
  for (const [glob, lines] of Object.entries(tasks)) {
    for (const line of typeof lines === "string" ? [lines] : textsOf(lines)) {
      const isSystem = isSystemProgram(line.split(" ", 1)[0] ?? "");
      const reason = `lint-staged in ${file} runs it`;
      add(`${isSystem ? line : exec(line)} {files}`, glob, reason, "lint-staged");
    }
  }
  return found;
}

/** Matches a command that checks nothing and changes no file. */
const HARMLESS = /^(?:cd|export|set|unset|echo|printf|exit|true|:|\[|test)(?:\s|$)/;
/** Matches the options by which a check changes files. */
export const WRITES =
  / --(?:fix-type[ =][^\s;&|]+|(?:(?:fix|write|apply|alter|auto-?correct)(?:-[\w-]+)?|unsafe(?:-fixes)?|allow-(?:dirty|staged|no-vcs))(?:=[^\s;&|]+)?)(?![\w-])|(?<=\brubocop\b[^;&|\n]{0,200}) -[aAx](?![\w-])/g;

/** Returns the kind of a line that runs only known checks, each of which only reports. */
async function kindOfCheck(project: ProjectFolder, line: string): Promise<CheckKind | undefined> {
  const texts = await project.textsOf(line);
  const calls = parseShellLine(line)?.items ?? [];
  // The trial gives its files to one command only.
  const isCompound = calls.length > 1 && line.includes("{files}");
  if (isCompound || texts.some((text) => text.search(WRITES) !== -1)) return undefined;
  for (const { text, group } of calls) {
    const kinds = (await project.textsOf(text)).flatMap((one) => kindOf(one) ?? []);
    if (group !== undefined || (kinds.length === 0 && !HARMLESS.test(text))) return undefined;
  }
  return texts.map(kindOf).find((kind) => kind !== undefined);
}

/** Returns the line that only reports what this one would change, and that downloads no program. */
function asCheck(line: string): string {
  return line
    .replaceAll(/\bnpx (?=[\w@])/g, "npx --no-install ")
    .replaceAll(/(\bprettier\b[^;&|\n]*) (?:--write|-w)(?![\w-])/g, "$1 --check")
    .replaceAll(WRITES, "")
    .replaceAll(/\b(ruff format|black|isort)(?= )(?![^;&|\n]* --(?:check|diff))/g, "$1 --check");
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
  const env = /^\w+=/.test(line) ? "env " : "";
  return `git ls-files -z -- ${paths} | xargs -0 ${env}${line.replace(" {files}", "")}`;
}
