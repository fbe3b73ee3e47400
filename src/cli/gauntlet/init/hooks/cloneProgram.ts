/** The command of a hook that is committed: every clone of the project has to be able to run it (G29). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { CLONE_PROGRAMS, tryProgram } from "@/cli/gauntlet/init/hooks/hookProgram";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { notDependency, notInstalledHere } from "@/cli/gauntlet/messages/hooks";

/** The name of this package in a registry. */
export const PACKAGE_NAME = "mux-stop-hooks";
const DEPENDENCY_KEYS = ["dependencies", "devDependencies", "optionalDependencies"];

/** Returns the words that start the gauntlet in every clone, or why there are none. */
export async function findCloneProgram(place: InitPlace): Promise<Result<string, string>> {
  if (!(await isDependency(place))) return err(notDependency(PACKAGE_NAME));
  for (const program of CLONE_PROGRAMS) {
    if ((await tryProgram(place, program)).acceptsOptions) return ok(program);
  }
  return err(notInstalledHere(PACKAGE_NAME));
}

/** Returns whether the project's package.json depends on this package. */
export async function isDependency({ runtime, projectDir }: InitPlace): Promise<boolean> {
  const path = posix.join(projectDir, "package.json");
  const read = await runtime.readFile(path, { maxBytes: MIB });
  const text = read.isOk() ? Buffer.from(read.value).toString("utf8") : "";
  const manifest = parseJson(text).unwrapOr(undefined);
  if (!isJsonObject(manifest)) return false;
  return DEPENDENCY_KEYS.some((key) => {
    const packages = manifest[key];
    return isJsonObject(packages) && Object.hasOwn(packages, PACKAGE_NAME);
  });
}
