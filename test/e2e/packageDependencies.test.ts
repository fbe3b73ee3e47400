/** Packages that the built package needs at run time. */
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/freshBuild";

// A comment of a bundled package may contain an import; those of the bundle begin a line or follow a statement.
const IMPORT = /(?:^|;)(?:import|export)\b[^;"'\n]*?\bfrom ?"([^"]+)"|\bimport\("([^"]+)"\)/gm;
const REQUIRE = /\brequire\("([^"]+)"\)/g;

/** Returns the names of the packages that the files of a folder of `dist` load, without those of Node. */
async function packagesLoaded(folder: string, ext: string, call: RegExp): Promise<string[]> {
  const dir = join(repository, "dist", folder);
  const names = (await readdir(dir)).filter((name) => name.endsWith(ext));
  expect(names).not.toEqual([]);
  const loaded = names
    .flatMap((name) => [...readFileSync(join(dir, name), "utf8").matchAll(call)])
    .map(([, first, second]) => first ?? second ?? "")
    .filter((id) => !id.startsWith(".") && !isBuiltin(id))
    .map((id) =>
      id
        .split("/")
        .slice(0, id.startsWith("@") ? 2 : 1)
        .join("/")
    );
  return [...new Set(loaded)].sort();
}

test("the dependencies are exactly the packages that the library and its types import", async () => {
  const manifest = readFileSync(join(repository, "package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  const names = Object.keys(dependencies).sort();
  expect(await packagesLoaded("", ".js", IMPORT)).toEqual(names);
  expect(await packagesLoaded("", ".d.ts", IMPORT)).toEqual(names);
});

test("the programs, the preload and the plugin of opencode contain their dependencies", async () => {
  // `mux-stop-hooks hooks desktop install` writes a file that runs in the desktop app, which has this module.
  expect(await packagesLoaded("cli", ".cjs", REQUIRE)).toEqual(["electron"]);
  expect(await packagesLoaded("host", ".cjs", REQUIRE)).toEqual([]);
  expect(await packagesLoaded("opencode", ".js", IMPORT)).toEqual([]);
});
