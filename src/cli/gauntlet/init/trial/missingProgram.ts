/** Recognizes that a starter did not find what it should start. Its exit code is then the one of a failing check. */
import type { ExecResult } from "@/node/runtime/HookRuntime";

/** What Python, npx, pnpm, yarn, bunx and rustup print. A failing import of Python has quotes around the name. */
const MISSING: readonly RegExp[] = [
  /: No module named [\w.]+$/,
  /npx canceled due to missing packages/,
  /^\s*ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\s+Command "[^"]+" not found$/,
  /^error Command "[^"]+" not found\.$/,
  /^error: Could not find an existing '[^']+' binary to run\b/,
  /^error: '[\w.-]+' is not installed for the toolchain /,
];
/** A longer line is not one of a starter. */
const MAX_COLUMNS = 300;

/** Returns the line that tells what is missing. */
export function missingProgram({ stdout, stderr }: ExecResult): string | undefined {
  const lines = `${stderr.text}\n${stdout.text}`.split(/\r?\n/);
  return lines
    .filter((line) => line.length <= MAX_COLUMNS && MISSING.some((said) => said.test(line)))
    .map((line) => line.trim())
    .at(0);
}
