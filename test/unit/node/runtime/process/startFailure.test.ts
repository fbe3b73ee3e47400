import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { explainStartFailure, findOnPath } from "@/node/runtime/process/startFailure";
import { tempDir } from "@test/helpers/tempDir";

const EACCES = Object.assign(new Error("spawn EACCES"), { code: "EACCES" });

test("a missing program is reported as missing if a folder on the PATH may not be searched (H23)", async () => {
  const dir = await tempDir();
  const program = { file: "tool", args: [], cwd: "/", env: { PATH: `${dir}:/no/such/folder` } };
  expect(await explainStartFailure(program, EACCES)).toEqual({
    kind: "notStarted",
    code: "ENOENT",
    message: "“tool” is not on the PATH; install it or give its path",
  });

  await writeFile(join(dir, "tool"), "#!/bin/sh\n", { mode: 0o644 });
  expect(await explainStartFailure(program, EACCES)).toEqual({
    kind: "notStarted",
    code: "EACCES",
    message: expect.stringContaining("“tool” is not executable") as string,
  });
});

test("a file that cannot be read is reported with the error of the system (H23)", async () => {
  const thrown = Object.assign(new Error("spawn tool ENOENT"), { code: "ENOENT" });
  // A folder: root can read every other file.
  const program = { file: await tempDir(), args: [], cwd: "/", env: {} };
  expect(await explainStartFailure(program, thrown)).toMatchObject({
    kind: "notStarted",
    code: "ENOENT",
    message: expect.stringContaining("spawn tool ENOENT") as string,
  });
});

test("findOnPath returns the first program of that name, and never searches a relative folder", async () => {
  const root = await tempDir();
  for (const folder of ["plain", "folder/bash", "first", "second"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, "plain/bash"), "");
  await writeFile(join(root, "first/bash"), "", { mode: 0o755 });
  await symlink("../first/bash", join(root, "second/bash"));
  for (const [folders, found] of [
    [["first", "second"], "first"],
    [["second", "first"], "second"],
    [["plain", "folder", "nowhere", "first"], "first"],
    [["plain"], undefined],
  ] as const) {
    const path = folders.map((folder) => join(root, folder)).join(":");
    const expected = found === undefined ? undefined : join(root, found, "bash");
    expect(await findOnPath("bash", path)).toBe(expected);
  }
  expect(await findOnPath("package.json", "::.")).toBeUndefined();
  expect(await findOnPath("bash", undefined)).toBeUndefined();
});
