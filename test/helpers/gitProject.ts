/** Real repositories in temporary folders, without the configuration of the user who runs the tests. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createEmptyRepository, createRepository } from "@test/helpers/newRepository";
import { tempDir } from "@test/helpers/tempDir";
import { commandRuntime } from "@test/helpers/remote/testRuntime";

/** Otherwise git starts a process for housekeeping after each commit, and writes samples of hooks to each repository. */
export const LIGHT_GIT = {
  GIT_TEMPLATE_DIR: process.env.TEST_GIT_TEMPLATE,
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

const PERSON = {
  ...LIGHT_GIT,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** Returns the environment of git, and of the runtime under test. */
export function gitEnv(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return { ...Object.fromEntries(own), ...PERSON, ...extra };
}

/** Creates a repository at `main`, with a linked worktree at the empty or new folder `linked`. */
export function createWorktree(main: string, linked: string): void {
  mkdirSync(main, { recursive: true });
  createRepository(main, gitEnv());
  new GitProject(main).git("worktree", "add", "--quiet", linked);
}

export class GitProject {
  constructor(
    readonly dir: string,
    readonly runtime = commandRuntime(gitEnv())
  ) {}

  /** Creates a repository with one commit on `main`, or without a commit if `files` is empty. */
  static async create(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }) {
    const project = new GitProject(await tempDir());
    project.begin(files);
    return project;
  }

  /** Initializes the repository, with a commit of these files. */
  begin(files: Readonly<Record<string, string>>): void {
    this.write(files);
    if (Object.keys(files).length === 0) createEmptyRepository(this.dir);
    else createRepository(this.dir, gitEnv());
  }

  /** Returns the output of git without its last line break. */
  git(...args: string[]): string {
    return this.gitBytes(...args)
      .toString()
      .replace(/\n$/, "");
  }

  gitBytes(...args: string[]): Buffer {
    return execFileSync("git", args, {
      cwd: this.dir,
      env: gitEnv(),
      stdio: "pipe",
      maxBuffer: 1 << 28,
    });
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(this.at(path)), { recursive: true });
      writeFileSync(this.at(path), content);
    }
  }

  /** Writes the files, commits everything, and returns the commit. */
  commit(message: string, files: Readonly<Record<string, string>> = {}): string {
    this.write(files);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", `--message=${message}`);
    return this.git("rev-parse", "HEAD");
  }

  at(path: string): string {
    return join(this.dir, path);
  }
}

/** Returns a runtime whose PATH begins with a git that records its calls. */
export async function countGit() {
  const bin = await tempDir();
  const log = join(bin, "calls");
  const real = execFileSync("sh", ["-c", "command -v git"]).toString().trim();
  writeExecutable(join(bin, "git"), `#!/bin/sh\necho "$*" >> "${log}"\nexec "${real}" "$@"\n`);
  writeFileSync(log, "");
  const runtime = commandRuntime(gitEnv({ PATH: `${bin}:${process.env.PATH ?? ""}` }));
  return {
    runtime,
    /** Returns the arguments of each git process since the last call, in order. */
    calls: () => {
      const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
      writeFileSync(log, "");
      return lines;
    },
  };
}

export function writeExecutable(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, 0o755);
}
