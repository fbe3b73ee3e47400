import { createInterface, type Interface } from "node:readline";
import type { CliContext } from "@/cli/context";
import { unlessAborted } from "@/common/abort";

/**
 * Questions to the person at a terminal. The terminal stays in its own line mode: it does the editing, and Ctrl-C is
 * the signal that it always is.
 */
export class Questions {
  readonly #reader: Interface;
  readonly #lines: AsyncIterator<string>;

  /** @param signal ends every question, as the end of input does */
  constructor(
    private readonly context: Pick<CliContext, "stdin" | "stdout">,
    private readonly signal: AbortSignal
  ) {
    this.#reader = createInterface({ input: context.stdin, terminal: false });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** Asks until there is an answer; no answer is a no. */
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
      stdout.write("Please answer y or n.\n");
    }
    return false;
  }

  close(): void {
    this.#reader.close();
  }

  /** Nothing at the end of input, and where the terminal has gone away. */
  async #next(): Promise<string | undefined> {
    return await this.#lines.next().then(
      ({ done, value }) => (done === true ? undefined : value),
      () => undefined
    );
  }
}
