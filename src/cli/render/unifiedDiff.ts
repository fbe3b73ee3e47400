/**
 * Renders the differences of two texts in the format of `diff -u`, for `init` and for trust. Also renders what a prompt
 * for trust shows: the items that would run, and how their definitions have changed.
 */
import { diffLines } from "diff";
import { visible } from "@/common/safeText";
import type { CliContext } from "@/cli/context";
import { alignColumns, shortPath } from "@/cli/render/formatText";
import type * as hooks from "@/node/services/hooks/index";
import { changedFiles, filesOf } from "@/node/services/hooks/index";

const CONTEXT_LINES = 3;
/** The maximum number of removed and added lines. Texts with more differences are shown as replaced. */
const MAX_EDITS = 2_000;

type Line = readonly [sign: " " | "-" | "+", text: string];

/** Returns one hunk for each change, with control characters escaped. Returns no lines for equal texts. */
export function unifiedDiff(before: string, after: string): string[] {
  const lines = compare(before, after);
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

function compare(before: string, after: string): Line[] {
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS }) ?? [
    { value: before, added: false, removed: true },
    { value: after, added: true, removed: false },
  ];
  return changes.flatMap(({ value, added, removed }) => {
    const sign = added ? "+" : removed ? "-" : " ";
    return (value.match(/[^\n]*\n|[^\n]+/g) ?? []).map((text): Line => [sign, text]);
  });
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
