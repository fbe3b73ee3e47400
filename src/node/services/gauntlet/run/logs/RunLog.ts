/** `console.N.log` and `report.N.json`: a run's output, stored with the logs of its gates. */
import { posix } from "node:path";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { plainLines } from "@/node/services/gauntlet/report/plainLines";
import { consoleLogName, reportName } from "@/node/services/gauntlet/state/runFiles";
import type { Files } from "@/node/runtime/HookRuntime";

export class RunLog {
  /** Absolute. */
  readonly path: string;
  readonly #files: Files;
  readonly #reportPath: string;
  /** Lines that were emitted while earlier lines were being written. Keeps them in order. */
  #unwritten = "";
  #writing: Promise<void> | undefined;

  constructor(files: Files, logDir: string, run: number) {
    this.#files = files;
    this.path = posix.join(logDir, consoleLogName(run));
    this.#reportPath = posix.join(logDir, reportName(run));
  }

  onEvent(event: RunEvent): void {
    const text = plainLines(event)
      .map((line) => `${line}\n`)
      .join("");
    if (text === "") return;
    this.#unwritten += text;
    this.#writing ??= this.#write();
  }

  /** Writes the report. Resolves when both files are written. */
  async close(result: RunResult): Promise<void> {
    this.onEvent({ type: "run-end", result });
    const report = `${JSON.stringify(result)}\n`;
    const options = { isDisposable: true };
    await Promise.all([this.#writing, this.#files.writeFile(this.#reportPath, report, options)]);
  }

  async #write(): Promise<void> {
    while (this.#unwritten !== "") {
      const text = this.#unwritten;
      this.#unwritten = "";
      await this.#files.appendFile(this.path, text);
    }
    this.#writing = undefined;
  }
}
