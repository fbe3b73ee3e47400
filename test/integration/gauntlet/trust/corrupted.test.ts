/**
 * Stops of a failing tree whose records are damaged: each blocks, or tells the person (G16, G20b, G24a). By default each
 * record is damaged in one way; `RECORDS=all` damages it in every way.
 */
import { mkdir, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { CONFIG, STRICT, TrustRig } from "@test/helpers/gauntlet/trustRig";
import { restoring } from "@test/helpers/restoring";

const DAMAGES: readonly [string, (path: string, size: number) => Promise<unknown>][] = [
  ["empty", (path) => writeFile(path, "")],
  ["garbage", (path) => writeFile(path, Buffer.from([0, 255, 254, 10, 123, 91, 0]))],
  ["cut", (path, size) => truncate(path, Math.floor(size / 2))],
  ["other JSON", (path) => writeFile(path, '{"a":[1,null,{"b":"c"}]}')],
  ["gone", (path) => rm(path)],
  [
    "a folder",
    async (path) => {
      await rm(path);
      await mkdir(path);
    },
  ],
];
const takesAll = process.env.RECORDS === "all";

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
}

/** Lists what stops left on the disk: all files that a project without them does not have. Logs are no records. */
async function recordsOf({ project, home }: TrustRig, before: ReadonlySet<string>) {
  const found = [...(await filesBelow(project.dir)), ...(await filesBelow(home))];
  return found
    .filter((path) => !before.has(path.replace(project.dir, "")))
    .filter((path) => !/\.git\/(objects|ran)|\/src\/|\.(log|txt)$/.test(path))
    .sort();
}

test("no damaged record lets a failing tree pass without a word", async () => {
  const begin = restoring(async () => {
    const rig = await TrustRig.create();
    await rig.edit("src/new.txt", "x");
    expect((await rig.stop()).blocks).toBe(false);
    await rig.edit("src/bad", "x");
    expect((await rig.stop()).blocks).toBe(true);
    return rig;
  });
  const { dir } = await GauntletProject.create(CONFIG, { ok: STRICT });
  const before = new Set((await filesBelow(dir)).map((path) => path.replace(dir, "")));
  const names = (await recordsOf(await begin(), before)).length;
  expect(names).toBeGreaterThan(10);
  const silent: string[] = [];
  for (let i = 0; i < names; i++) {
    for (const [j, [how, damage]] of DAMAGES.entries()) {
      if (!takesAll && i % DAMAGES.length !== j) continue;
      const rig = await begin();
      const path = (await recordsOf(rig, before))[i] ?? "";
      await damage(path, (await stat(path)).size);
      const { blocks, forPerson } = await rig.stop();
      if (!blocks && forPerson.trim() === "") silent.push(`${path}: ${how}`);
    }
  }
  expect(silent).toEqual([]);
}, 600_000);
