import { createInterface, type Interface } from "node:readline";
import type { CliContext } from "@/cli/context";
import { unlessAborted } from "@/common/abort";

const FULL: Readonly<Record<string, string>> = { y: "yes", n: "no" };

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

  /** Returns false at the end of input or if the signal is aborted. */
  async yesOrNo(question: string): Promise<boolean> {
    return (await this.oneOf(`${question} (y/n)`, ["y", "n"])) === "y";
  }

  /**
   * Prompts until the answer begins with one of these letters. Returns undefined at the end of input or if the signal is
   * aborted.
   *
   * @param empty the answer of an empty line; absent if it is not valid
   */
  async oneOf(
    question: string,
    letters: readonly string[],
    empty?: string
  ): Promise<string | undefined> {
    const { stdout } = this.context;
    while (!this.signal.aborted) {
      stdout.write(`${question}: `);
      const line = await unlessAborted(this.#next(), this.signal);
      if (line === undefined) {
        stdout.write("\n");
        return undefined;
      }
      const answer = line.trim().toLowerCase() || (empty ?? "");
      const letter = letters.find((one) => one === answer || FULL[one] === answer);
      if (letter !== undefined) return letter;
      stdout.write(
        `Please answer ${letters.slice(0, -1).join(", ")} or ${letters.at(-1) ?? ""}.\n`
      );
    }
    return undefined;
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
