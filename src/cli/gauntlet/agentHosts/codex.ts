/** Codex: a `Stop` hook in `.codex/hooks.json`. */
import { readCommonFields } from "@/cli/gauntlet/agentHosts/commonFields";
import { prefixed } from "@/cli/gauntlet/agentHosts/jsonLine";
import { isInFolder } from "@/cli/gauntlet/agentHosts/transcript";
import type {
  AgentHost,
  HostAnswer,
  HostDecision,
  InputFit,
} from "@/cli/gauntlet/agentHosts/types";
import type { JsonObject } from "@/common/json";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

/** Fields of other hosts, which Codex does not send. */
const FOREIGN_FIELDS = ["prompt_id", "timestamp", "sessionId", "stop_reason", "prompt_response"];

export const codexHost: AgentHost = {
  name: "codex",
  fit: fitOf,
  // It sets none.
  ownVariables: [],
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  // It passes on about 2,500 tokens.
  limits: { reasonChars: 8_000 },
  answer,
};

function fitOf(input: JsonObject): InputFit {
  const { hook_event_name: event = "Stop" } = input;
  if (event !== "Stop" || FOREIGN_FIELDS.some((name) => name in input)) return "foreign";
  const isOwn = isInFolder(input, ".codex") || ("turn_id" in input && "model" in input);
  return isOwn ? "certain" : "possible";
}

/** Codex rejects an answer that has an unknown field or the decision `approve`, and the agent then stops. */
function answer({ result, reason, personMessage }: HostDecision): HostAnswer {
  const fields = isBlockingStatus(result.status)
    ? { decision: "block", reason }
    : personMessage !== undefined && { systemMessage: prefixed(personMessage) };
  return { stdout: `${JSON.stringify(fields || {})}\n`, stderr: "", exitCode: 0 };
}
