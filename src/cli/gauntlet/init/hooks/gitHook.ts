/**
 * Installs, describes, examines and removes the hook `pre-push` of git, by which `git push` runs the gates (G51): as a
 * script of git or of husky, or in the settings file of lefthook.
 */
import { chmod, stat } from "node:fs/promises";
import { posix } from "node:path";
import { err, ok, safeTry, type Result } from "neverthrow";
import { type Document, parseDocument } from "yaml";
import { type CliContext, type ExitCode, printError, printLine } from "@/cli/context";
import { describeChanges } from "@/cli/gauntlet/init/describeChanges";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { findPrograms, PROGRAM_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import { good, nameIn, problem, type Finding } from "@/cli/gauntlet/doctor/finding";
import { fileDiagnostic } from "@/common/diagnostics";
import { describeError } from "@/common/errors";
import { shownCommand } from "@/common/ownCommandName";
import { pathForUser } from "@/cli/render/formatText";
import { editSettings, readSettingsText, type SettingsEdit } from "@/cli/settingsFile";
import { shellWord } from "@/node/runtime/remote/shellLine";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import { commonGitDir, findWorkingTree } from "@/node/services/gauntlet/turn/readGitFolder";

const BEGIN = "# mux-stop-hooks: begin";
const END = "# mux-stop-hooks: end";
const BLOCKS = new RegExp(`${BEGIN}\n[\\s\\S]*?${END}\n`, "g");
const SHELL = /^#!.*\b(?:ba|da|k|z)?sh\b.*\n/;
const FIRST_LINE = "#!/bin/sh\n";
const NOT_STARTED = `echo 'mux-stop-hooks: ${PROGRAM_NAME} does not start, so no gate ran before this push' >&2`;
/** The name of the command in the file of lefthook. */
const COMMAND = "mux-stop-hooks";

interface GitHook {
  /** The file that git runs, if it is executable. It is the edited one, unless lefthook writes it. */
  readonly script: string;
  readonly edit: SettingsEdit;
  readonly removal: SettingsEdit;
}

/** Finds the file in which the manager of the project, or git itself, has the hook. */
async function findGitHook(place: InitPlace): Promise<Result<GitHook, string>> {
  const { runtime, projectDir } = place;
  const tree = await findWorkingTree(runtime, projectDir);
  if (tree === undefined) return err(`${projectDir} is in no git repository`);
  const { root, gitDir } = tree;
  const folder = posix.relative(root, projectDir);
  const inFolder = folder === "" ? "" : `cd ${shellWord(folder)} && `;
  const names = (await runtime.list(root)).unwrapOr([]);
  const lefthook = names.find((name) => /^\.?lefthook\.(?:ya?ml|toml|json)$/.test(name));
  const configured = await hooksPath(place);
  const hooks = configured === undefined ? undefined : posix.resolve(root, configured);
  const ownHooks = posix.join(await commonGitDir(runtime, gitDir), "hooks");
  const target = hooks ?? ownHooks;
  const script = posix.join(target, "pre-push");
  if (lefthook !== undefined) return lefthookFile(posix.join(root, lefthook), inFolder, script);
  // Husky 9 has its own programs in a folder below that of the hooks.
  const husky = hooks?.replace(/\/_$/, "");
  if (husky === posix.join(root, ".husky")) {
    const [modules] = await runtime.stat([`${root}/node_modules/.bin/${PROGRAM_NAME}`]);
    // For the whole team, so without a path of this machine.
    const program = modules?.kind === "file" ? `npx --no-install ${PROGRAM_NAME}` : PROGRAM_NAME;
    return ok(shellFile(posix.join(husky, "pre-push"), program, inFolder));
  }
  if (![root, ownHooks].some((own) => `${target}/`.startsWith(`${own}/`))) {
    return err(
      `git takes its hooks from ${target} (core.hooksPath), which is not only for this repository; add "${PROGRAM_NAME} pre-push" to its pre-push yourself`
    );
  }
  const { personal } = await findPrograms(place, false);
  return ok(shellFile(script, personal, inFolder));
}

/** Returns the setting `core.hooksPath` of a user or a repository, not the one of our own git calls. */
async function hooksPath({ runtime, projectDir: cwd, home }: InitPlace) {
  const args = ["config", "--show-scope", "--get-all", "core.hooksPath"];
  const lines = (await execGit(runtime, { cwd, args })).map(({ stdout }) => stdout.split("\n"));
  const own = lines.unwrapOr([]).filter((line) => line !== "" && !line.startsWith("command\t"));
  return own
    .at(-1)
    ?.replace(/^\w+\t/, "")
    .replace(/^~(?=\/)/, home);
}

/** Returns the lines that run the gates. They read the refs once, for the gates and for the rest of the script. */
function block(program: string, inFolder: string): string {
  return `${BEGIN}
refs=$(cat)
if (${inFolder}${program} --version) >/dev/null 2>&1; then
  printf '%s\\n' "$refs" | (${inFolder}${program} pre-push "$@") || exit 1
else
  ${NOT_STARTED}
fi
if [ -n "$refs" ]; then exec <<REFS
$refs
REFS
else exec </dev/null; fi
${END}
`;
}

/** Returns whether lines that `init` wrote are for another project of the repository, which keeps them. */
function isOfOther(text: string, inFolder: string): boolean {
  const isOwn = inFolder === "" ? !text.includes("if (cd ") : text.includes(`if (${inFolder}`);
  return !isOwn && text.includes("if (");
}

function shellFile(path: string, program: string, inFolder: string): GitHook {
  const text = block(program, inFolder);
  const without = (source: string): string =>
    source.replace(BLOCKS, (found) => (isOfOther(found, inFolder) ? found : ""));
  return {
    script: path,
    edit: {
      path,
      edit: (file, source) => {
        const rest = without(source === "" ? FIRST_LINE : source);
        const [first] = SHELL.exec(rest) ?? (rest.startsWith("#!") ? [] : [""]);
        if (first !== undefined) return ok(first + text + rest.slice(first.length));
        const message = `it is no shell script; start "${PROGRAM_NAME} pre-push" in it yourself, with its arguments and its input`;
        return err(fileDiagnostic("error", file, message));
      },
    },
    removal: {
      path,
      edit: (_file, source) => ok(without(source)),
      isRemovable: (rest) => rest === FIRST_LINE || rest === "",
    },
  };
}

function lefthookFile(path: string, inFolder: string, script: string): Result<GitHook, string> {
  const program = inFolder + PROGRAM_NAME;
  // lefthook skips a command that names no files if the checked out branch pushes none, also for another branch.
  const run = `if (${program} --version) >/dev/null 2>&1 </dev/null; then ${program} pre-push {1}; else ${NOT_STARTED}; fi # {files}`;
  const command = { run, files: `echo ${posix.basename(path)}`, use_stdin: true };
  if (!/\.ya?ml$/.test(path)) {
    return err(
      `${path} is not YAML; add a command to its pre-push yourself, with these settings: ${JSON.stringify(command)}`
    );
  }
  const editWith =
    (change: (document: Document) => void): SettingsEdit["edit"] =>
    (file, source) => {
      const document = parseDocument(source);
      const [error] = document.errors;
      if (error !== undefined) return err(fileDiagnostic("error", file, error.message));
      const before = document.toString({ lineWidth: 0 });
      try {
        change(document);
      } catch (thrown) {
        const why = `pre-push has another form than expected: ${describeError(thrown)}`;
        return err(fileDiagnostic("error", file, why));
      }
      const after = document.toString({ lineWidth: 0 });
      return ok(before === after ? source : after);
    };
  const at = ["pre-push", "commands", COMMAND];
  const isOther = (document: Document): boolean =>
    isOfOther(String(document.getIn([...at, "run"])), inFolder);
  return ok({
    script,
    edit: {
      path,
      edit: editWith((document) => {
        // An earlier version wrote a command that lefthook skips.
        const isEarlier = document.getIn([...at, "run"]) === `${PROGRAM_NAME} pre-push {1}`;
        if (isOther(document))
          throw new Error(`its command ${COMMAND} runs the gates of another folder`);
        if (document.hasIn(at) && !isEarlier) return;
        // `setIn` throws at a key without a value, so that key is deleted first.
        const empty = [1, 2].find((end) => document.getIn(at.slice(0, end)) === null);
        if (empty !== undefined) document.deleteIn(at.slice(0, empty));
        document.setIn(at, document.createNode(command));
      }),
      isShared: true,
    },
    removal: {
      path,
      edit: editWith((document) => {
        if (!document.hasIn(at) || isOther(document)) return;
        for (let end = at.length; end > 0; end--) {
          const value = document.getIn(at.slice(0, end)) as { items?: unknown[] } | undefined;
          if (end < at.length && value?.items?.length !== 0) return;
          document.deleteIn(at.slice(0, end));
        }
      }),
      isRemovable: () => false,
    },
  });
}

/** Installs the hook, and prints its file and the next step. */
export async function installGitHook(place: InitPlace, context: CliContext): Promise<ExitCode> {
  const installed = await safeTry(async function* () {
    const hook = yield* await findGitHook(place);
    const tree = await findWorkingTree(place.runtime, place.projectDir);
    yield* await editSettings(place.runtime, hook.edit, tree?.root ?? place.projectDir);
    return ok(hook);
  });
  if (installed.isErr()) {
    return printError(context, `git's hook was not installed: ${installed.error}`);
  }
  const { edit, script } = installed.value;
  const isOwn = script === edit.path;
  if (isOwn) {
    // All users that can read the script can run it.
    const { mode } = await stat(edit.path);
    await chmod(edit.path, mode | ((mode & 0o444) >> 2));
  }
  const name = pathForUser(edit.path, context);
  const next = isOwn ? "" : '\nRun "lefthook install" once, so that git runs it.';
  return printLine(context, `${name}: "git push" now runs the gates${next}`);
}

/** Returns the changes that {@link installGitHook} would make, as lines of a diff. */
export async function describeGitHook(place: InitPlace): Promise<string[]> {
  return (await findGitHook(place)).match(
    async ({ edit }) => await describeChanges(place, [], [edit]),
    (problem) => Promise.resolve([`git's hook: ${problem}`])
  );
}

/** Returns whether `git push` runs the gates, or why not, if `init` has installed the hook. */
export async function examineGitHook(place: InitPlace): Promise<Finding[]> {
  const { runtime, projectDir } = place;
  const hook = (await findGitHook(place)).unwrapOr(undefined);
  const again = `run "${shownCommand()} init --hook git"`;
  if (hook !== undefined && (await isInstalled(place, hook))) {
    const { script, edit } = hook;
    const [stat] = await runtime.stat([script]);
    const isRun = stat?.kind === "file" && stat.executable;
    if (isRun) return [good(`"git push" runs the gates: ${nameIn(place, edit.path)}`)];
    const why = `git ignores ${nameIn(place, script)}, because it is not an executable file`;
    return [problem(why, script === edit.path ? again : 'run "lefthook install"')];
  }
  const tree = await findWorkingTree(runtime, projectDir);
  if (tree === undefined) return [];
  const old = posix.join(await commonGitDir(runtime, tree.gitDir), "hooks/pre-push");
  const text = (await readSettingsText(runtime, old)).unwrapOr(undefined) ?? "";
  if (hook?.edit.path === old || !text.includes(BEGIN)) return [];
  return [
    problem(`${nameIn(place, old)} runs the gates, but git takes its hooks from elsewhere`, again),
  ];
}

/** Returns git's hook, or undefined if it does not run the gates. */
export async function installedHook(place: InitPlace): Promise<GitHook | undefined> {
  const hook = (await findGitHook(place)).unwrapOr(undefined);
  return hook !== undefined && (await isInstalled(place, hook)) ? hook : undefined;
}

async function isInstalled({ runtime }: InitPlace, { removal }: GitHook): Promise<boolean> {
  const { path, edit } = removal;
  const text = (await readSettingsText(runtime, path)).unwrapOr(undefined) ?? "";
  return edit(path, text).unwrapOr(text) !== text;
}
