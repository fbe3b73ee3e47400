/** Starts of projects and of turns that tests of whole runs share. */
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";

/** One check at `src`, which passes if `src/bad` does not exist. */
export const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
export const CHECK = { ok: "command: test ! -e bad || { echo bad is there; exit 3; }\n" };

export const create = restoring((config: string) => GauntletProject.create(config, CHECK));

/** Creates a project with a change. */
export const changedProject = restoring(
  async (config: string = CONFIG, checks: Record<string, string> = CHECK) => {
    const project = await GauntletProject.create(config, checks);
    await project.write("src/new.txt", "x");
    return project;
  }
);

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
  return await recordTurnStart({ runtime, cwd, now: () => new Date(), ...more });
}
