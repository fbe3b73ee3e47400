/**
 * `mux-stop-hooks health`: shows which AI reviewers are installed, both the known ones and those whose commands the
 * configuration defines (G12a). It searches PATH on the project's machine, and starts no reviewer.
 */
import { posix } from "node:path";
import { type CliContext, type ExitCode, printLine } from "@/cli/context";
import {
  printNoProject,
  printProblems,
  withProject,
  type PlaceOption,
  type Project,
} from "@/cli/gauntlet/project";
import { programOf } from "@/cli/gauntlet/init/detect/improveChecks";
import { alignColumns, oneLine } from "@/cli/render/formatText";
import { styleFor } from "@/cli/render/style";
import { clip, visible } from "@/common/safeText";
import type { Files } from "@/node/runtime/HookRuntime";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { REVIEWER_NAMES, reviewerFor } from "@/node/services/gauntlet/reviews/reviewers";

const MAX_COMMAND_CHARS = 100;

/**
 * Runs `health`. Returns exit code 0 even if no reviewer is found. Reports an invalid configuration; the commands that
 * it defines are then not shown.
 */
export async function health(options: PlaceOption, context: CliContext): Promise<ExitCode> {
  const printReviewers = async (project: Project): Promise<ExitCode> => {
    const { runtime, dir } = project;
    const loaded = await loadGauntletConfig(runtime, dir);
    if (loaded.kind === "none") return printNoProject(context, project);
    printProblems(context, loaded);
    const cli = loaded.kind === "valid" ? loaded.config.cli : undefined;
    const folders = await searchFolders(project, context);
    // All look-ups run at once, so that they take one round trip to another machine.
    const rows = await Promise.all([
      ...REVIEWER_NAMES.map(async (name) => {
        const program = reviewerFor(name, {})?.program ?? name;
        const found = await findIn(runtime, folders, program);
        return [`  ${name}`, found ?? `not found: ${program} is not on the PATH`];
      }),
      ...Object.entries(cli?.commands ?? {}).map(async ([name, command]) => [
        `  ${visible(name)}`,
        await describeCommand(command, { runtime, dir, folders }),
      ]),
    ]);
    const title = styleFor(context.stdout, context.env).bold("Reviewers");
    return printLine(context, [title, ...alignColumns(rows)].join("\n"));
  };
  return await withProject(context, printReviewers, options);
}

/** Looks up the program of a command as the shell would, in the project, unless a shell has to find it. */
async function describeCommand(
  command: string,
  { runtime, dir, folders }: Project & { folders: readonly string[] }
): Promise<string> {
  const text = clip(oneLine(command), MAX_COMMAND_CHARS);
  const word = programOf(command);
  if (word === "sh") return `${text} (a shell command, not searched for)`;
  const found = await findIn(runtime, word.includes("/") ? [dir] : folders, word);
  return found ?? `not found: ${word}, which the command ${text} starts`;
}

/** Returns the folders of PATH on the project's machine. */
async function searchFolders({ runtime, dir }: Project, { env }: CliContext): Promise<string[]> {
  const command = { file: "sh", args: ["-c", 'printf %s "$PATH"'] };
  const path = runtime.isRemote
    ? (await runtime.exec({ command, cwd: dir })).stdout.text
    : (env.PATH ?? "");
  return path.split(":").filter((folder) => posix.isAbsolute(folder));
}

/** Returns the absolute path of the first executable program of that name or path. */
async function findIn(
  files: Pick<Files, "stat">,
  folders: readonly string[],
  name: string
): Promise<string | undefined> {
  const paths = folders.map((folder) => posix.resolve(folder, name));
  const stats = await files.stat(paths);
  return paths.find((_, i) => {
    const stat = stats[i];
    return stat?.kind === "file" && stat.executable;
  });
}
