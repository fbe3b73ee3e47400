/** Builds a host of the test-bed as the real one is built: CommonJS, one file a module, below `dist`. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import * as ts from "typescript";
import { MIB } from "@/common/limits";
import { repository } from "@test/helpers/built";

export const GENERATIONS = ["january", "august"] as const;
export type Generation = (typeof GENERATIONS)[number];

const source = join(repository, "test", "host", "bed");
/** What one generation calls another's is, once built, its own. */
const BED = /"@test\/host\/bed\/(?:common|january|august)\//g;

/** @param folder empty */
export async function buildBed(folder: string, generation: Generation): Promise<void> {
  const dist = join(folder, "dist");
  for (const part of ["common", generation]) {
    const files = await readdir(join(source, part), { recursive: true });
    for (const file of files.filter((name) => name.endsWith(".ts"))) {
      const text = await readFile(join(source, part, file), "utf8");
      const built = join(dist, file.replace(/\.ts$/, ".js"));
      await mkdir(dirname(built), { recursive: true });
      await writeFile(built, commonJs(text).replaceAll(BED, `"${dist}/`));
    }
  }
}

/**
 * As in the real one's Docker image: what serves is one minified file, and nothing else is there.
 *
 * @param folder empty
 * @returns the file
 */
export async function bundleBed(folder: string, generation: Generation): Promise<string> {
  const parts = join(folder, "parts");
  const file = join(folder, "dist", "runtime", "server-bundle.js");
  await buildBed(parts, generation);
  await build({
    stdin: {
      contents: 'void require("./cli/server").serve(process.argv.slice(2));',
      resolveDir: join(parts, "dist"),
    },
    outfile: file,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    // In place of the libraries, which are most of a real one.
    footer: { js: `/*${" ".repeat(MIB)}*/` },
  });
  await rm(parts, { recursive: true });
  return file;
}

function commonJs(text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
    },
  });
  return outputText;
}
