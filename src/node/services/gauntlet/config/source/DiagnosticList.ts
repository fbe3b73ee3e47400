/** Collects all problems of a configuration, in the order in which they are found (G5). */
import { clip, plural, visible } from "@/common/text";
import type { ConfigDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import type { SourceFile, Span } from "@/node/services/gauntlet/config/source/SourceFile";

type ProblemSeverity = ConfigDiagnostic["severity"];
export type KeyPath = readonly PropertyKey[];

/** More than a user reads; a file can have a hundred thousand wrong entries. */
const MAX_PER_FILE = 50;
const MAX_KEY_PATH_CHARS = 200;

export class DiagnosticList {
  readonly #perFile = new Map<string, ConfigDiagnostic[]>();
  readonly #leftOut = new Map<string, { count: number; severity: ProblemSeverity }>();

  /** `strict`: an unknown key is an error, as in `validate`. */
  constructor(readonly strict: boolean) {}

  get all(): readonly ConfigDiagnostic[] {
    return [...this.#perFile].flatMap(([file, problems]) => {
      const leftOut = this.#leftOut.get(file);
      const last = problems.at(-1);
      if (leftOut === undefined || last === undefined) return problems;
      const message = `and ${plural(leftOut.count, "further problem")} in this file`;
      return [
        ...problems,
        { ...last, severity: leftOut.severity, keyPath: "", length: 0, message },
      ];
    });
  }

  get hasErrors(): boolean {
    return this.all.some(({ severity }) => severity === "error");
  }

  add(
    severity: ProblemSeverity,
    source: SourceFile,
    span: Span,
    path: KeyPath,
    message: string
  ): void {
    const keyPath = formatKeyPath(path);
    this.#push({ severity, file: source.file, keyPath, message, ...source.locate(span) });
  }

  addUnknownKey(source: SourceFile, span: Span, path: KeyPath, hint: string): void {
    const consequence = this.strict ? "" : " (ignored)";
    this.add(
      this.strict ? "error" : "warning",
      source,
      span,
      path,
      `unknown key${consequence}${hint}`
    );
  }

  /** Adds a problem that concerns a whole file. */
  addFile(severity: ProblemSeverity, file: string, message: string): void {
    const place = { line: 1, column: 1, length: 0, keyPath: "", sourceLine: "" };
    this.#push({ severity, file, message, ...place });
  }

  #push(problem: ConfigDiagnostic): void {
    const { file } = problem;
    const problems = this.#perFile.get(file) ?? [];
    this.#perFile.set(file, problems);
    if (problems.length < MAX_PER_FILE) {
      problems.push(problem);
      return;
    }
    const { count, severity } = this.#leftOut.get(file) ?? { count: 0, severity: "warning" };
    this.#leftOut.set(file, {
      count: count + 1,
      severity: severity === "error" ? severity : problem.severity,
    });
  }
}

/** Formats a path as in `entry_points[0].checks[1]`. */
function formatKeyPath(path: KeyPath): string {
  const parts = path.map((part) => {
    if (typeof part === "number") return `[${part}]`;
    const key = String(part);
    return /^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  });
  return clip(visible(parts.join("").replace(/^\./, "")), MAX_KEY_PATH_CHARS);
}
