/**
 * Renders the differences of two texts in the format of `diff -u`, for `init` and for trust. Also renders what a prompt
 * for trust shows: the items that would run, and how their definitions have changed.
 */
import { visible } from "@/common/safeText";
import type { CliContext } from "@/cli/context";
import { alignColumns, shortPath } from "@/cli/render/formatText";
import type * as hooks from "@/node/services/hooks/index";
import { changedFiles, filesOf } from "@/node/services/hooks/index";

const CONTEXT_LINES = 3;
/** The maximum size of the table of common lines, in cells. Larger texts are shown as replaced. */
const MAX_CELLS = 4_000_000;

const LINES = /[^\n]*\n|[^\n]+/g;

type Line = readonly [sign: " " | "-" | "+", text: string];

/** Returns one hunk for each change, with control characters escaped. Returns no lines for equal texts. */
export function unifiedDiff(before: string, after: string): string[] {
  const lines = compare(before.match(LINES) ?? [], after.match(LINES) ?? []);
  const isNear = lines.map((_, i) =>
    lines
      .slice(Math.max(0, i - CONTEXT_LINES), i + CONTEXT_LINES + 1)
      .some(([sign]) => sign !== " ")
  );
  const shown: string[] = [];
  let [left, right] = [1, 1];
  for (const [i, [sign, text]] of lines.entries()) {
    if (isNear[i] === true) {
      if (isNear[i - 1] !== true) shown.push(`@@ -${left} +${right} @@`);
      shown.push(`${sign}${visible(text.replace(/\n$/, ""))}`);
      if (!text.endsWith("\n")) shown.push("\\ No newline at end of file");
    }
    if (sign !== "+") left++;
    if (sign !== "-") right++;
  }
  return shown;
}

function compare(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (text: string): Line => [" ", text];
  return [
    ...a.slice(0, start).map(same),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function compareMiddle(a: readonly string[], b: readonly string[]): Line[] {
  const removed = (text: string): Line => ["-", text];
  const added = (text: string): Line => ["+", text];
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  // Cell [i][j]: the number of lines that `a` from i and `b` from j have in common.
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push([" ", left]);
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left));
      i++;
    } else if (right !== undefined) {
      lines.push(added(right));
      j++;
    }
  }
  return lines;
}

/** Returns a table of the items that need trust, with their files. */
export function describeRequest(
  { projectDir: name, items }: hooks.TrustRequest,
  projectDir: string,
  { home }: Pick<CliContext, "home">,
  what: "hooks" | "gates" = "hooks"
): string {
  if (items.length === 0) return `${name} has no ${what} that would run.`;
  const rows = items.map(({ text, origin }) => [`  ${text}`, shortPath(origin, projectDir, home)]);
  return [`${name} would run:`, ...alignColumns(rows)].join("\n");
}

/** Returns a unified diff from the definitions that were trusted last to the current ones. */
export function describeDifference(before: hooks.Definitions, after: hooks.Definitions): string {
  const [old, present] = [filesOf(before), filesOf(after)];
  const lines = changedFiles(before, after).flatMap((name) => [
    `--- ${old.has(name) ? visible(name) : "/dev/null"}`,
    `+++ ${present.has(name) ? visible(name) : "/dev/null"}`,
    ...unifiedDiff(textOf(old.get(name)), textOf(present.get(name))),
  ]);
  return ["Changes since it was trusted:", ...lines].join("\n");
}

function textOf(content: hooks.RecordedContent | undefined): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return `${content.base64.replaceAll(/.{76}/g, "$&\n")}\n`;
}
