/** Starts of projects and of turns that the tests of this folder share. */
import { recordTurnStart } from "@/node/services/gauntlet/turn/turnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";

interface Started {
  readonly dir?: string;
  readonly project?: { readonly dir: string };
  readonly home?: string;
  readonly folders?: readonly string[];
}

const foldersOf = ({ dir, project, home, folders }: Started): readonly string[] =>
  folders ?? [dir, project?.dir, home].filter((folder) => folder !== undefined);

/** Like {@link restoring}, for a project, or for a value that has one. */
export const restored = <Args extends readonly unknown[], Value extends Started>(
  start: (...args: Args) => Promise<Value>
): ((...args: Args) => Promise<Value>) => restoring(start, foldersOf);

/** One check at `src`, which passes if `src/bad` does not exist. */
export const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
export const CHECK = { ok: "command: test ! -e bad || { echo bad is there; exit 3; }\n" };

export const create = restored((config: string) => GauntletProject.create(config, CHECK));

/** Creates a project whose check fails. */
export async function brokenProject(more = ""): Promise<GauntletProject> {
  const project = await create(`${more}${CONFIG}`);
  await project.write("src/bad", "x");
  return project;
}

/** Records a message of the user, as `turn-start` does. Returns what the user then reads. */
export async function beginTurn(
  { runtime, dir: cwd }: GauntletProject,
  more: Partial<Parameters<typeof recordTurnStart>[0]> = {}
): Promise<string | undefined> {
  return await recordTurnStart({ runtime, cwd, env: {}, now: () => new Date(), ...more });
}
