/**
 * Recognizes failures of the connection to another machine (H35). `ConnectedReads` reads files of a machine, and sends
 * no more requests after the first such failure.
 */
import { err, type Result } from "neverthrow";
import type * as port from "@/node/runtime/HookRuntime";

/** The codes that remote runtimes give to failures of the connection. */
const LOST: ReadonlySet<string> = new Set([
  "ELOST",
  "EAUTH",
  "ECONFIG",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTKEY",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "ETIMEDOUT",
]);

/** Returns whether a failure is one of the connection, not of the file. */
export function isLost({ code }: Pick<port.FileFailure, "code">): boolean {
  return LOST.has(code);
}

/** Returns the connection's error message if a program was not started, or its end is unknown, because of it. */
export function lostWith(end: port.ExecEnd | undefined): string | undefined {
  if (end?.kind === "lost") return end.message;
  return end?.kind === "notStarted" && LOST.has(end.code ?? "") ? end.message : undefined;
}

/**
 * Access to the files of one machine during one operation. Sends no more requests once the connection is lost, because
 * each would wait as long for the same failure.
 */
export class ConnectedReads implements Pick<port.Files, "stat" | "readFile" | "list"> {
  #lost: port.FileFailure | undefined;

  constructor(private readonly files: Pick<port.Files, "stat" | "readFile" | "list">) {}

  /** Set once the connection is lost. */
  get lost(): port.FileFailure | undefined {
    return this.#lost;
  }

  async stat(paths: readonly string[]): Promise<readonly port.FileStat[]> {
    const failure = this.#lost;
    if (failure !== undefined) return paths.map(() => ({ kind: "failed", failure }));
    const stats = await this.files.stat(paths);
    for (const stat of stats) {
      if (stat.kind !== "failed") continue;
      // A missing file is not a failure, so ENOENT means that the connection's client is missing.
      if (stat.failure.code === "ENOENT" || isLost(stat.failure)) this.#lost ??= stat.failure;
    }
    return stats;
  }

  async readFile(
    path: string,
    options: port.ReadOptions
  ): Promise<Result<Uint8Array, port.FileFailure>> {
    return await this.#unlessLost(() => this.files.readFile(path, options));
  }

  async list(path: string): Promise<Result<readonly string[], port.FileFailure>> {
    return await this.#unlessLost(() => this.files.list(path));
  }

  async #unlessLost<T>(
    ask: () => Promise<Result<T, port.FileFailure>>
  ): Promise<Result<T, port.FileFailure>> {
    if (this.#lost !== undefined) return err(this.#lost);
    const answer = await ask();
    if (answer.isErr() && isLost(answer.error)) this.#lost ??= answer.error;
    return answer;
  }
}
