/** The words that texts use for a command of this package. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { findOwnCommand, pathOutside } from "@/cli/ownCommands";
import { agentGauntletBin, repository } from "@test/helpers/built";
import { tempDir } from "@test/helpers/tempDir";

const NAME = "mux-stop-hooks";

async function folderWith(...names: readonly string[]): Promise<string> {
  const folder = await tempDir();
  for (const name of names) await writeFile(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  return folder;
}

/** Creates a project with the package in its node_modules. */
async function installed(): Promise<{ project: string; bin: string }> {
  const project = await tempDir();
  const bin = join(project, "node_modules", ".bin");
  await mkdir(bin, { recursive: true });
  await symlink(agentGauntletBin, join(bin, NAME));
  return { project, bin };
}

test("are its name, if the shell finds it", async () => {
  const { project, bin } = await installed();
  const PATH = await folderWith(NAME, "npx");
  const program = join(bin, NAME);
  expect(findOwnCommand({ env: { PATH }, cwd: project, program })).toBe(NAME);
});

test("are a call of npx in a project that has installed it, also in a folder below", async () => {
  const { project, bin } = await installed();
  const below = join(project, "src");
  await mkdir(below);
  // npx adds the first one.
  const PATH = [bin, await folderWith("npx")].join(delimiter);
  const call = { env: { PATH }, program: join(bin, NAME) };
  const words = `npx --no-install ${NAME}`;
  expect(findOwnCommand({ ...call, cwd: project })).toBe(words);
  expect(findOwnCommand({ ...call, cwd: below })).toBe(words);
});

test.each([
  ["without npx", true],
  ["elsewhere", false],
])("are the path of the program %s", async (_, isInProject) => {
  const { project, bin } = await installed();
  const cwd = isInProject ? project : await tempDir();
  const PATH = await folderWith(...(isInProject ? [] : ["npx"]));
  const call = { env: { PATH }, cwd, program: join(bin, NAME) };
  expect(findOwnCommand(call)).toBe(`node ${join(repository, "bin", `${NAME}.cjs`)}`);
});

test("are the name if nothing else is known", async () => {
  const call = { env: {}, cwd: await tempDir(), program: "/nowhere/else.js" };
  expect(findOwnCommand(call)).toBe(NAME);
});

test("of a project are not on the PATH of a diagnosis, but those of the user are", async () => {
  const home = await tempDir();
  const project = join(home, "work", "project");
  const below = join(project, "packages", "a");
  const own = [join(home, "bin"), "/usr/bin"];
  for (const folder of [join(project, ".git"), join(project, "bin"), join(home, "bin"), below]) {
    await mkdir(folder, { recursive: true });
  }
  const link = join(home, "link");
  await symlink(join(project, "bin"), link);
  const theirs = [join(project, "bin"), below, link, "bin", join(home, "node_modules/.bin")];
  const env = { PATH: [...theirs, ...own].join(delimiter) };
  expect(pathOutside(below, { env, home })).toBe(own.join(delimiter));
  // Such a folder contains everything of the user.
  await mkdir(join(home, ".git"));
  expect(pathOutside(home, { env, home }).split(delimiter)).toEqual([
    ...[join(project, "bin"), below, link],
    ...own,
  ]);
});
