/** The settings files of agent hosts, in a project or, after `~/`, in the home of its user. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InitProject } from "@test/helpers/gauntlet/initProject";

export const PACKAGE = { devDependencies: { "mux-stop-hooks": "1.0.0" } };

export function pathIn(project: InitProject, file: string): string {
  return file.startsWith("~/") ? join(project.home, file.slice(2)) : project.at(file);
}

export function write(project: InitProject, file: string, text: string): void {
  mkdirSync(dirname(pathIn(project, file)), { recursive: true });
  writeFileSync(pathIn(project, file), text);
}

export function read(project: InitProject, file: string): string {
  return readFileSync(pathIn(project, file), "utf8");
}

/** Creates a project whose dependencies are installed, with a program that leaves a file if it runs. */
export async function projectWithPackage(): Promise<InitProject> {
  const project = await InitProject.create();
  write(project, "package.json", JSON.stringify(PACKAGE));
  write(project, "node_modules/mux-stop-hooks/package.json", '{"name": "mux-stop-hooks"}');
  write(project, "node_modules/.bin/agent-gauntlet", "#!/bin/sh\ntouch ran\necho --verify\n");
  project.chmod("node_modules/.bin/agent-gauntlet", 0o755);
  return project;
}

/** Returns the names of all files and folders in the project and in the home. */
export function names(project: InitProject): string[] {
  const home = readdirSync(project.home, { recursive: true }).map((name) => `~/${String(name)}`);
  const own = Object.keys(project.files()).filter((name) => !name.startsWith(".gauntlet"));
  // The record of the gates that init wrote stays.
  return [...own, ...home.filter((name) => !/^~\/\.mux(\/hook-trust\.json)?$/.test(name))].sort();
}
