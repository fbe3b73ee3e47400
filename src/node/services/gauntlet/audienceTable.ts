/** Generates the page that lists, by status, what the agent and the user see of a stop (G25a). */
import { audienceOf } from "@/node/services/gauntlet/domain/audience";
import { GAUNTLET_STATUSES, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import {
  MESSAGE,
  NOTHING,
  REASON,
  SHOWN,
  WHO_SEES_WHAT,
  WHO_SEES_WHAT_COLUMNS,
} from "@/node/services/gauntlet/messages/documents";

export function audienceTable(): string {
  const line = "| --- | --- | --- | --- | --- | --- |";
  return `${[WHO_SEES_WHAT, WHO_SEES_WHAT_COLUMNS, line, ...GAUNTLET_STATUSES.map(row)].join("\n")}\n`;
}

function row(status: GauntletStatus): string {
  const { decision, agent, person } = audienceOf(status);
  const shown = SHOWN[person];
  const inMux = decision === "block" ? MESSAGE : shown;
  const cells = [`\`${status}\``, decision, agent ? REASON : NOTHING, inMux, shown, shown];
  return `| ${cells.join(" | ")} |`;
}
