/** Wraps the outputs of a command so that control characters are escaped, wherever the text is from (H20a). */
import type { CliContext, Output } from "@/cli/context";
import { terminalText, visible } from "@/common/safeText";

/**
 * Wraps an output. Reads its size at each use, because a terminal can change it.
 *
 * @param folder a path whose names are escaped too, because a line break in a name would look like the end of a line
 */
export function terminalOutput(output: Output, folder = ""): Output {
  const names = folder.split("/").filter((name) => visible(name) !== name);
  return {
    write: (text) => output.write(terminalText(names.reduce(escapeName, text))),
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

function escapeName(text: string, name: string): string {
  return text.replaceAll(name, () => visible(name));
}

/** Returns the context with both outputs wrapped. */
export function withTerminalOutput(context: CliContext): CliContext {
  const outputs = {
    stdout: terminalOutput(context.stdout, context.cwd),
    stderr: terminalOutput(context.stderr, context.cwd),
  };
  // Getters of the context stay getters: standard input is opened at its first use.
  return Object.create(context, Object.getOwnPropertyDescriptors(outputs)) as CliContext;
}
