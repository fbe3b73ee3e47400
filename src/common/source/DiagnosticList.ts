/**
 * Collects the problems of configuration files with their positions, for each file in the order in which they are found
 * (H5, G5). Beyond a limit for each file it only counts them (H20a).
 */
import type * as z from "zod/mini";
import {
  fileDiagnostic,
  SEVERITIES,
  type LocatedDiagnostic,
  type Severity,
} from "@/common/diagnostics";
import { MAX_DIAGNOSTICS } from "@/common/limits";
import { plural } from "@/common/safeText";
import type { KeyPath, SourceRange, Span } from "@/common/source/SourceFile";
import { formatKeyPath, type SourceNode } from "@/common/source/SourceNode";

interface FileProblems {
  readonly found: LocatedDiagnostic[];
  leftOut: number;
  /** The highest severity of those that are left out. */
  severity: Severity;
}

export class DiagnosticList {
  readonly #perFile = new Map<string, FileProblems>();

  /** `strict`: an unknown key is an error, as in `agent-gauntlet validate`. */
  constructor(readonly strict = false) {}

  get all(): readonly LocatedDiagnostic[] {
    return [...this.#perFile.values()].flatMap(({ found, leftOut, severity }) => {
      const last = found.at(-1);
      if (leftOut === 0 || last === undefined) return found;
      const message = `and ${plural(leftOut, "further problem")} in this file`;
      return [...found, { ...last, severity, keyPath: "", length: 0, message }];
    });
  }

  get hasErrors(): boolean {
    return this.all.some(({ severity }) => severity === "error");
  }

  /** Adds a problem. `below` names a key under `at` that does not exist. */
  add(severity: Severity, at: SourceRange, message: string, ...below: KeyPath): void {
    const { source } = at;
    const found = this.#withRoom(severity, source.file);
    if (found === undefined) return;
    const keyPath = formatKeyPath([...at.path, ...below], source.format);
    found.push({ severity, file: source.file, ...source.locate(at.span), keyPath, message });
  }

  /** Adds a problem that concerns a whole file. */
  addFile(severity: Severity, file: string, message: string): void {
    const problem = fileDiagnostic(severity, file, message);
    this.#withRoom(severity, file)?.push({ ...problem, length: 0, sourceLine: "" });
  }

  /**
   * Adds a problem, with the expected and the actual value, for each issue that a schema found in `node`.
   *
   * @param explain returns the end of a message; `found` is undefined if the value is missing
   */
  addIssues(
    severity: Severity,
    node: SourceNode,
    issues: readonly z.core.$ZodIssue[],
    explain: (issue: z.core.$ZodIssue, found: SourceNode | undefined) => string
  ): void {
    const { source } = node;
    for (const issue of issues) {
      if (this.#withRoom(severity, source.file) === undefined) continue;
      const { span, found } = descend(node, issue.path, node.span);
      const expected = describeExpected(issue);
      const what =
        found === undefined ? `missing: ${expected}` : `${expected}, found ${found.describe()}`;
      // A mapping may have values of another file.
      const place = found?.source ?? source;
      const at = { source: place, span, path: [...node.path, ...issue.path] };
      this.add(severity, at, what + explain(issue, found));
    }
  }

  /**
   * Returns the problems of a file if there is room for another one. Otherwise only counts it, so that its position is
   * not computed (H20a).
   */
  #withRoom(severity: Severity, file: string): LocatedDiagnostic[] | undefined {
    const problems = this.#perFile.get(file) ?? { found: [], leftOut: 0, severity: "notice" };
    this.#perFile.set(file, problems);
    if (problems.found.length < MAX_DIAGNOSTICS) return problems.found;
    problems.leftOut++;
    if (SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(problems.severity)) {
      problems.severity = severity;
    }
    return undefined;
  }
}

/** Shortens zod's `Invalid input: expected string, received number`, because the message shows the value itself. */
function describeExpected({ message }: z.core.$ZodIssue): string {
  const expected = message
    .replace(/^Invalid (?:input|option): /, "")
    .replace(/^Too (?:small|big): expected /, "expected ")
    .replace(/, received .*$/, "");
  return expected.charAt(0).toLowerCase() + expected.slice(1);
}

/**
 * Follows a path to a value. If a part of the path is missing, returns only the span of the key above it.
 *
 * @param above the span to return if the first part is missing
 */
function descend(
  node: SourceNode,
  [step, ...rest]: KeyPath,
  above: Span
): { span: Span; found?: SourceNode } {
  if (step === undefined) {
    const isEmpty = node.span.start === node.span.end;
    return { span: isEmpty ? above : node.span, found: node };
  }
  const next = node.child(step);
  return next === undefined ? { span: above } : descend(next, rest, next.keySpan);
}
