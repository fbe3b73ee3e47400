/** The TypeScript programs of `children/`, each in one file that Node runs as it is: tsx costs 0.8 s a process. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const children = fileURLToPath(new URL("../children", import.meta.url));
/** As deep in the repository as this folder: what a module finds beside itself it finds from there. */
const target = fileURLToPath(new URL("../../../.cache/children", import.meta.url));
const bundled = new Map<string, Promise<string>>();

/**
 * @param name of a file of `children/`, without `.ts`
 * @returns the path of a program, made from the sources as they are now
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

/** @param alias the files that a module's name stands for */
export async function bundleProgram(
  file: string,
  alias: Readonly<Record<string, string>> = {}
): Promise<Uint8Array> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [file],
    alias,
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

/** What libraries in CommonJS expect around them. */
const COMMON_JS = `
import { createRequire as $createRequire } from "node:module";
import { dirname as $dirname } from "node:path";
import { fileURLToPath as $toPath } from "node:url";
const require = $createRequire(import.meta.url);
const __filename = $toPath(import.meta.url);
const __dirname = $dirname(__filename);
`;
