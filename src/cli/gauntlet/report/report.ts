/** What a report of a run contains, independent of its format (G50). */
import { sha256 } from "@/common/hash";
import { MIB } from "@/common/limits";
import { visible } from "@/common/text";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { identify, keyOf } from "@/node/services/gauntlet/known/identity";
import { readLines } from "@/node/services/gauntlet/known/lineText";
import { parseDiff } from "@/node/services/gauntlet/known/sinceRecord";
import { readResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";

/** A finding of a check, or a violation of a review. */
export interface ReportedFinding extends Finding {
  /** The job, such as `check:src:lint`. */
  readonly gate: string;
  /** The same for the same problem in another run, also if it moved (G43). */
  readonly fingerprint: string;
  readonly onChangedLine: boolean;
}

export interface Report {
  readonly result: RunResult;
  /** Those on changed lines first; else in the order of the gates. */
  readonly findings: readonly ReportedFinding[];
  readonly startedAt: Date;
  /** Absent if it is not known. */
  readonly durationMs?: number | undefined;
}

export interface ReportedRun {
  readonly runtime: HookRuntime;
  readonly projectDir: string;
  readonly result: RunResult;
  readonly startedAt: Date;
  readonly durationMs?: number;
  /** Returns the commit that the changes are compared with. Without one, every line counts as changed. */
  readonly findBase: () => Promise<string | undefined>;
}

const MAX_DIFF_BYTES = 32 * MIB;

export async function createReport(run: ReportedRun): Promise<Report> {
  const { result, startedAt, durationMs } = run;
  const byGate = await Promise.all(
    result.gates.map(async (gate) => ({ gate, found: await findingsOf(run, gate) }))
  );
  const all = byGate.flatMap(({ found }) => found);
  const lineText = await readLines(run, all);
  const isChanged = all.length === 0 ? () => false : await changedLines(run);
  const findings = byGate.flatMap(({ gate, found }) => {
    const keys = new Map(
      identify(found, lineText).map(({ finding, failure }) => [finding, keyOf(failure)])
    );
    return found.map((finding) => ({
      ...finding,
      gate: gate.jobId,
      // A note has no identity of its own.
      fingerprint: sha256(`${gate.jobId}\n${keys.get(finding) ?? JSON.stringify(finding)}`, 32),
      onChangedLine: isChanged(finding),
    }));
  });
  const ordered = [
    ...findings.filter(({ onChangedLine }) => onChangedLine),
    ...findings.filter(({ onChangedLine }) => !onChangedLine),
  ];
  return { result, findings: ordered, startedAt, durationMs };
}

/** Returns the findings of a check, or the unresolved violations of a review. */
async function findingsOf({ runtime }: ReportedRun, gate: GateResult): Promise<Finding[]> {
  const paths = (gate.slots ?? []).flatMap(({ jsonPath }) => jsonPath ?? []);
  const files = await Promise.all(paths.map((path) => readResultFile(runtime, path)));
  const entries = files.flatMap((read) => (read.kind === "read" ? read.entries : []));
  const violations = entries
    .filter(({ status }) => status !== "skipped" && status !== "fixed")
    .map(({ file, line, issue, priority }): Finding => {
      const number = Number(line);
      return {
        file: typeof file === "string" ? visible(file) : undefined,
        line: Number.isSafeInteger(number) && number > 0 ? number : undefined,
        severity: priority === "critical" || priority === "high" ? "error" : "warning",
        rule: typeof priority === "string" ? `review/${visible(priority)}` : undefined,
        message: typeof issue === "string" ? visible(issue) : "",
      };
    });
  return [...(gate.findings ?? []), ...violations];
}

/** Returns whether a finding is on a line that changed since the base. One without a line is, if its file changed. */
async function changedLines({
  runtime,
  projectDir: cwd,
  findBase,
}: ReportedRun): Promise<(finding: Finding) => boolean> {
  const base = await findBase();
  if (base === undefined) return () => true;
  const quiet = ["--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--find-renames"];
  const args = ["diff", ...quiet, "--unified=0", "--src-prefix=a/", "--dst-prefix=b/", base, "--"];
  const untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
  const limits = { cwd, keepBytes: MAX_DIFF_BYTES, mayBeCut: true };
  const [diff, others] = await Promise.all([
    execGit(runtime, { ...limits, args }),
    execGit(runtime, { ...limits, args: untracked }),
  ]);
  const { added } = parseDiff(diff.map(({ stdout }) => stdout).unwrapOr(""));
  const isNew = new Set(others.map(({ stdout }) => stdout.split("\0")).unwrapOr([]));
  return ({ file = "", line }) =>
    isNew.has(file) || (line === undefined ? added.has(file) : added.get(file)?.has(line) === true);
}

/** Returns a word for the result of a gate. */
export function outcomeWord({ outcome, cachedSince }: GateResult): string {
  if (cachedSince !== undefined) return "cached";
  if (outcome === "known") return "older failures only";
  return outcome.replace("_", " ");
}

/** Escapes text for XML and HTML, and replaces characters that XML cannot have. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
