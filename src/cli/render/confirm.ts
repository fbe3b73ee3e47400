/**
 * Prompts the user for yes or no, or for one of several letters. The terminal stays in line mode, so it does the
 * editing, and Ctrl-C sends a signal as usual.
 */
import { createInterface } from "node:readline";
import { withInterrupt, type CliContext } from "@/cli/context";
import { unlessAborted } from "@/common/abortable";

const FULL: Readonly<Record<string, string>> = { y: "yes", n: "no" };

/** Prompts for yes or no. Returns false on an interrupt and at the end of input. */
export async function confirm(question: string, context: CliContext): Promise<boolean> {
  return (await askFor(`${question} (y/n)`, ["y", "n"], context, "")) === "y";
}

/**
 * Prompts until the answer is one of these letters (or `yes` or `no`). Returns undefined on an interrupt, at the end of
 * input and if the terminal is closed.
 *
 * @param empty the answer of an empty line; an empty text if it is not valid
 */
export async function askFor(
  question: string,
  letters: readonly string[],
  context: CliContext,
  empty = letters[0] ?? ""
): Promise<string | undefined> {
  const { stdin, stdout } = context;
  return await withInterrupt(context, async (signal) => {
    const reader = createInterface({ input: stdin, terminal: false });
    const lines = reader[Symbol.asyncIterator]();
    try {
      while (!signal.aborted) {
        stdout.write(`${question}: `);
        const next = lines.next().then(
          ({ done, value }) => (done === true ? undefined : value),
          () => undefined
        );
        const line = await unlessAborted(next, signal);
        if (line === undefined) {
          stdout.write("\n");
          return undefined;
        }
        const answer = line.trim().toLowerCase() || empty;
        const letter = letters.find((one) => one === answer || FULL[one] === answer);
        if (letter !== undefined) return letter;
        stdout.write(
          `Please answer ${letters.slice(0, -1).join(", ")} or ${letters.at(-1) ?? ""}.\n`
        );
      }
      return undefined;
    } finally {
      reader.close();
    }
  });
}
