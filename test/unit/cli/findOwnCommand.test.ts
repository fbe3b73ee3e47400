/** The words that texts use for a command of this package. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { findOwnCommand, pathOutside } from "@/cli/findOwnCommand";
import { agentGauntletBin, commandLine } from "@test/helpers/built";
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

const PROGRAM = commandLine(NAME);

test.each([
  ["their name, if the shell finds it", [NAME, "npx"], true, NAME],
  ["a call of npx in a project that has installed it", ["npx"], true, `npx --no-install ${NAME}`],
  ["the path of the program without npx", [], true, PROGRAM],
  ["the path of the program elsewhere", ["npx"], false, PROGRAM],
] as const)("are %s", async (_, programs, isInProject, words) => {
  const { project, bin } = await installed();
  const below = join(project, "src");
  await mkdir(below);
  const PATH = await folderWith(...programs);
  // npx adds the folder of the project.
  const paths = words.startsWith("npx") ? [bin, PATH] : [PATH];
  const call = { env: { PATH: paths.join(delimiter) }, program: join(bin, NAME) };
  for (const cwd of isInProject ? [project, below] : [await tempDir()]) {
    expect(findOwnCommand({ ...call, cwd })).toBe(words);
  }
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
