/** Creates real repositories of any size within seconds. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { personBin } from "./commands";

/** A home folder without files of the user, in which the gauntlets of the benchmarks are trusted. */
const home = mkdtempSync(join(tmpdir(), "gauntlet-bench-home-"));
process.once("exit", () => {
  rmSync(home, { recursive: true, force: true });
});

/** The environment of a benchmark's programs. It excludes the user's own git configuration. */
export const benchEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: home,
  // Where Node 22 and newer keep compiled code.
  XDG_CACHE_HOME: join(tmpdir(), "mux-stop-hooks-bench"),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "Bench",
  GIT_AUTHOR_EMAIL: "bench@example.com",
  GIT_COMMITTER_NAME: "Bench",
  GIT_COMMITTER_EMAIL: "bench@example.com",
};

/** A gauntlet with one check. */
export const GAUNTLET_FILES = {
  ".gitignore": "gauntlet_logs/\n",
  ".gauntlet/config.yml": `base_branch: main\nentry_points:\n  - path: "."\n    checks: [{ it: { command: "true" } }]\n`,
};

export class Repository {
  private constructor(readonly dir: string) {}

  /** Creates a repository on branch `work`, equal to `main`: `count` files in folders of twenty, and `beside`. */
  static async create(
    count: number,
    beside: Readonly<Record<string, string>> = {}
  ): Promise<Repository> {
    const repository = new Repository(await mkdtemp(join(tmpdir(), "gauntlet-bench-")));
    await repository.git("init", "--quiet", "--initial-branch=main");
    const files = Array.from({ length: count }, (_, i) => [pathOf(i), `let n${i} = ${i};\n`]);
    await repository.#import([...files, ...Object.entries(beside)] as [string, string][]);
    await repository.git("reset", "--quiet", "--hard", "main");
    await repository.#age();
    await repository.git("switch", "--quiet", "--create", "work");
    if (".gauntlet/config.yml" in beside) await repository.#trust();
    return repository;
  }

  /** As a person does once, since no gate runs before that (G24a). */
  async #trust(): Promise<void> {
    const args = [personBin, "trust", "--yes"];
    await promisify(execFile)(process.execPath, args, { cwd: this.dir, env: benchEnv });
  }

  async git(...args: string[]): Promise<void> {
    await promisify(execFile)("git", args, { cwd: this.dir, env: benchEnv });
  }

  /** Writes a file with a modification time that is old enough for git to trust. */
  async write(path: string, text: string): Promise<void> {
    const absolute = join(this.dir, path);
    await mkdir(dirname(absolute), { recursive: true });
    await writeFile(absolute, text);
    await utimes(absolute, LONG_AGO, LONG_AGO);
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Makes all files older than the index. Git would otherwise compare their contents again each time. */
  async #age(): Promise<void> {
    const all = [".", "-path", "./.git", "-prune", "-o", "-type", "f"];
    const touch = ["-exec", "touch", "-d", LONG_AGO.toISOString(), "{}", "+"];
    await promisify(execFile)("find", [...all, ...touch], { cwd: this.dir });
    await this.git("update-index", "-q", "--refresh");
  }

  /** Imports the files as one commit, without writing a file for each object. */
  async #import(files: readonly (readonly [string, string])[]): Promise<void> {
    const child = spawn("git", ["fast-import", "--quiet"], {
      cwd: this.dir,
      env: benchEnv,
      stdio: ["pipe", "inherit", "inherit"],
    });
    const entries = files.map(([path, text]) => {
      return `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    });
    const commit =
      "commit refs/heads/main\ncommitter B <b@example.com> 1700000000 +0000\ndata 1\nb\n";
    child.stdin.end(commit + entries.join(""));
    await once(child, "close");
  }
}

export function pathOf(index: number): string {
  const folder = Math.floor(index / 20);
  return `p${Math.floor(folder / 50)}/d${folder % 50}/f${index % 20}.ts`;
}

/**
 * Returns the `n`th version of a text. Its length differs from the version before, because git does not notice an edit
 * that keeps the length and the times of a file in seconds.
 */
export function version(n: number): string {
  return `let n = ${n};\n${"\n".repeat(n % 7)}`;
}

const LONG_AGO = new Date(Date.now() - 3_600_000);
