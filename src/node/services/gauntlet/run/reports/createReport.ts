/**
 * Collects the content of a run's report for all formats (G50): the findings with fingerprints, those on changed lines
 * first; all violations; the history of the checks; and the texts that stops sent to the agent. Also determines the
 * changed lines with git, and has the names of outcomes and the escaping of HTML and XML that formats share.
 */
import { posix } from "node:path";
import { sha256 } from "@/common/hash";
import { KIB, MIB } from "@/common/limits";
import { visible } from "@/common/safeText";
import { readText } from "@/node/runtime/fileContents";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { placeOf } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { CheckCache } from "@/node/services/gauntlet/gates/CheckCache";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { identify, keyOf, readLines } from "@/node/services/gauntlet/known/failureIdentity";
import { parseDiff } from "@/node/services/gauntlet/known/sinceRecord";
import { lineRange } from "@/node/services/gauntlet/reviews/violations/reconcileViolations";
import { readResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/runRepository";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import * as runFiles from "@/node/services/gauntlet/state/runFiles";

/** A finding of a check, or a violation of a review. */
export interface ReportedFinding extends Finding {
  /** The job, such as `check:src:lint`. */
  readonly gate: string;
  /** The same for the same problem in another run, also if it moved (G43). */
  readonly fingerprint: string;
  readonly onChangedLine: boolean;
}

export interface Report extends Pick<ReportedRun, "result" | "startedAt" | "durationMs"> {
  /** Those on changed lines first; else in the order of the gates. */
  readonly findings: readonly ReportedFinding[];
  readonly violations: readonly ReportedViolation[];
  /** How each check ended in its last runs, by job ID, the latest last (G36). */
  readonly history: ReadonlyMap<string, readonly string[]>;
  /** The texts that the agent got at the stops since the last clean, the latest last. */
  readonly sent: readonly { readonly run: number; readonly text: string }[];
}

/** A violation in the JSON of a review, with what the agent did about it. */
export interface ReportedViolation {
  readonly gate: string;
  /** The number of the review's slot. */
  readonly slot: number;
  readonly place: string;
  readonly issue: string;
  readonly fix: string;
  readonly status: string;
  readonly reason: string;
}

export interface ReportedRun
  extends
    Pick<RunOptions, "runtime" | "projectDir" | "baseBranch" | "scope">,
    Required<Pick<RunOptions, "logDir" | "env">> {
  readonly result: RunResult;
  readonly startedAt: Date;
  /** Absent if it is not known. */
  readonly durationMs?: number;
  /** Absent if it is invalid. */
  readonly config?: GauntletConfig | undefined;
}

const MAX_DIFF_BYTES = 32 * MIB;
const MAX_SENT = 20;
const MAX_SENT_BYTES = 64 * KIB;

export async function createReport(run: ReportedRun): Promise<Report> {
  const { runtime, logDir, result, startedAt, durationMs } = run;
  const [cache, sent, byGate] = await Promise.all([
    CheckCache.open(runtime, posix.join(logDir, runFiles.CHECK_CACHE_FILE)),
    readSent(run),
    Promise.all(result.gates.map(async (gate) => ({ gate, ...(await findingsOf(run, gate)) }))),
  ]);
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
  const ordered = findings.sort((a, b) => Number(b.onChangedLine) - Number(a.onChangedLine));
  const violations = byGate.flatMap((gate) => gate.violations);
  const history = new Map(
    cache.history.entries.map(([id, { outcomes }]) => [id, outcomes.map(([, outcome]) => outcome)])
  );
  return { result, findings: ordered, violations, history, sent, startedAt, durationMs };
}

/** Reads the reasons of the stops that are in the folder of the run's files. */
async function readSent({ runtime, result }: ReportedRun): Promise<Report["sent"]> {
  if (result.consoleLogPath === undefined) return [];
  const folder = posix.dirname(result.consoleLogPath);
  const last = runFiles.runNumberOf(posix.basename(result.consoleLogPath)) ?? 0;
  const names = (await runFiles.listFolder(runtime, folder)).unwrapOr([]);
  const runs = names.flatMap((name) => {
    const run = runFiles.runNumberOf(name) ?? Infinity;
    return name === runFiles.reasonName(run) && run <= last ? [run] : [];
  });
  const read = runs
    .sort((a, b) => a - b)
    .slice(-MAX_SENT)
    .map(async (run) => {
      const path = posix.join(folder, runFiles.reasonName(run));
      return { run, text: (await readText(runtime, path, { maxBytes: MAX_SENT_BYTES })) ?? "" };
    });
  return await Promise.all(read);
}

/** Returns the findings of a check, or the unresolved violations of a review. */
async function findingsOf(
  { runtime }: ReportedRun,
  gate: GateResult
): Promise<{ readonly found: Finding[]; readonly violations: ReportedViolation[] }> {
  const read = (gate.slots ?? []).map(async ({ jsonPath, slot }) => {
    const file = jsonPath === undefined ? undefined : await readResultFile(runtime, jsonPath);
    return file?.kind === "read" ? file.entries.map((entry) => ({ entry, slot })) : [];
  });
  const text = (value: unknown): string => (typeof value === "string" ? visible(value) : "");
  const entries = (await Promise.all(read)).flat().map(({ entry, slot }) => {
    const { file, line, priority } = entry;
    const finding: Finding = {
      file: typeof file === "string" ? visible(file) : undefined,
      line: lineRange(typeof line === "number" || typeof line === "string" ? line : null)?.[0],
      severity: priority === "critical" || priority === "high" ? "error" : "warning",
      rule: typeof priority === "string" ? `review/${visible(priority)}` : undefined,
      message: text(entry.issue),
    };
    const violation = {
      ...{ gate: gate.jobId, slot, place: placeOf(finding), issue: finding.message },
      ...{ fix: text(entry.fix), status: text(entry.status), reason: text(entry.result) },
    };
    return { finding, violation };
  });
  const unresolved = entries.filter(
    ({ violation: { status } }) => status !== "skipped" && status !== "fixed"
  );
  return {
    found: [...(gate.findings ?? []), ...unresolved.map(({ finding }) => finding)],
    violations: entries.map(({ violation }) => violation),
  };
}

/**
 * Returns a function that tests whether a finding is on a line that changed since the base or, without a line, in a
 * file that changed. Without a base, every line counts as changed.
 */
async function changedLines(run: ReportedRun): Promise<(finding: Finding) => boolean> {
  const { runtime, projectDir: cwd, config, scope } = run;
  const opened =
    scope === undefined && config !== undefined
      ? await openRunRepository(run, config, false)
      : undefined;
  const base =
    scope?.kind === "commit"
      ? `${scope.commit}^`
      : scope?.kind === "uncommitted"
        ? "HEAD"
        : opened?.map(({ baseCommit }) => baseCommit).unwrapOr(undefined);
  if (base === undefined) return () => true;
  const quiet = ["--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--find-renames"];
  const args = ["diff", ...quiet, "--unified=0", "--src-prefix=a/", "--dst-prefix=b/", base, "--"];
  const untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
  const limits = { cwd, keepBytes: MAX_DIFF_BYTES, mayBeCut: true };
  const [diff, others] = await Promise.all([
    runGit(runtime, { ...limits, args }),
    runGit(runtime, { ...limits, args: untracked }),
  ]);
  // The first commit has no parent.
  if (diff.isErr()) return () => true;
  const { added } = parseDiff(diff.value);
  const isNew = new Set(others.unwrapOr("").split("\0").slice(0, -1));
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
