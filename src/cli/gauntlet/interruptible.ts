import { signalExitCode, type CliContext } from "@/cli/context";
import type { GauntletExitCode } from "@/cli/gauntlet/exitCodes";

/**
 * Runs an action that a signal aborts. The action ends in its own time, and then the signal's exit code counts (G28).
 */
export async function interruptible(
  { onInterrupt }: Pick<CliContext, "onInterrupt">,
  act: (signal: AbortSignal) => Promise<GauntletExitCode>
): Promise<GauntletExitCode> {
  const interrupt = new AbortController();
  const codes: GauntletExitCode[] = [];
  const stopListening = onInterrupt((signal) => {
    codes.push(signalExitCode(signal));
    interrupt.abort();
  });
  try {
    const code = await act(interrupt.signal);
    return codes[0] ?? code;
  } finally {
    stopListening();
  }
}
