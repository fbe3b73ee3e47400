/**
 * Renders the differences of two texts in the format of `diff -u`, for `init` and for trust. Also renders what a prompt
 * for trust shows: the items that would run, and how their definitions have changed.
 */
import { structuredPatch } from "diff";
import { visible } from "@/common/safeText";
import type { CliContext } from "@/cli/context";
import { alignColumns, shortPath } from "@/cli/render/formatText";
import type * as hooks from "@/node/services/hooks/index";
import { changedFiles, filesOf } from "@/node/services/hooks/index";

const CONTEXT_LINES = 3;
/** The maximum number of removed and added lines. Texts with more differences are shown as replaced. */
const MAX_EDITS = 2_000;

/** Returns one hunk for each change, with control characters escaped. Returns no lines for equal texts. */
export function unifiedDiff(before: string, after: string): string[] {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
  const compared = structuredPatch("", "", before, after, undefined, undefined, options);
  const patches =
    compared === undefined
      ? [structuredPatch("", "", before, ""), structuredPatch("", "", "", after)]
      : [compared];
  return patches.flatMap(({ hunks }) =>
    hunks.flatMap(({ oldStart, newStart, lines }) => [
      `@@ -${oldStart} +${newStart} @@`,
      ...lines.map(visible),
    ])
  );
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
