/**
 * Writes the output of a run to `console.N.log` and its result to `report.N.json`, beside the logs of its gates, and
 * maps the paths of logs that a clean moved (G15a).
 */
import { posix } from "node:path";
import type { Files } from "@/node/runtime/HookRuntime";
import type { RunEvent, RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { eventLines } from "@/node/services/gauntlet/report/eventLines";
import * as runFiles from "@/node/services/gauntlet/state/runFiles";

export class RunLog {
  /** Absolute. */
  readonly path: string;
  /** Lines that were emitted while earlier lines were being written. Keeps them in order. */
  #unwritten = "";
  #writing: Promise<void> | undefined;

  constructor(
    private readonly files: Files,
    private readonly logDir: string,
    private readonly run: number
  ) {
    this.path = posix.join(logDir, runFiles.consoleLogName(run));
  }

  onEvent(event: RunEvent): void {
    const text = eventLines(event)
      .map((line) => `${line}\n`)
      .join("");
    if (text === "") return;
    this.#unwritten += text;
    this.#writing ??= this.#write();
  }

  /** Writes the report. Resolves when both files are written. */
  async close(result: RunResult): Promise<void> {
    this.onEvent({ type: "run-end", result });
    const path = posix.join(this.logDir, runFiles.reportName(this.run));
    const report = `${JSON.stringify(result)}\n`;
    await Promise.all([this.#writing, this.files.writeFile(path, report, { isDisposable: true })]);
  }

  async #write(): Promise<void> {
    while (this.#unwritten !== "") {
      const text = this.#unwritten;
      this.#unwritten = "";
      await this.files.appendFile(this.path, text);
    }
    this.#writing = undefined;
  }
}

/** Returns the path of a log after a clean moved it to `previous/` (G15a). */
export function inPrevious(path: string, logDir: string): string {
  return posix.join(logDir, runFiles.PREVIOUS_FOLDER, posix.basename(path));
}

/** Returns a result with the paths of its logs after a clean. */
export function movedLog(gate: GateResult, logDir: string): GateResult {
  const moved = (path: string | undefined) => path && inPrevious(path, logDir);
  return {
    ...gate,
    logPath: moved(gate.logPath),
    findingsPath: moved(gate.findingsPath),
    slots: gate.slots?.map((slot) => ({
      ...slot,
      logPath: moved(slot.logPath),
      jsonPath: moved(slot.jsonPath),
    })),
  };
}
