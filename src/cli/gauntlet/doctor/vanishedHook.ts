/**
 * Finds hooks whose program has vanished, for `run` and `status`. Starts no process, and loads no parser: it only reads
 * the settings files of the user and of the project, and examines the paths in them.
 */
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { nameIn } from "@/cli/gauntlet/doctor/names";
import { findMissing } from "@/cli/gauntlet/doctor/ProgramTrials";
import {
  parseHookCommand,
  parseNodeScript,
  PROGRAM_NAME,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { INSTALLABLE_HOSTS } from "@/cli/gauntlet/init/hooks/installable";
import { readSettingsText } from "@/cli/settingsText";
import type { Project } from "@/cli/gauntlet/project";
import { parseJson } from "@/common/json";
import { hookVanished, INSTALL_DEPENDENCIES, runFix } from "@/cli/gauntlet/messages/doctor";

const STRING = /"(?:[^"\\]|\\.)*"/g;
/** A hook for the team starts this program of the project. */
const CLONE_PROGRAM = `./node_modules/.bin/${PROGRAM_NAME}`;
const NAMED = [`${PROGRAM_NAME}.cjs`, CLONE_PROGRAM];

/** Returns a message about the first such hook, or undefined if there is none. */
export async function findVanishedHook(
  { runtime, dir: projectDir }: Project,
  context: CliContext
): Promise<string | undefined> {
  // The settings of a user are on this machine.
  if (runtime.isRemote) return undefined;
  const { env, home, program } = context;
  const place = { runtime, projectDir, env, home, program };
  const found = await Promise.all(
    INSTALLABLE_HOSTS.flatMap(({ install }) =>
      install
        .files(place)
        .map(async ({ path }) => ({ title: install.title, lost: await findIn(path, place) }))
    )
  );
  const first = found.find(({ lost }) => lost !== undefined);
  if (first?.lost === undefined) return undefined;
  const { at, missing } = first.lost;
  const isOfInstallation = missing === posix.join(projectDir, CLONE_PROGRAM);
  const next = isOfInstallation ? INSTALL_DEPENDENCIES : runFix();
  return hookVanished(first.title, nameIn(place, at), nameIn(place, missing), next);
}

interface Lost {
  /** `file:line`. */
  readonly at: string;
  readonly missing: string;
}

async function findIn(path: string, place: InitPlace): Promise<Lost | undefined> {
  const text = (await readSettingsText(place.runtime, path)).unwrapOr("") ?? "";
  for (const [i, line] of text.split("\n").entries()) {
    if (!NAMED.some((name) => line.includes(name)) || line.trimStart().startsWith("//")) continue;
    for (const [literal] of line.matchAll(STRING)) {
      const value = parseJson(literal).unwrapOr(undefined);
      const command = typeof value === "string" ? parseHookCommand(value) : undefined;
      const missing = command && (await findMissingPath(command.program, place));
      if (missing !== undefined) return { at: `${path}:${i + 1}`, missing };
    }
  }
  return undefined;
}

async function findMissingPath(program: string, place: InitPlace): Promise<string | undefined> {
  if (program === CLONE_PROGRAM) {
    const path = posix.join(place.projectDir, program);
    const [stat] = await place.runtime.stat([path]);
    return stat?.kind === "missing" ? path : undefined;
  }
  const script = parseNodeScript(program);
  return script && (await findMissing(place, script));
}
