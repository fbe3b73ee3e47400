/** Generates the page that lists who is shown what about a stop (G25a). */
import { audienceOf, type PersonRule } from "@/node/services/gauntlet/domain/audience";
import { GAUNTLET_STATUSES, type GauntletStatus } from "@/node/services/gauntlet/domain/status";

const PERSON: Readonly<Record<PersonRule, string>> = {
  always: "the message",
  caveat: "the message, where something was not verified; else nothing",
  never: "nothing",
};

const HEADING = `# Who is shown what

Written by \`make schemas\` from \`src/node/services/gauntlet/domain/audience.ts\`. Do not edit it.

The agent gets the reason of a block and nothing else. The person sees the message as \`systemMessage\`: in Mux as a notice,
in Claude Code as "Stop says: …", and from an unknown caller in the line of JSON. The message is also on stderr, which
Claude Code keeps in its debug log. A standing fact, such as a base branch that does not exist, is shown once a session with
every status that the table does not mark with "nothing".
`;

export function audienceTable(): string {
  const header =
    "| status | decision | agent | person in Mux | person in Claude Code | unknown caller |";
  const line = "| --- | --- | --- | --- | --- | --- |";
  return `${[HEADING, header, line, ...GAUNTLET_STATUSES.map(row)].join("\n")}\n`;
}

function row(status: GauntletStatus): string {
  const { decision, agent, person } = audienceOf(status);
  const shown = PERSON[person];
  const inMux = decision === "block" ? "the message" : shown;
  const cells = [`\`${status}\``, decision, agent ? "the reason" : "nothing", inMux, shown, shown];
  return `| ${cells.join(" | ")} |`;
}
