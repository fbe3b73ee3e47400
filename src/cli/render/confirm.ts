/** Confirmation at the terminal. */
import type { CliContext } from "@/cli/context";
import { Questions } from "@/cli/render/Questions";

/** Prompts for yes or no. Returns false on an interrupt and at the end of input. */
export async function confirm(question: string, context: CliContext): Promise<boolean> {
  const interrupt = new AbortController();
  const stopListening = context.onInterrupt(() => {
    interrupt.abort();
  });
  const questions = new Questions(context, interrupt.signal);
  try {
    return await questions.yesOrNo(question);
  } finally {
    stopListening();
    questions.close();
  }
}
