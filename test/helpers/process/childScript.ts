/** The TypeScript programs of `children/`, each bundled into one file for Node, since tsx costs 0.8 s per process. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const children = fileURLToPath(new URL("../children", import.meta.url));
/** At the same depth as this folder, so that a module's relative paths remain valid. */
const target = fileURLToPath(new URL("../../../.cache/children", import.meta.url));
const bundled = new Map<string, Promise<string>>();

/**
 * @param name the name of a file of `children/`, without `.ts`
 * @returns the path of a program that is built from the current sources
 */
export function childScript(name: string): Promise<string> {
  const known = bundled.get(name) ?? bundle(name);
  bundled.set(name, known);
  return known;
}

async function bundle(name: string): Promise<string> {
  const path = join(target, `${name}.mjs`);
  const own = `${path}.${process.pid}`;
  await mkdir(target, { recursive: true });
  await writeFile(own, await bundleProgram(join(children, `${name}.ts`)));
  // Other test files may be running it.
  await rename(own, path);
  return path;
}

async function bundleProgram(file: string): Promise<Uint8Array> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [file],
    // Only Electron has this module.
    external: ["original-fs"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    banner: { js: COMMON_JS },
    loader: { ".sh": "text" },
    logLevel: "error",
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`Nothing was made of ${file}.`);
  return output.contents;
}

/** Definitions that CommonJS libraries expect. */
const COMMON_JS = `
import { createRequire as $createRequire } from "node:module";
import { dirname as $dirname } from "node:path";
import { fileURLToPath as $toPath } from "node:url";
const require = $createRequire(import.meta.url);
const __filename = $toPath(import.meta.url);
const __dirname = $dirname(__filename);
`;
