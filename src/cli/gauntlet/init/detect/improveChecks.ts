/**
 * Changes proposed checks so that they show more failures (G29): splits a command that would end at its first failure,
 * adds a report, and leaves out the git folder. Also finds configured checks that read that folder, for `validate`, and
 * analyzes their commands for a record of their failures (G46).
 */
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import * as packages from "@/cli/gauntlet/init/detect/packageManager";
import { objectAt, ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { analyzeCommand, type CommandScripts } from "@/node/services/gauntlet/shell/splitFailFast";
import { values, withoutLauncher } from "@/node/services/gauntlet/shell/programFacts";
import type { Files } from "@/node/runtime/HookRuntime";
import type { CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import type { CommandAnalysis } from "@/node/services/gauntlet/run/known/recordAtHead";
import { SCRIPT_FILES } from "@/node/services/gauntlet/domain/commands/scriptFiles";
import { parseShellLine, type ShellItem } from "@/node/services/gauntlet/shell/shellLine";
import { makeRules } from "@/node/services/gauntlet/shell/scriptsAndTasks";
import { REPORT_VARIABLE } from "@/node/services/gauntlet/domain/findings/finding";

/** The maximum length of a name that is made for a part. */
const MAX_NAME = 30;

/**
 * Returns the checks in their improved form. One check may become several.
 *
 * @param isOffered whether `init` may run such a command
 */
export async function improveChecks(
  project: ProjectFolder,
  checks: readonly CheckProposal[],
  isOffered: (command: string) => boolean
): Promise<CheckProposal[]> {
  const names = new Set(checks.map(({ name }) => name));
  const split: CheckProposal[] = [];
  for (const check of checks) {
    const [entryPoint, ...others] = check.entryPoints;
    // The packages of a glob may have different scripts.
    if (others.length > 0 || entryPoint !== check.folder) {
      split.push(check);
      continue;
    }
    const found = await readScripts(project, check.folder);
    for (const part of partsOf(check, { ...found, checks, names, isOffered })) {
      const [, name = "", rest] = SCRIPT_CALL.exec(part.command) ?? [];
      const script = rest === "" ? found.pack.scripts.get(name) : undefined;
      const readsHistory = READS_HISTORY.test(`${part.command} ${script ?? ""}`);
      const texts = await project.textsOf(part.command, part.folder);
      const withoutGit = texts.length > 2 ? undefined : withoutGitFolder(texts.at(-1) ?? "");
      split.push({
        ...part,
        command: withoutGit ?? part.command,
        written: readsHistory ? { ...part.written, reads: "history" } : part.written,
        report: await reportOf(project, part, found),
      });
    }
  }
  return split;
}

/** Matches the call of a script of package.json, with its name and the rest of the line. */
const SCRIPT_CALL = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:.-]+)(.*)/s;
/** Tools that check the messages of commits. */
const READS_HISTORY = /\b(?:commitlint|gitlint|conventional-pre-commit|cog check)\b/;

/** Matches a command that starts a program of the project, whose content is not known. */
const SCRIPT_OF_PROJECT =
  /(?:^|[\s;&|(])(?:(?:ba|z|da)?sh|source|\.)\s+[^\s-]|(?:^|[\s;&|(])(?:\.{0,2}\/|[\w-]+\/)(?!.*(?:node_modules|vendor\/bin|\.?venv\/bin|gradlew|mvnw))/;

/** Analyzes the command of a configured check for a record of its failures (G46). */
export async function analyzeCheck(
  files: Files,
  projectDir: string,
  { entryPoint, gate }: Pick<CheckJob, "entryPoint" | "gate">
): Promise<CommandAnalysis> {
  const project = await ProjectFolder.open(files, projectDir);
  const { scripts } = await readScripts(project, gate.workingDirectory ?? entryPoint);
  const found = analyzeCommand(gate.command, scripts);
  if (found.kind === "firstFailure") return { endsEarly: found.why, isCompound: true };
  const [, name = ""] = SCRIPT_CALL.exec(gate.command) ?? [];
  const text = scripts.npm.get(name) ?? gate.command;
  return { isCompound: found.kind === "whole" || SCRIPT_OF_PROJECT.test(text.slice(0, 1_000)) };
}

/** The other checks and the scripts, by which a check is split. */
interface SplitContext extends Awaited<ReturnType<typeof readScripts>> {
  readonly checks: readonly CheckProposal[];
  /** The names that are in use. */
  readonly names: Set<string>;
  readonly isOffered: (command: string) => boolean;
}

/** Returns the check itself, or its parts if its command would end at the first failure. */
function partsOf(check: CheckProposal, context: SplitContext): CheckProposal[] {
  const found = analyzeCommand(check.command, context.scripts);
  if (found.kind !== "firstFailure") return [check];
  const [only, ...more] = found.parts;
  const isSplittable = found.parts.every((part) => context.isOffered(part) && !isOfShell(part));
  if (only === undefined || !isSplittable) {
    const note = `Later problems may be hidden until the first one is fixed: ${found.why}.`;
    return [{ ...check, note }];
  }
  if (more.length === 0) return [{ ...check, command: only, program: programOf(only) }];
  const parts = found.parts.map((command, i) => ({ command, nth: i + 1 }));
  const own = parts.filter(({ command }) => !isProposed(command, check, context));
  return own.map(({ command, nth }) => {
    const name = own.length === 1 ? check.name : uniqueName(check.name, command, context.names);
    context.names.add(name);
    const reason = `part ${nth} of ${check.command}: ${check.reason}`;
    const dropped = { written: undefined, repair: undefined };
    return { ...check, name, command, reason, program: programOf(command), ...dropped };
  });
}

/** Returns whether another check runs the same: by the same command, or by a script that has only this command. */
function isProposed(command: string, check: CheckProposal, context: SplitContext): boolean {
  const { pack, manager } = context;
  const others = context.checks.filter(
    (one) => one.name !== check.name && one.folder === check.folder && one.isPreselected
  );
  return others.some(
    (one) =>
      one.command === command ||
      [...pack.scripts].some(
        ([name, text]) => manager.run(name) === one.command && manager.exec(text) === command
      )
  );
}

/** Returns the words that a command runs last, without the program that starts them. */
function lastWords(command: string): string[] {
  const last = parseShellLine(command)?.items.at(-1);
  return values(withoutLauncher(last?.words ?? [])).filter((word) => !/^\w+=/.test(word));
}

/** Returns whether a part is a condition or a message of a shell line, which is not a check on its own. */
function isOfShell(command: string): boolean {
  return /^(?:!|:|\[|command|echo|printf|test|type|which)$/.test(lastWords(command)[0] ?? "");
}

/** Returns a name such as `test-xo`, from the script or the program that the command runs last. */
function uniqueName(check: string, command: string, names: ReadonlySet<string>): string {
  const words = lastWords(command);
  const runs = /^(?:npm|pnpm|yarn|bun|g?make)$/.test(words[0] ?? "");
  const wanted = (runs ? words.filter((word) => word !== "run")[1] : words[0]) ?? "part";
  const tool = wanted.slice(wanted.lastIndexOf("/") + 1).replaceAll(/[^\w-]+/g, "-");
  const base = `${check}-${tool.toLowerCase()}`.slice(0, MAX_NAME).replace(/-$/, "");
  for (let nth = 1; ; nth++) {
    const suffix = nth === 1 ? "" : `-${nth}`;
    const name = `${base.slice(0, MAX_NAME - suffix.length)}${suffix}`;
    if (!names.has(name)) return name;
  }
}

/** Returns the program that has to exist; a shell for a command that begins with `cd` and the like. */
export function programOf(command: string): string {
  const [first] = parseShellLine(command)?.items ?? [];
  const program = values(first?.words ?? []).find((word) => !/^\w+=/.test(word)) ?? "sh";
  const isBuiltin = /^(?:cd|export|set|unset|source|\.|test|\[|echo|exec|time)?$/.test(program);
  return isBuiltin || first?.isSimple !== true ? "sh" : program;
}

/** Matches a line of a Makefile by which its recipes run differently in make. */
const NEEDS_MAKE =
  /^ *(?:override +)?(?:(?:un)?export|SHELL|\.SHELLFLAGS)\b|^[^\s#:=][^:=\n]*: *export\b/m;

/** Reads the scripts of a folder, with the package manager that runs them. */
async function readScripts(project: ProjectFolder, folder: string) {
  const pack = await packages.readPackageJson(project, folder);
  const manager = await packages.findPackageManager(project);
  const config = await project.data(folder === "." ? "tsconfig.json" : `${folder}/tsconfig.json`);
  const makefile = folder === "." ? project.find(...SCRIPT_FILES.make) : undefined;
  const text = makefile === undefined ? "" : await project.text(makefile);
  // With `.ONESHELL`, all lines of a recipe are one script.
  const rules = makeRules(/^\.ONESHELL\b/m.test(text) ? "" : text);
  const scripts: CommandScripts = {
    npm: pack.scripts,
    needsMake: NEEDS_MAKE.test(text),
    make: (name) => rules.get(name ?? [...rules.keys()][0] ?? ""),
    run: manager.run,
    exec: manager.exec,
    compiles: objectAt(config, "compilerOptions").noEmit !== true,
  };
  return { pack, manager, scripts };
}

/** The path of the report in a command. A command that is started by hand writes no report. */
export const REPORT_PATH = `"\${${REPORT_VARIABLE}:-/dev/null}"`;

/**
 * The test runners that can write a report. `call` matches the words without the package manager, joined by spaces;
 * `configs` the names of the files in which a project sets reporters; and `setting` a reporter that is set, in these
 * files or in the command.
 */
const RUNNERS = [
  {
    // Node.js passes options after a file to that file. It has no file for its own reporters.
    call: /^node --test(?: --[\w=./-]+)*$/,
    configs: /^$/,
    setting: /--test-reporter/,
    options: `--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=${REPORT_PATH}`,
  },
  {
    call: /^vitest (?:run|--run)(?: |$)/,
    configs: /^vite(?:st)?\.(?:config|workspace|projects)\./,
    setting: /reporter|outputFile/,
    options: `--reporter=default --reporter=junit --outputFile.junit=${REPORT_PATH}`,
  },
  {
    call: /^pytest(?: |$)/,
    configs: /^(?:\.?pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$/,
    setting: /junit/,
    options: `--junitxml=${REPORT_PATH}`,
  },
];

/**
 * Lets a test runner that has a JUnit reporter of its own write a report, from which a failed check gets its findings.
 * Only for a plain call whose project sets no reporter, and in the root. Returns undefined if it is not certain how the
 * command writes a report.
 */
async function reportOf(
  project: ProjectFolder,
  { command, entryPoints, kind }: CheckProposal,
  { pack, manager }: Pick<SplitContext, "pack" | "manager">
): Promise<CheckProposal["report"]> {
  if (kind !== "test" || entryPoints.length !== 1 || entryPoints[0] !== ".") return undefined;
  const script = [...pack.scripts].find(([one]) => manager.run(one) === command)?.[1];
  const [item, ...more] = parseShellLine(script ?? command)?.items ?? [];
  if (item?.isSimple !== true || more.length > 0) return undefined;
  const line = values(withoutLauncher(item.words)).join(" ");
  const runner = RUNNERS.find(({ call }) => call.test(line));
  // An option after `--` would be an argument of the tests.
  if (runner === undefined || runner.setting.test(line) || /(?:^| )--(?: |$)/.test(line)) {
    return undefined;
  }
  for (const config of project.matchAll(runner.configs)) {
    if (runner.setting.test(await project.text(config))) return undefined;
  }
  const dashes = script !== undefined && manager.name === "npm" ? " --" : "";
  return { command: `${command}${dashes} ${runner.options}`, findings: "junit" };
}

const TOOL = /(?<=^|[\s/@+-])(?:[ef]?grep|codespell)(?=\s|$)/;

/**
 * Returns the option that leaves the git folder out, if one of the commands reads it: a plain `grep -r` or `codespell`
 * of the whole project also reads the logs of failed checks there, so a failure would repeat itself. Other tools that
 * walk a project skip that folder.
 */
export function gitFolderOption(command: string): string | undefined {
  const options = parseShellLine(command)?.items.map(optionFor) ?? [];
  return options.find((option) => option !== undefined);
}

/** Returns the command with that option, if it runs only such a tool. */
function withoutGitFolder(command: string): string | undefined {
  const option = gitFolderOption(command);
  const isOnly = parseShellLine(command)?.items.length === 1;
  return option !== undefined && isOnly ? command.replace(TOOL, `$& ${option}`) : undefined;
}

/** Returns the option for one command of a line. */
function optionFor({ group, words }: ShellItem): string | undefined {
  if (group !== undefined) return gitFolderOption(group);
  const [program = "", ...args] = values(words).filter((word) => word !== "!");
  const isGrep = program.endsWith("grep");
  const option = isGrep ? "--exclude-dir=.git" : "--skip=.git";
  if (!TOOL.test(program) || args.some((arg) => arg.includes(".git"))) return undefined;
  const isRecursive = args.some((arg) =>
    /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--(?:dereference-)?recursive)$/.test(arg)
  );
  if (isGrep && !isRecursive) return undefined;
  // The pattern that an option of grep has attached; empty if it is the next word.
  const patterns = args.map((arg) =>
    isGrep ? /^(?:-[a-dg-zA-Z]*[ef]|--(?:regexp|file)(?:=|$))(.*)$/.exec(arg)?.[1] : undefined
  );
  const operands = args.filter((arg, i) => !arg.startsWith("-") && patterns[i - 1] !== "");
  const areFolders = !isGrep || patterns.some((pattern) => pattern !== undefined);
  const folders = areFolders ? operands : operands.slice(1);
  return folders.length === 0 || folders.some((arg) => /^\.\/?$/.test(arg)) ? option : undefined;
}
