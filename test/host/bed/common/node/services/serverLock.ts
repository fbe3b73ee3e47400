/** The lock file of a user's only server, by which other servers and the extensions of editors find it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class ServerLock {
  readonly #file: string;

  constructor(rootDir: string) {
    this.#file = join(rootDir, "server.lock");
  }

  /** @throws if another server runs */
  refuseSecond(): void {
    let holder: { pid: number; baseUrl: string };
    try {
      holder = JSON.parse(readFileSync(this.#file, "utf8")) as typeof holder;
      process.kill(holder.pid, 0);
    } catch {
      return;
    }
    throw new Error(`API server is already running at ${holder.baseUrl}`);
  }

  acquire(baseUrl: string, token: string): void {
    const lock = { pid: process.pid, baseUrl, token, startedAt: new Date().toISOString() };
    writeFileSync(this.#file, JSON.stringify(lock), { mode: 0o600 });
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}
