/** `agent-gauntlet health`: which reviewers are there (G12a). PATH is looked through; no program is started. */
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { complainOfNoProject, findProject, tellProblems } from "@/cli/gauntlet/project";
import { alignColumns, oneLine } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { clip, visible } from "@/common/text";
import { findOnPath } from "@/node/runtime/process/findOnPath";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";

const MOST_COMMAND_CHARS = 100;

/** Reviewers, and the programs that they are. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["claude", "claude"],
  ["codex", "codex"],
  ["gemini", "gemini"],
  ["github-copilot", "copilot"],
  ["cursor", "agent"],
  ["opencode", "opencode"],
]);

/** Ends with 0 whatever is found; a configuration that cannot be used is told, and lacks its own commands here. */
export async function health(context: CliContext): Promise<ExitCode> {
  const project = await findProject(context);
  if (project === undefined) return complainOfNoProject(context);
  const { runtime, dir } = project;
  const loaded = await loadGauntletConfig(runtime, dir);
  if (loaded.kind === "none") return complainOfNoProject(context);
  tellProblems(context, loaded);
  const cli = loaded.kind === "valid" ? loaded.config.cli : undefined;

  const searchPath = context.env.PATH;
  const rows: string[][] = [];
  for (const [name, program] of PROGRAMS) {
    const found = await findOnPath(program, searchPath);
    rows.push([`  ${name}`, found ?? `not found: there is no program ${program} on PATH`]);
  }
  for (const [name, command] of Object.entries(cli?.commands ?? {})) {
    rows.push([`  ${visible(name)}`, await describeCommand(command, { dir, searchPath })]);
  }
  const style = styleFor(context.stdout, context.env);
  const lines = [style.bold("Reviewers"), ...alignColumns(rows)];
  context.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.ok;
}

/** A command whose first word is a plain name or path is looked for as the shell would, in the project. */
async function describeCommand(
  command: string,
  { dir, searchPath }: { dir: string; searchPath: string | undefined }
): Promise<string> {
  const text = clip(oneLine(command), MOST_COMMAND_CHARS);
  const [word = ""] = command.trim().split(/\s/, 1);
  if (!/^[\w./+-]+$/.test(word)) return `${text} (a shell command, not looked for)`;
  const path = posix.resolve(dir, word);
  const found = word.includes("/")
    ? await findOnPath(posix.basename(path), posix.dirname(path))
    : await findOnPath(word, searchPath);
  return found ?? `not found: there is no program ${word}, which ${text} begins with`;
}
