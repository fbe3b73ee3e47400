/** Texts of the command `known` (G44). */
import { ownCommand } from "@/common/ownCommand";
import { plural, visible } from "@/common/text";

export const ALL_PASS = "No check fails, so there is nothing to record.\n";

export function running(jobId: string, command: string): string {
  return `Running ${visible(jobId)} twice: ${visible(command)}`;
}

export function passes(name: string): string {
  return `${name} passes`;
}

export function recorded(
  name: string,
  { count, flaky, commit }: { count: number; flaky: number; commit: string },
  path: string
): string {
  const also =
    flaky === 0 ? "" : `, and ${plural(flaky, "flaky failure")} that will be tried again`;
  return `${name}: ${plural(count, "failure")} of commit ${commit.slice(0, 10)} recorded${also} (${path}); an agent is sent back only for new ones`;
}

export function notRecorded(name: string, why: string): string {
  return `${name} fails, but its failures are not recorded: ${why}`;
}

/** Why `init` records nothing. */
export function notInAgent(variable: string): string {
  return `Failures that exist today are not recorded, because ${variable} is set, so an agent may have started this. Run "${ownCommand()} known record" in a terminal.`;
}

export function recording(count: number): string {
  return `\nRunning ${plural(count, "check")} twice to record the failures of today (at most 5 minutes; Ctrl-C ends it):`;
}

export const NO_RECORDS = "No failures are recorded.";

export function recordHeading(
  {
    check,
    at,
    commit,
    isShared,
    isTrusted,
  }: { check: string; at: string; commit: string; isShared: boolean; isTrusted: boolean },
  path: string
): string {
  const kind = isShared ? "shared" : "local";
  const doubt = isTrusted ? "" : "; it does not count, because this command did not write it";
  return `${visible(check)} (${kind}, recorded on ${at} at ${commit.slice(0, 10)}${doubt}): ${path}`;
}

interface Failure {
  readonly file?: string | undefined;
  readonly test?: string | undefined;
  readonly rule?: string | undefined;
  readonly message?: string | undefined;
  readonly line?: string | undefined;
  readonly nth?: number | undefined;
  readonly flaky?: boolean | undefined;
}

export function failureLine(failure: Failure, isFixed: boolean): string {
  const { file, test, rule, message, line, nth, flaky } = failure;
  const parts = [file, test ?? rule ?? message ?? line, nth === undefined ? undefined : `(${nth})`];
  const text = parts.filter((part) => part !== undefined).join(" ");
  const state = flaky === true ? " (flaky)" : isFixed ? " (no longer occurs)" : "";
  return `  ${visible(text)}${state}`;
}

export function pruned(check: string, count: number): string {
  return `${visible(check)}: ${plural(count, "failure")} removed that no longer ${count === 1 ? "occurs" : "occur"}`;
}

export function cleared(check: string, path: string): string {
  return `${visible(check)}: removed ${path}`;
}
