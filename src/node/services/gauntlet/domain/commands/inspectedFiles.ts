/**
 * Recognizes from a command line which files a command looks at: changed, tracked or staged ones, or each file alone.
 * Removes the option that limits it to changes since `{base}` (G33).
 */
import * as placeholders from "@/node/services/gauntlet/domain/commands/findPlaceholders";

/**
 * How a command finds the changes. `tests`: it runs the tests of files that changed and exist. `packages`: it knows
 * which packages changed, also by a deletion. `other`: unknown.
 */
export type ComparedKind = "tests" | "packages" | "other";

/** Returns how a command finds the changes, or undefined if it compares with no commit. */
export function comparedKind(command: string): ComparedKind | undefined {
  if (!placeholders.usesBase(command)) return undefined;
  if (/(?<!\$)\{base\}|\bGAUNTLET_BASE\b|\b(?:TURBO_SCM|NX)_BASE\b/.test(command)) {
    const tool = placeholders.programPattern("vitest|jest|turbo|nx").exec(command)?.[1];
    if (tool === undefined) return seesOnlyTracked(command) ? "packages" : "other";
    return tool === "vitest" || tool === "jest" ? "tests" : "packages";
  }
  // turbo and nx compare only with an option.
  return /\s--affected(?![\w-])|(?:^|[\s;&|("'/])nx(?:@\S*)?\s+affected(?![\w-])/.test(command)
    ? "packages"
    : undefined;
}

/** Returns whether a command compares with the working tree, so that a difference that a commit hides is visible. */
export function seesWorkingTree(command: string): boolean {
  return /\bgolangci-lint\b/.test(command);
}

/** Returns whether a command ignores untracked files. */
export function seesOnlyTracked(command: string): boolean {
  return /\bpnpm\b/.test(command) && command.includes("[{base}]");
}

/** Returns the command without the option that limits it, or undefined if its tool is unknown (G33). */
export function withoutBase(command: string): string | undefined {
  // Words have even indexes, and the separators between them odd ones.
  const words = command.split(/([\s;&|()]+)/);
  let tool: string | undefined;
  let isDropped = false;
  for (let at = 0; at < words.length; at += 2) {
    const word = words[at] ?? "";
    if (/[;&|()]/.test(words[at - 1] ?? "")) tool = undefined;
    tool = /(?:^|["'/])(vitest|jest|turbo|nx|pnpm)(?:@\S*)?$/.exec(word)?.[1] ?? tool;
    const instead = tool === undefined ? undefined : OPTIONS[tool]?.(word, bare(words[at + 2]));
    if (instead === undefined) continue;
    isDropped = true;
    const [text, takesNext] = instead;
    // A quote around the whole command ends after the option.
    words[at] = text + (/^[^"']*(["'])$/.exec((takesNext && words[at + 2]) ?? word)?.[1] ?? "");
    if (takesNext) words[at + 1] = words[at + 2] = "";
    // The separator before it goes as well, since the next one may end the command.
    if (text === "" && /^\s+$/.test(words[at - 1] ?? "")) words[at - 1] = "";
  }
  const left = words.join("");
  return isDropped && comparedKind(left) === undefined ? left : undefined;
}

/** The text in place of an option, and whether the next word belongs to the option. */
type Instead = readonly [text: string, takesNext?: true];

const BASE = "{base}";

/** By tool, the function that returns the text in place of an option, given the next word without quotes. */
const OPTIONS: Readonly<Record<string, (word: string, next: string) => Instead | undefined>> = {
  vitest: (word, next) => option(word, next, ["--changed"]),
  jest: (word, next) => option(word, next, ["--changedSince"]),
  turbo: (word, next) =>
    bare(word) === "--affected" ? [""] : option(word, next, ["--filter", "-F"], `[${BASE}]`),
  nx: (word, next) =>
    bare(word) === "affected"
      ? ["run-many"]
      : (option(word, next, ["--base"]) ?? (bare(word) === "--head=HEAD" ? [""] : undefined)),
  pnpm: (word, next) => {
    const found = option(word, next, ["--filter", "-F"], `[${BASE}]`);
    return found && ["-r", found[1]];
  },
};

function option(
  word: string,
  next: string,
  names: readonly string[],
  value: string = BASE
): Instead | undefined {
  const [name = "", ...rest] = word.split("=");
  if (!names.includes(name)) return undefined;
  if (rest.length > 0) return bare(rest.join("=")).includes(value) ? [""] : undefined;
  return next.includes(value) ? ["", true] : undefined;
}

function bare(word = ""): string {
  return word.replaceAll(/["']/g, "");
}

/** Returns whether a command starts a manager of git hooks, which looks only at files in git's index. */
export function looksAtIndex(command: string): boolean {
  return placeholders.programPattern("pre-commit|prek|lefthook|lint-staged").test(command);
}

/** Matches the folder of a program and words before it, such as `npx --yes`, `pnpm exec`, `A=1`, `!`, `test -z "$(`. */
const BEFORE =
  /^(?:[!(]\s*|(?:test|\[\[?)\s+-z\s+"?\$\(|(?:npx|bunx|uvx|xargs|env|(?:p?npm|yarn)(?:\s+(?:exec|dlx|run))?|(?:uv|poetry|pdm|pipenv|hatch)\s+run|python3?\s+-m|-\S+|[A-Za-z_]\w*=\S*)\s+)*(?:[\w./@-]*\/)?/;
/** `no-grep` is a `grep` that must find nothing. Another one fails without the file that has the text. */
const PER_FILE =
  /^(?:prettier|oxfmt|biome\s+format|gofmt|rustfmt|black|isort|shfmt|shellcheck|codespell|cspell|stylelint|markdownlint|markdownlint-cli2|yamllint|ruff|no-grep)(?=$|[\s@)"'])/;

/** Returns whether all tools of a command look at each file alone, so that a deletion cannot make it fail. */
export function looksAtEachFile(command: string): boolean {
  const plain = command
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll("\\\n", " ")
    .replaceAll(/\d*[<>]&?\s*\S+/g, "")
    .replaceAll(/(?<=(?:!|(?:test|\[) -z)\s[^;&\n]{0,200})\bgrep\b/g, "no-grep");
  return plain
    .trim()
    .split(/[;&|\n][;&|\s]*/)
    .every((part) => PER_FILE.test(part.replace(BEFORE, "")) || /^(?:(?:cd|exit)\s|$)/.test(part));
}
