import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { findProgram } from "../scripts/programs.mjs";
import { benchEnv } from "./repositories";

export interface GitUse {
  readonly processes: number;
  /** The time in which at least one process ran. */
  readonly ms: number;
}

/** A program `git` that records the start and the end of each process, and runs the real one. */
export class RecordedGit {
  /** The environment in which programs find it. */
  readonly env: NodeJS.ProcessEnv;
  readonly #log: string;

  private constructor(private readonly dir: string) {
    this.#log = join(dir, "log");
    this.env = { ...benchEnv, PATH: [dir, benchEnv.PATH].join(delimiter) };
  }

  static async install(): Promise<RecordedGit> {
    const git = new RecordedGit(await mkdtemp(join(tmpdir(), "gauntlet-git-")));
    const lines = [
      "#!/usr/bin/env bash",
      "start=$EPOCHREALTIME",
      `"${findProgram({ name: "git" })}" "$@"`,
      "code=$?",
      `echo "$start $EPOCHREALTIME" >>"${git.#log}"`,
      "exit $code",
    ];
    await writeFile(join(git.dir, "git"), `${lines.join("\n")}\n`);
    await chmod(join(git.dir, "git"), 0o755);
    return git;
  }

  /** Returns the processes since the last call. */
  async take(): Promise<GitUse> {
    const text = await readFile(this.#log, "utf8");
    await rm(this.#log);
    const spans = text
      .trim()
      .split("\n")
      .map((line) => line.split(" ").map(Number) as [number, number])
      .sort(([a], [b]) => a - b);
    let [seconds, covered] = [0, 0];
    for (const [start, end] of spans) {
      seconds += Math.max(0, end - Math.max(start, covered));
      covered = Math.max(covered, end);
    }
    return { processes: spans.length, ms: 1_000 * seconds };
  }

  async remove(): Promise<void> {
    await rm(this.dir, { recursive: true });
  }
}
