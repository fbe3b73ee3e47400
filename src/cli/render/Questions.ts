import { createInterface, type Interface } from "node:readline";
import type { CliContext } from "@/cli/context";
import { unlessAborted } from "@/common/abort";

/**
 * Prompts for the user at a terminal. The terminal stays in line mode: it does the editing, and Ctrl-C sends a signal
 * as usual.
 */
export class Questions {
  readonly #reader: Interface;
  readonly #lines: AsyncIterator<string>;

  /** @param signal ends every prompt, like the end of input */
  constructor(
    private readonly context: Pick<CliContext, "stdin" | "stdout">,
    private readonly signal: AbortSignal
  ) {
    this.#reader = createInterface({ input: context.stdin, terminal: false });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Prompts until the answer is valid. Returns false at the end of input or if the signal is aborted. */
  async yesOrNo(question: string): Promise<boolean> {
    const { stdout } = this.context;
    while (!this.signal.aborted) {
      stdout.write(`${question} (y/n): `);
      const line = await unlessAborted(this.#next(), this.signal);
      if (line === undefined) {
        stdout.write("\n");
        return false;
      }
      const answer = line.trim().toLowerCase();
      if (answer === "y" || answer === "yes") return true;
      if (answer === "n" || answer === "no") return false;
      stdout.write(`Please answer y or n.\n`);
    }
    return false;
  }

  close(): void {
    this.#reader.close();
  }

  /** Returns the next line, or undefined at the end of input or if the terminal was closed. */
  async #next(): Promise<string | undefined> {
    return await this.#lines.next().then(
      ({ done, value }) => (done === true ? undefined : value),
      () => undefined
    );
  }
}
