import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { tempDir } from "@test/helpers/tempDir";

let root: string;

beforeAll(async () => {
  root = await tempDir();
  for (const folder of ["plain", "folder/bash", "first", "second"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, "plain/bash"), "");
  await writeFile(join(root, "first/bash"), "");
  await chmod(join(root, "first/bash"), 0o755);
  await symlink("../first/bash", join(root, "second/bash"));
});

const find = (...folders: string[]): Promise<string | undefined> =>
  findOnPath("bash", folders.map((folder) => join(root, folder)).join(":"));

test("finds the first program of that name", async () => {
  expect(await find("first", "second")).toBe(join(root, "first/bash"));
  expect(await find("second", "first")).toBe(join(root, "second/bash"));
});

test("skips files that are not executable, folders of that name, and missing folders", async () => {
  expect(await find("plain", "folder", "nowhere", "first")).toBe(join(root, "first/bash"));
});

test("returns undefined if there is no such program, and never searches a relative folder", async () => {
  expect(await find("plain")).toBeUndefined();
  expect(await findOnPath("package.json", "::.")).toBeUndefined();
  expect(await findOnPath("bash", undefined)).toBeUndefined();
});
