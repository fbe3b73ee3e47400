/** Compiles the sources of the test-bed. This module loads slowly, so it is only imported if necessary. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import * as ts from "typescript";
import { MIB } from "@/common/limits";
import type { MuxVersion } from "@test/host/rig/buildBed";
import { putFile } from "@test/helpers/tempDir";

/** Imports of shared sources and of either version. After the build, all of them are files of the host itself. */
const BED = /"@test\/host\/bed\/(?:common|v[\d.]+)\//g;

/** @param source the folder of the test-bed */
export async function compileBed(source: string, version: MuxVersion, dist: string): Promise<void> {
  for (const part of ["common", `v${version}`]) {
    const files = await readdir(join(source, part), { recursive: true });
    for (const file of files.filter((name) => name.endsWith(".ts"))) {
      const text = await readFile(join(source, part, file), "utf8");
      const built = join(dist, file.replace(/\.ts$/, ".js"));
      const toRoot = relative(dirname(built), dist) || ".";
      await putFile(built, commonJs(text).replaceAll(BED, `"${toRoot}/`));
    }
  }
}

/** @param dist the `dist` of a compiled host */
export async function bundleCompiledBed(dist: string, outfile: string): Promise<void> {
  // Otherwise the package.json of a parent folder would set the type of its modules.
  await writeFile(join(dist, "package.json"), '{ "type": "commonjs" }');
  await build({
    stdin: {
      contents: 'void require("./cli/server").serve(process.argv.slice(2));',
      resolveDir: dist,
    },
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    // Padding in place of the libraries, which are most of a real bundle.
    footer: { js: `/*${" ".repeat(MIB)}*/` },
  });
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
