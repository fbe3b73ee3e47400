/** A real repository with a gauntlet, for tests of whole runs. */
import { chmod, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunEvent, RunResult } from "@/node/services/gauntlet/domain/runResult";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { LIGHT_GIT } from "@test/helpers/gitProject";
import { shellWord } from "@test/helpers/hooks/hookProject";
import { createRepository } from "@test/helpers/newRepository";
import { execFileAsync } from "@test/helpers/process/processes";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { commandRuntime } from "@test/helpers/remote/testRuntime";

/** Excludes the configuration of the user who runs the tests. */
export const QUIET_GIT = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

/** Excludes the variables of a CI as well. */
export const PROJECT_ENV = {
  PATH: process.env.PATH,
  ...LIGHT_GIT,
  ...QUIET_GIT,
  GIT_AUTHOR_NAME: "T",
  GIT_AUTHOR_EMAIL: "t@example.com",
  GIT_COMMITTER_NAME: "T",
  GIT_COMMITTER_EMAIL: "t@example.com",
};

/** The folder in which tests look for the files of a run. Last in the configuration: messages name its lines. */
const LOG_DIR = "log_dir: gauntlet_logs\n";

interface NewProject {
  readonly name?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export class GauntletProject {
  readonly events: RunEvent[] = [];
  readonly runtime = commandRuntime(PROJECT_ENV);

  private constructor(readonly dir: string) {}

  /**
   * Creates a project on branch `work` of a repository whose `main` has the configuration and `src/a.txt`.
   *
   * @param name of its folder, for paths with special characters
   * @param files of its first commit
   */
  static async create(
    config: string,
    checks: Record<string, string> = {},
    { name = "", files = {} }: NewProject = {}
  ): Promise<GauntletProject> {
    const project = new GauntletProject(join(await tempDir(), name));
    const logs = /^log_dir:/m.test(config) ? "" : LOG_DIR;
    await project.write(".gauntlet/config.yml", `base_branch: main\n${config}${logs}`);
    for (const [name, check] of Object.entries(checks)) {
      await project.write(`.gauntlet/checks/${name}.yml`, check);
    }
    await project.write("src/a.txt", "a\n");
    for (const [path, text] of Object.entries(files)) await project.write(path, text);
    createRepository(project.dir, PROJECT_ENV, "work");
    return project;
  }

  /** Returns an existing project. */
  static at(dir: string): GauntletProject {
    return new GauntletProject(dir);
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  async write(path: string, text: string): Promise<void> {
    await putFile(this.path(path), text);
  }

  async read(path: string): Promise<string> {
    return await readFile(this.path(path), "utf8");
  }

  async remove(path: string): Promise<void> {
    await rm(this.path(path), { recursive: true });
  }

  /** Writes an executable shell script. */
  async script(path: string, text: string): Promise<void> {
    await this.write(path, `#!/bin/sh\n${text}\n`);
    await chmod(this.path(path), 0o755);
  }

  async git(...args: string[]): Promise<string> {
    const { stdout } = await execFileAsync("git", args, { cwd: this.dir, env: PROJECT_ENV });
    return stdout;
  }

  /** Runs several commands in one shell, since starting a process is slower from Node than from a shell. */
  async shell(line: string): Promise<void> {
    await execFileAsync("sh", ["-c", line], { cwd: this.dir, env: PROJECT_ENV });
  }

  /** Returns whether a script ends with exit code 0. */
  async isTrue(script: string): Promise<boolean> {
    const { end } = await this.runtime.exec({ command: { script }, cwd: this.dir });
    return end.kind === "exited" && end.code === 0;
  }

  async commit(message: string): Promise<void> {
    await this.shell(`git add --all && git commit --quiet --message=${shellWord(message)}`);
  }

  async run(options: Partial<RunOptions> = {}): Promise<RunResult> {
    this.events.length = 0;
    return await executeRun({
      runtime: this.runtime,
      projectDir: this.dir,
      env: {},
      listener: (event) => this.events.push(event),
      ...options,
    });
  }

  /** Lists the names in the log folder, sorted. */
  async logs(folder = "gauntlet_logs"): Promise<string[]> {
    return (await readdir(this.path(folder)).catch(() => [])).sort();
  }

  async state(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.read("gauntlet_logs/.execution_state")) as Record<string, unknown>;
  }
}
