/** The command with which the shell of an agent host starts this program (G29). */
import { realpath } from "node:fs/promises";
import { basename, delimiter, dirname } from "node:path";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { shellWord } from "@/node/runtime/remote/shellLine";

export const PROGRAM_NAME = "agent-gauntlet";
const TRY_MS = 5_000;

/** Matches a command that {@link findHookProgram} returned on any machine, and captures the arguments. */
export const HOOK_COMMAND =
  /^(?:agent-gauntlet|node (?:'.*agent-gauntlet\.cjs'|\S*agent-gauntlet\.cjs)) (.+)$/;

/** Returns only the name if the shell finds a program of that name with `--verify`; else the path of this one. */
export async function findHookProgram(place: InitPlace): Promise<string> {
  if (await resolves(place)) return PROGRAM_NAME;
  const path = await realpath(place.program).catch(() => place.program);
  return `node ${/^[\w./@+-]+$/.test(path) ? path : shellWord(path)}`;
}

/** Returns whether the shell finds a program with `--verify`. An older one would refuse the options. */
async function resolves({ runtime, projectDir, env }: InitPlace): Promise<boolean> {
  const { end, stdout } = await runtime.exec({
    command: { script: `${PROGRAM_NAME} stop-hook --help`, shell: "/bin/sh" },
    cwd: projectDir,
    env: { PATH: withoutPackageRunners(env.PATH ?? "") },
    timeoutMs: TRY_MS,
  });
  return end.kind === "exited" && end.code === 0 && stdout.text.includes("--verify");
}

/** Removes the folders that a package runner such as npx adds to PATH. The host does not have them. */
function withoutPackageRunners(path: string): string {
  const isAdded = (folder: string): boolean =>
    basename(folder) === ".bin" && basename(dirname(folder)) === "node_modules";
  return path
    .split(delimiter)
    .filter((folder) => !isAdded(folder))
    .join(delimiter);
}
