import type { Readable } from "node:stream";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import { releaseBuffer } from "@/node/runtime/process/releaseBuffer";
import type { ProgramOutput } from "@/node/runtime/process/output/programOutput";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import type { CapturedOutput } from "@/node/runtime/HookRuntime";
import { readBytes } from "@/node/runtime/process/output/readBytes";

/**
 * Keeps the start and the end of both streams in memory (H20). Drops output printed while the program is being ended.
 */
export class HeadTailBuffer implements ProgramOutput {
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  #listening = true;

  constructor(keepBytes: number | undefined) {
    this.#stdout = new OutputCapture(keepBytes);
    this.#stderr = new OutputCapture(keepBytes);
  }

  listen({ stdout, stderr }: ProcessGroup): void {
    this.#take(stdout, this.#stdout);
    this.#take(stderr, this.#stderr);
  }

  programEnds(how: "exited" | "stopped"): boolean {
    this.#listening = how === "exited";
    return this.#listening;
  }

  close(): Promise<{ stdout: CapturedOutput; stderr: CapturedOutput }> {
    return Promise.resolve({ stdout: this.#stdout.read(), stderr: this.#stderr.read() });
  }

  #take(pipe: Readable, capture: OutputCapture): void {
    readBytes(pipe, (chunk) => {
      if (this.#listening) capture.push(chunk);
      releaseBuffer(chunk);
    });
  }
}
