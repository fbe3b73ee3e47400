import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { MAX_LIVE_CHARS } from "@/common/limits";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import { releaseBuffer } from "@/node/runtime/process/releaseBuffer";
import type { ProgramOutput } from "@/node/runtime/process/output/programOutput";
import type { ProcessGroup } from "@/node/runtime/process/spawnGroup";
import type { CapturedOutput, ExecRequest } from "@/node/runtime/HookRuntime";
import { readBytes } from "@/node/runtime/process/output/readBytes";

/**
 * Keeps the start and the end of both streams in memory (H20). Drops output printed while the program is being ended.
 */
export class HeadTailBuffer implements ProgramOutput {
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  #listening = true;

  constructor(
    keepBytes: number | undefined,
    private readonly onOutput?: ExecRequest["onOutput"]
  ) {
    this.#stdout = new OutputCapture(keepBytes);
    this.#stderr = new OutputCapture(keepBytes);
  }

  listen({ stdout, stderr }: ProcessGroup): void {
    this.#take(stdout, this.#stdout, this.#viewer(false));
    this.#take(stderr, this.#stderr, this.#viewer(true));
  }

  programEnds(how: "exited" | "stopped"): boolean {
    this.#listening = how === "exited";
    return this.#listening;
  }

  close(): Promise<{ stdout: CapturedOutput; stderr: CapturedOutput }> {
    return Promise.resolve({ stdout: this.#stdout.read(), stderr: this.#stderr.read() });
  }

  #take(pipe: Readable, capture: OutputCapture, view?: (chunk: Buffer) => void): void {
    readBytes(pipe, (chunk) => {
      if (this.#listening) {
        capture.push(chunk);
        view?.(chunk);
      }
      releaseBuffer(chunk);
    });
  }

  /** Returns a function that passes the beginning of a stream on as text. */
  #viewer(isError: boolean): ((chunk: Buffer) => void) | undefined {
    const { onOutput } = this;
    if (onOutput === undefined) return undefined;
    const decoder = new StringDecoder("utf8");
    let left = MAX_LIVE_CHARS;
    return (chunk) => {
      if (left <= 0) return;
      const text = decoder.write(chunk).slice(0, left);
      left -= text.length;
      if (text !== "") onOutput(text, isError);
    };
  }
}
