/** Finds the failures of `go test`, whose lines name a file without its folder. */
import {
  MAX_RAW_FINDINGS,
  positionOf,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/rawFinding";

const FAILED_TEST = /^\s*--- FAIL: (\S+)/;
const LOGGED = /^\s+([^\s:][^\s:]*\.go):(\d+): (.*)$/;
/** The result of a package ends its lines. */
const PACKAGE = /^(?:FAIL|ok)\s+(\S+)\s+(?:\d|\(cached\)|\[)/;
const PANIC = /^panic: (.*)$/;
/** A frame of a stack trace, below the name of its function. */
const FRAME = /^\t(\/[^:]*\.go):(\d+)(?: \+0x[0-9a-f]+)?$/;
const RUNTIME_FRAME = /\/src\/(?:runtime|testing)\//;

export function goTestFailures(lines: readonly string[]): RawFinding[] {
  const found: RawFinding[] = [];
  let pending: RawFinding[] = [];
  let test: string | undefined;
  let panic: string | undefined;
  for (const line of lines) {
    if (found.length + pending.length >= MAX_RAW_FINDINGS) break;
    const goPackage = PACKAGE.exec(line)?.[1];
    if (goPackage !== undefined) {
      found.push(...pending.map((one) => ({ ...one, goPackage })));
      [pending, test, panic] = [[], undefined, undefined];
      continue;
    }
    const failed = FAILED_TEST.exec(line)?.[1];
    if (failed !== undefined) test = failed;
    panic ??= PANIC.exec(line)?.[1];
    const frame = panic === undefined ? undefined : FRAME.exec(line);
    if (panic !== undefined && frame && !RUNTIME_FRAME.test(line)) {
      pending.push(problem(frame, test, `panic: ${panic}`));
      panic = undefined;
    }
    // Lines of tests that passed are only printed with -v, before or after the name of the test.
    const logged = test === undefined ? undefined : LOGGED.exec(line);
    if (logged) pending.push(problem(logged, test, logged[3] ?? ""));
    if (/^=== RUN|^\s*--- (?:PASS|SKIP)/.test(line)) test = undefined;
  }
  return [...found, ...pending];
}

function problem(
  [, file, line]: RegExpExecArray,
  test: string | undefined,
  message: string
): RawFinding {
  return {
    ...(file === undefined ? {} : { file }),
    line: positionOf(line) ?? 1,
    severity: "error",
    ...(test === undefined ? {} : { rule: test }),
    message,
  };
}
