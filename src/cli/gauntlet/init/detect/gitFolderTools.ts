/**
 * A plain `grep -r` or `codespell` of the whole project also reads the git folder, where the logs of failed checks are, so
 * a failure would repeat itself (G29). Other tools that walk a project skip that folder.
 */
import { values } from "@/node/services/gauntlet/known/commandTools";
import { parseShellLine, type ShellItem } from "@/node/services/gauntlet/known/shellLine";

const TOOL = /(?<=^|[\s/@+-])(?:[ef]?grep|codespell)(?=\s|$)/;

/** Returns the option that leaves the git folder out, if one of the commands reads it. */
export function gitFolderOption(command: string): string | undefined {
  const options = parseShellLine(command)?.items.map(optionFor) ?? [];
  return options.find((option) => option !== undefined);
}

/** Returns the command with that option, if it is nothing but such a tool. */
export function withoutGitFolder(command: string): string | undefined {
  const option = gitFolderOption(command);
  const isOnly = parseShellLine(command)?.items.length === 1;
  return option !== undefined && isOnly ? command.replace(TOOL, `$& ${option}`) : undefined;
}

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
  const named = args.filter((arg) => !arg.startsWith("-"));
  const hasPattern = !isGrep || args.some((arg) => /^-[a-zA-Z]*[ef]$|^--(?:regexp|file)/.test(arg));
  const folders = hasPattern ? named : named.slice(1);
  return folders.length === 0 || folders.some((arg) => /^\.\/?$/.test(arg)) ? option : undefined;
}
