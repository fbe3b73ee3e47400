/** The fixes of formatters (G29, G35): each changes exactly what its check rejects, and only the files that it gets. */

export interface ProposedFix {
  /** Contains `{files}`. */
  readonly fix: string;
  /** Globs of the files that the formatter knows. */
  readonly files: readonly string[];
}

const SCRIPT_FILES = ["**/*.{js,jsx,mjs,cjs,ts,tsx,mts,cts}"];
const WEB_FILES = [
  ...SCRIPT_FILES,
  "**/*.{json,jsonc,json5,css,scss,less,html,vue,graphql,md,mdx,yml,yaml}",
];

interface FormatterRow {
  /** Matches only commands without options, for all files. Another one may have other rules. */
  readonly check: RegExp;
  readonly line: string;
  readonly files: readonly string[];
}

const JAVASCRIPT: readonly FormatterRow[] = [
  {
    check: /^prettier (?:(?:--check|-c) \.|\. (?:--check|-c))$/,
    line: "prettier --write --ignore-unknown {files}",
    files: WEB_FILES,
  },
  {
    check: /^oxfmt (?:--check(?: \.)?|\. --check)$/,
    line: "oxfmt --no-error-on-unmatched-pattern {files}",
    files: WEB_FILES,
  },
  {
    check: /^biome (?:ci|check|format)(?: \.)?$/,
    line: "biome format --write --no-errors-on-unmatched --files-ignore-unknown=true {files}",
    files: [...SCRIPT_FILES, "**/*.{json,jsonc,css,graphql}"],
  },
];

/**
 * Returns the fix for a check of a JavaScript project.
 *
 * @param line the check, without the package manager
 * @param exec returns the command that runs an installed program
 */
export function javascriptFix(
  line: string,
  exec: (line: string) => string
): ProposedFix | undefined {
  const row = JAVASCRIPT.find(({ check }) => check.test(line.trim()));
  return row && { fix: exec(row.line), files: row.files };
}

export const GO_FIX: ProposedFix = { fix: "gofmt -w {files}", files: ["**/*.go"] };

/** @param start such as `python3 -m` */
export function ruffFix(start: string): ProposedFix {
  // Without this option, Ruff also formats named files that its settings exclude.
  return { fix: `${start} ruff format --force-exclude {files}`, files: ["**/*.{py,pyi}"] };
}
