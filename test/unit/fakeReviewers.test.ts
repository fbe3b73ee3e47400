import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/built";

const folder = join(repository, "fixtures", "reviewers");

test("each fake reviewer has the default output that its format defines", async () => {
  const { NAMES, passOf } = (await import(join(folder, "steer.mjs"))) as {
    NAMES: string[];
    passOf: (name: string) => string;
  };
  expect((await readdir(join(folder, "pass"))).sort()).toEqual(NAMES.toSorted());
  for (const name of NAMES) {
    expect(await readFile(join(folder, "pass", name), "utf8")).toBe(passOf(name));
  }
});
