/** The last step before a terminal: escapes control characters in all output, wherever the text is from (H20a). */
import type { CliContext, Output } from "@/cli/context";
import { terminalText } from "@/common/foreignText";

/** Wraps an output. Reads its size at each use, because a terminal can change it. */
export function terminalOutput(output: Output): Output {
  return {
    write: (text) => output.write(terminalText(text)),
    get isTTY() {
      return output.isTTY === true;
    },
    get columns() {
      return output.columns ?? 0;
    },
    get rows() {
      return output.rows ?? 0;
    },
    get destroyed() {
      return output.destroyed === true;
    },
  };
}

/** Returns the context with both outputs wrapped. */
export function withTerminalOutput(context: CliContext): CliContext {
  const outputs = {
    stdout: terminalOutput(context.stdout),
    stderr: terminalOutput(context.stderr),
  };
  // Getters of the context stay getters: standard input is opened at its first use.
  return Object.create(context, Object.getOwnPropertyDescriptors(outputs)) as CliContext;
}
