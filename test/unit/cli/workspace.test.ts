import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProject } from "@/cli/workspace";
import { tempDir } from "@test/helpers/tempDir";

test("returns the checkout around the current folder if no name is given", async () => {
  const home = await tempDir();
  const checkout = join(home, "checkout");
  const inner = join(checkout, "packages", "one");
  await mkdir(join(checkout, ".git"), { recursive: true });
  await mkdir(join(inner, ".mux"), { recursive: true });
  expect((await findProject(undefined, { cwd: inner, home }))._unsafeUnwrap()).toBe(checkout);
});

test("treats a linked worktree, whose .git is a file, as a checkout", async () => {
  const home = await tempDir();
  await mkdir(join(home, "tree", "src"), { recursive: true });
  await writeFile(join(home, "tree", ".git"), "gitdir: /elsewhere\n");
  const found = await findProject(undefined, { cwd: join(home, "tree", "src"), home });
  expect(found._unsafeUnwrap()).toBe(join(home, "tree"));
});

test("returns the nearest folder with settings outside of git, and ignores the user's own settings", async () => {
  const home = await tempDir();
  await mkdir(join(home, ".mux"));
  await mkdir(join(home, "a", ".mux"), { recursive: true });
  await mkdir(join(home, "a", "b"));
  await mkdir(join(home, "c"));
  const find = async (cwd: string) => (await findProject(undefined, { cwd, home }))._unsafeUnwrap();
  expect(await find(join(home, "a", "b"))).toBe(join(home, "a"));
  expect(await find(join(home, "c"))).toBe(join(home, "c"));
  expect(await find(home)).toBe(home);
  const link = join(await tempDir(), "home");
  await symlink(home, link);
  const linked = await findProject(undefined, { cwd: join(home, "c"), home: link });
  expect(linked._unsafeUnwrap()).toBe(join(home, "c"));
});

test("resolves a named folder to its real path", async () => {
  const cwd = await tempDir();
  await mkdir(join(cwd, "p"));
  await symlink("p", join(cwd, "link"));
  expect((await findProject("link", { cwd, home: cwd }))._unsafeUnwrap()).toBe(join(cwd, "p"));
});

test("reports a missing folder and a file", async () => {
  const cwd = await tempDir();
  await writeFile(join(cwd, "file"), "");
  const missing = await findProject("nope", { cwd, home: cwd });
  expect(missing._unsafeUnwrapErr()).toBe(`the folder ${join(cwd, "nope")} does not exist`);
  const file = await findProject("file", { cwd, home: cwd });
  expect(file._unsafeUnwrapErr()).toBe(`${join(cwd, "file")} is not a folder`);
});
