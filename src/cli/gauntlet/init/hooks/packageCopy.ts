/**
 * Copies this package, if it is installed in a project, to the user's data folder for hooks that run in all projects
 * (G29): these must not start a program of one project, which may be removed, and which an agent there could replace.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, realpath, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { withParents } from "@/cli/findOwnCommand";

const NAME = "mux-stop-hooks";
const PARTS = ["bin", "dist", "package.json", "LICENSE"];

/** Returns the program for hooks in the user's own files: this one, or that of the copy, which may not exist yet. */
export async function programForHome(place: InitPlace): Promise<string> {
  const { program, root, target } = await findCopy(place);
  return target === undefined ? program : join(target, relative(root, program));
}

/** Makes the copy if one of the files is outside of the project and the program is not. */
export async function ensureCopy(
  place: InitPlace,
  paths: readonly string[]
): Promise<Result<void, string>> {
  if (paths.every((path) => withParents(path).includes(place.projectDir))) return ok();
  const { root, target } = await findCopy(place);
  if (target === undefined || existsSync(target)) return ok();
  const temporary = `${target}.${process.pid}`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const { dependencies = {} } = await readManifest(root);
    const { resolve } = createRequire(join(root, "package.json"));
    const parts = [
      ...PARTS.map((name) => ({ from: join(root, name), to: join(temporary, name) })),
      ...Object.keys(dependencies).map((name) => ({
        from: dirname(resolve(`${name}/package.json`)),
        to: join(temporary, "node_modules", name),
      })),
    ];
    for (const { from, to } of parts.filter((part) => existsSync(part.from))) {
      await cp(from, to, { recursive: true, dereference: true });
    }
    await rename(temporary, target);
    return ok();
  } catch (thrown) {
    await rm(temporary, { recursive: true, force: true });
    // Another `init` may have made it in the meantime.
    if (existsSync(target)) return ok();
    return err(
      `the hook would start a program of this project in all projects, and a copy in ${target} could not be made: ${describeError(thrown)}`
    );
  }
}

/** Returns this program, the folder of its package, and the folder of the copy if the package is in a project. */
async function findCopy(place: InitPlace) {
  const program = await realpath(place.program).catch(() => place.program);
  const root = dirname(dirname(program));
  const folders = withParents(root);
  const modules = folders.find((folder) => basename(folder) === "node_modules");
  // A package runner's cache is a project as well: it has a package.json beside `node_modules`.
  const isInstalled = modules !== undefined && existsSync(join(dirname(modules), "package.json"));
  const isInProject = isInstalled || folders.includes(place.projectDir);
  return { program, root, target: isInProject ? await copyFolder(root, place) : undefined };
}

async function readManifest(root: string) {
  const text = await readFile(join(root, "package.json"), "utf8");
  return JSON.parse(text) as { version: string; dependencies?: Record<string, string> };
}

/** Returns the folder of this version. Its name has a digest, because two builds can have one version. */
async function copyFolder(root: string, { env, home }: InitPlace): Promise<string> {
  const data = env.XDG_DATA_HOME ?? "";
  const folder = isAbsolute(data) ? data : join(home, ".local", "share");
  const { version } = await readManifest(root);
  const digest = createHash("sha256");
  for (const part of ["bin", "dist/cli", "dist"]) {
    for (const name of (await readdir(join(root, part)).catch(() => [])).sort()) {
      // Only an entry has no digest of its content in its name. It names the other files of the bundle.
      const isEntry = /^[A-Za-z]+\.c?js$/.test(name);
      digest.update(`${name}\n`);
      if (isEntry) digest.update(await readFile(join(root, part, name)));
    }
  }
  return join(folder, NAME, `${version}-${digest.digest("hex").slice(0, 12)}`);
}
