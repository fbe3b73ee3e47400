/** The report of `doctor`. */
import type { Finding, HostReport } from "@/cli/gauntlet/doctor/report";
import { indent } from "@/cli/render/format";
import type { Style } from "@/cli/render/style";
import { plainText } from "@/common/text";
import * as messages from "@/cli/gauntlet/messages/doctor";

export interface Block {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** Returns the blocks of the hosts that are on this machine or have a hook, and the others in one line. */
export function hostBlocks(reports: readonly HostReport[]): { blocks: Block[]; absent: string[] } {
  const isShown = ({ isFound, isInstalled }: HostReport): boolean => isFound || isInstalled;
  return {
    blocks: reports.filter(isShown).map(({ host, findings }) => ({ title: host.title, findings })),
    absent: reports.filter((report) => !isShown(report)).map(({ host }) => host.title),
  };
}

export function renderBlock({ title, findings }: Block, style: Style): string {
  return [style.bold(title), ...findings.map((finding) => renderFinding(finding, style))].join(
    "\n"
  );
}

function renderFinding({ kind, text, next }: Finding, style: Style): string {
  const mark = { good: style.green("yes"), info: "-  ", problem: style.red("no ") }[kind];
  const lines = indent(plainText(text), "       ").trimStart();
  return [
    `  ${mark}  ${lines}`,
    ...(next === undefined ? [] : [`       ${messages.nextStep(next)}`]),
  ].join("\n");
}
