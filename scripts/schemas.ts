/**
 * Writes schemas/ from the zod definitions, and the generated page of docs/reference. With --check it writes no file
 * and fails if one is out of date.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { whoSeesWhatPage } from "@/node/services/gauntlet/stopAudiencePage";
import { publishedSchemas as ofCommands } from "@/cli/gauntlet/publishedJson";
import { publishedSchemas as ofGauntlet } from "@/node/services/gauntlet/publishedSchemas";
import { publishedSchemas as ofHooks } from "@/node/services/hooks/contract/inputOutputSchemas";

const files = Object.entries({ ...ofHooks(), ...ofGauntlet(), ...ofCommands() }).map(
  ([name, text]) => [`schemas/${name}`, text] as const
);
const check = process.argv.includes("--check");
for (const [name, text] of [
  ...files,
  ["docs/reference/who-sees-what.md", whoSeesWhatPage()],
] as const) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (!check) {
    await writeFile(path, text);
  } else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
    console.error(`${name} is out of date: run make schemas`);
    process.exitCode = 1;
  }
}
