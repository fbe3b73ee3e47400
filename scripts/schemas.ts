/** Writes schemas/ from the zod definitions. With --check it writes nothing and fails where a file is out of date. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { publishedSchemas as ofGauntlet } from "@/node/services/gauntlet/publishedSchemas";
import { publishedSchemas as ofHooks } from "@/node/services/hooks/publishedSchemas";

const check = process.argv.includes("--check");
for (const [name, text] of Object.entries({ ...ofHooks(), ...ofGauntlet() })) {
  const path = fileURLToPath(new URL(`../schemas/${name}`, import.meta.url));
  if (!check) {
    await writeFile(path, text);
  } else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
    console.error(`schemas/${name} is out of date: run make schemas`);
    process.exitCode = 1;
  }
}
