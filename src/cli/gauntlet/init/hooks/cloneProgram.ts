/** The command of a hook that is committed: every clone of the project has to be able to run it (G29). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { CLONE_PROGRAMS, PROGRAM_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { MIB } from "@/common/limits";
import { notDependency, notInstalledHere } from "@/cli/gauntlet/messages/hooks";

/** The name of this package in a registry. */
export const PACKAGE_NAME = "mux-stop-hooks";
const DEPENDENCY_KEYS = ["dependencies", "devDependencies", "optionalDependencies"];

/** Returns the words that start the gauntlet in every clone, or why there are none. Only reads files. */
export async function findCloneProgram(place: InitPlace): Promise<Result<string, string>> {
  if (!(await isDependency(place))) return err(notDependency(PACKAGE_NAME));
  for (const program of CLONE_PROGRAMS) {
    if ((await findInstalled(place, program)) !== undefined) return ok(program);
  }
  return err(notInstalledHere(PACKAGE_NAME));
}

/**
 * Returns the package.json of the package that one of {@link CLONE_PROGRAMS} starts. npx also looks in the folders
 * around the project.
 */
export async function findInstalled(
  place: InitPlace,
  program: string
): Promise<JsonObject | undefined> {
  const isNpx = program.startsWith("npx ");
  for (let folder = place.projectDir; ; folder = posix.dirname(folder)) {
    const modules = posix.join(folder, "node_modules");
    const [bin] = await place.runtime.stat([posix.join(modules, ".bin", PROGRAM_NAME)]);
    const manifest = await readManifest(place, posix.join(modules, PACKAGE_NAME));
    const isExecutable = bin?.kind === "file" && bin.executable;
    if (isExecutable && manifest.name === PACKAGE_NAME) return manifest;
    if (!isNpx || folder === "/") return undefined;
  }
}

/** Returns whether the project's package.json depends on this package. */
export async function isDependency(place: InitPlace): Promise<boolean> {
  const manifest = await readManifest(place, place.projectDir);
  return DEPENDENCY_KEYS.some((key) => {
    const packages = manifest[key];
    return isJsonObject(packages) && Object.hasOwn(packages, PACKAGE_NAME);
  });
}

/** Returns an empty object if the folder has no package.json that can be read. */
async function readManifest({ runtime }: InitPlace, folder: string): Promise<JsonObject> {
  const read = await runtime.readFile(posix.join(folder, "package.json"), { maxBytes: MIB });
  const text = read.isOk() ? Buffer.from(read.value).toString("utf8") : "";
  const manifest = parseJson(text).unwrapOr(undefined);
  return isJsonObject(manifest) ? manifest : {};
}
