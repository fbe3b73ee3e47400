/**
 * Finds personal hooks whose program has vanished, for `run` and `status`. Starts no process, and loads no parser: it
 * only reads the settings files of the user, and examines the paths in them.
 */
import type { CliContext } from "@/cli/context";
import { nameIn } from "@/cli/gauntlet/doctor/names";
import { findMissing } from "@/cli/gauntlet/doctor/ProgramTrials";
import { parseHookCommand, parseNodeScript } from "@/cli/gauntlet/init/hooks/hookProgram";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { INSTALLABLE_HOSTS } from "@/cli/gauntlet/init/hooks/installable";
import { readSettingsText } from "@/cli/settingsText";
import { printError } from "@/cli/gauntlet/printError";
import type { Project } from "@/cli/gauntlet/project";
import { parseJson } from "@/common/json";
import { hookVanished } from "@/cli/gauntlet/messages/doctor";

const STRING = /"(?:[^"\\]|\\.)*"/g;
const SCRIPT_NAME = "agent-gauntlet.cjs";

/** Prints one line on standard error for the first such hook. */
export async function reportVanishedHook(
  { runtime, dir: projectDir }: Project,
  context: CliContext
): Promise<void> {
  // The settings of a user are on this machine.
  if (runtime.isRemote) return;
  const { env, home, program } = context;
  const place = { runtime, projectDir, env, home, program };
  const found = await Promise.all(
    INSTALLABLE_HOSTS.flatMap(({ install }) =>
      install
        .files(place)
        .filter(({ targetOf }) => targetOf.includes("personal"))
        .map(async ({ path }) => ({ title: install.title, lost: await findIn(path, place) }))
    )
  );
  const first = found.find(({ lost }) => lost !== undefined);
  if (first?.lost === undefined) return;
  const { at, missing } = first.lost;
  printError(context, hookVanished(first.title, nameIn(place, at), nameIn(place, missing)));
}

interface Lost {
  /** `file:line`. */
  readonly at: string;
  readonly missing: string;
}

async function findIn(path: string, place: InitPlace): Promise<Lost | undefined> {
  const text = (await readSettingsText(place.runtime, path)).unwrapOr("") ?? "";
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.includes(SCRIPT_NAME) || line.trimStart().startsWith("//")) continue;
    for (const [literal] of line.matchAll(STRING)) {
      const value = parseJson(literal).unwrapOr(undefined);
      const command = typeof value === "string" ? parseHookCommand(value) : undefined;
      const script = command && parseNodeScript(command.program);
      const missing = script && (await findMissing(place, script));
      if (missing !== undefined) return { at: `${path}:${i + 1}`, missing };
    }
  }
  return undefined;
}
