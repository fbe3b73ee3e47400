/** A project with one check, for tests of the Stop hook's command. */
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";

/** One check at `src`. */
export const CHECKED_SRC = "entry_points:\n  - path: src\n    checks: [ok]\n";

/** Creates a project whose check passes if `src/bad` does not exist. */
export async function projectWith(more = "", changed: readonly string[] = []) {
  const check = { ok: "command: test ! -e bad\n" };
  const project = await GauntletProject.create(`${more}${CHECKED_SRC}`, check);
  for (const path of changed) await project.write(path, "x");
  return project;
}
