/** The licenses of the packages whose code is in the built package. */
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/freshBuild";
import { packageFolder } from "@scripts/licenses.mjs";

const text = readFileSync(join(repository, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");

/** Returns the folders of the packages whose code another bundler puts into its bundles. */
async function bundledPackages(): Promise<string[]> {
  const configuration = readFileSync(join(repository, "tsdown.config.ts"), "utf8");
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: [...configuration.matchAll(/"(src\/[\w/]+\.ts)"/g)].map(([, path = ""]) => path),
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    outdir: "dist",
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    loader: { ".sh": "text" },
    external: ["electron", "original-fs"],
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) =>
    Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  );
  const folders = inputs.map(([path]) => packageFolder(path));
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

test("names each bundled package, and contains its license", async () => {
  const folders = await bundledPackages();
  expect(folders).toContain("node_modules/zod");
  expect(folders.length).toBeGreaterThan(30);
  const missing = folders.filter((folder) => {
    const read = (name: string) => readFileSync(join(repository, folder, name), "utf8");
    const { name, version } = JSON.parse(read("package.json")) as Record<string, string>;
    return !text.includes(`\n${name} ${version} (`);
  });
  expect(missing).toEqual([]);
  for (const name of ["zod", "yaml"]) {
    const license = readFileSync(join(repository, "node_modules", name, "LICENSE"), "utf8");
    expect(text).toContain(license.trim());
  }
});
