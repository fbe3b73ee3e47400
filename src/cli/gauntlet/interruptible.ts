import { signalExitCode, type CliContext } from "@/cli/context";
import type { ExitCode } from "@/cli/exitCodes";

/**
 * Runs an action and aborts its signal on an interrupt. Waits for the action to end, and then returns the exit code of
 * the first interrupt, if there was one (G28).
 */
export async function interruptible(
  { onInterrupt }: Pick<CliContext, "onInterrupt">,
  act: (signal: AbortSignal) => Promise<ExitCode>
): Promise<ExitCode> {
  const interrupt = new AbortController();
  const codes: ExitCode[] = [];
  const stopListening = onInterrupt((signal) => {
    codes.push(signalExitCode(signal));
    interrupt.abort(signal);
  });
  try {
    const code = await act(interrupt.signal);
    return codes[0] ?? code;
  } finally {
    stopListening();
  }
}
