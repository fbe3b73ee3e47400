/** A caller that no host recognizes: a script, a test, or a host without a file in this folder. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { jsonLine } from "@/cli/gauntlet/agentHosts/jsonLine";
import type { AgentHost } from "@/cli/gauntlet/agentHosts/types";

export const unknownHost: AgentHost = {
  name: "unknown",
  fit: () => "possible",
  ownVariables: [],
  readInput: readCommonFields,
  // One host sends `false` in the middle of a turn.
  beginsTurnWhenInactive: false,
  limits: { reasonChars: 8_000 },
  answer: jsonLine,
};
