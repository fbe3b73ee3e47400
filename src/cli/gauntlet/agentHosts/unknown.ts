/** The agent host used if the caller is not recognized: a script, a test, or an agent without a file in this folder. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { jsonLine } from "@/cli/gauntlet/agentHosts/jsonLine";
import type { AgentHost } from "@/cli/gauntlet/agentHosts/types";

export const unknownHost: AgentHost = {
  name: "unknown",
  fit: () => "possible",
  ownVariables: [],
  readInput: readCommonFields,
  // Some agents send `stop_hook_active: false` in the middle of a turn.
  beginsTurnWhenInactive: false,
  showsAtTurnStart: false,
  limits: { reasonChars: 8_000 },
  answer: jsonLine,
};
