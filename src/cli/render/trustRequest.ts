/** Describes the definitions to trust, and how they differ from the ones trusted before. */
import type { CliContext } from "@/cli/context";
import { alignColumns, shortPath } from "@/cli/render/format";
import { unifiedDiff } from "@/cli/render/unifiedDiff";
import { visible } from "@/common/text";
import {
  changedFiles,
  filesOf,
  type Definitions,
  type RecordedContent,
  type TrustRequest,
} from "@/node/services/hooks/index";

export function describeRequest(
  { projectDir: name, items }: TrustRequest,
  projectDir: string,
  { home }: Pick<CliContext, "home">
): string {
  if (items.length === 0) return `${name} has no hooks that would run.`;
  const rows = items.map(({ text, origin }) => [`  ${text}`, shortPath(origin, projectDir, home)]);
  return [`${name} would run:`, ...alignColumns(rows)].join("\n");
}

/** Returns a unified diff from the definitions trusted last to the current ones. */
export function describeDifference(before: Definitions, after: Definitions): string {
  const [old, present] = [filesOf(before), filesOf(after)];
  const lines = changedFiles(before, after).flatMap((name) => [
    `--- ${old.has(name) ? visible(name) : "/dev/null"}`,
    `+++ ${present.has(name) ? visible(name) : "/dev/null"}`,
    ...unifiedDiff(textOf(old.get(name)), textOf(present.get(name))),
  ]);
  return ["Changes since it was trusted:", ...lines].join("\n");
}

function textOf(content: RecordedContent | undefined): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return `${content.base64.replaceAll(/.{76}/g, "$&\n")}\n`;
}
