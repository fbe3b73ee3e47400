/** Confirmation at the terminal. */
import type { CliContext } from "@/cli/context";
import { Questions } from "@/cli/render/Questions";

/** Prompts for yes or no. Returns false on an interrupt and at the end of input. */
export async function confirm(question: string, context: CliContext): Promise<boolean> {
  return (await askFor(`${question} (y/n)`, ["y", "n"], context, "")) === "y";
}

/** Prompts for one of these letters; an empty line is the first. Returns undefined on an interrupt and at the end of input. */
export async function askFor(
  question: string,
  letters: readonly string[],
  context: CliContext,
  empty = letters[0]
): Promise<string | undefined> {
  const interrupt = new AbortController();
  const stopListening = context.onInterrupt(() => {
    interrupt.abort();
  });
  const questions = new Questions(context, interrupt.signal);
  try {
    return await questions.oneOf(question, letters, empty);
  } finally {
    stopListening();
    questions.close();
  }
}
