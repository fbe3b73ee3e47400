/**
 * Provides a host of the test-bed, built like the real one: CommonJS, one file per module, below `dist`, or one
 * minified file. Each is compiled once for the state of its sources, and copied from then on.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "@test/helpers/built";

/** The versions of Mux that `bed/v0.14` and `bed/v0.28` imitate: 0.14.1 and 0.28.2. */
export const MUX_VERSIONS = ["0.14", "0.28"] as const;
export type MuxVersion = (typeof MUX_VERSIONS)[number];

const source = join(repository, "test", "host", "bed");
const cache = join(repository, ".cache", "beds");

/** @param folder an empty folder, or one that does not exist yet */
export async function buildBed(folder: string, version: MuxVersion): Promise<void> {
  const dist = await compiledOnce(`v${version}`, async (target) => {
    const { compileBed } = await import("@test/host/rig/compileBed");
    await compileBed(source, version, target);
  });
  await cp(dist, join(folder, "dist"), { recursive: true });
}

/**
 * Builds the server as one minified file without other files, like the one in the real Docker image.
 *
 * @param folder an empty folder, or one that does not exist yet
 * @returns the path of the file
 */
export async function bundleBed(folder: string, version: MuxVersion): Promise<string> {
  const bundle = await compiledOnce(`v${version}-bundle`, async (target) => {
    await buildBed(target, version);
    const { bundleCompiledBed } = await import("@test/host/rig/compileBed");
    await bundleCompiledBed(join(target, "dist"), join(target, "server-bundle.js"));
  });
  const file = join(folder, "dist", "runtime", "server-bundle.js");
  await cp(join(bundle, "server-bundle.js"), file);
  return file;
}

/** Compiles a target once. If several test files compile it at the same time, the first result is kept. */
async function compiledOnce(name: string, compile: (target: string) => Promise<void>) {
  const kept = join(cache, `${name}-${await (digest ??= digestOfSources())}`);
  const isKept = (): Promise<boolean> =>
    readdir(kept).then(
      () => true,
      () => false
    );
  if (await isKept()) return kept;
  await mkdir(cache, { recursive: true });
  const target = await mkdtemp(join(cache, "compiling-"));
  await compile(target);
  try {
    await rename(target, kept);
  } catch (thrown) {
    await rm(target, { recursive: true });
    if (!(await isKept())) throw thrown;
  }
  return kept;
}

let digest: Promise<string> | undefined;

async function digestOfSources(): Promise<string> {
  const names = await readdir(source, { recursive: true });
  const files = names.filter((name) => name.endsWith(".ts")).map((name) => join(source, name));
  files.push(join(repository, "test", "host", "rig", "compileBed.ts"));
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(`${file}\0`).update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}
