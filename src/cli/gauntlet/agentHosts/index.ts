/** Selects the host that called, so that it gets an answer in its own format (G27b). */
import { claudeHost } from "@/cli/gauntlet/agentHosts/claude";
import { codexHost } from "@/cli/gauntlet/agentHosts/codex";
import { copilotHost } from "@/cli/gauntlet/agentHosts/copilot";
import { geminiHost } from "@/cli/gauntlet/agentHosts/gemini";
import { qwenHost } from "@/cli/gauntlet/agentHosts/qwen";
import type { AgentHost } from "@/cli/gauntlet/agentHosts/types";
import { unknownHost } from "@/cli/gauntlet/agentHosts/unknown";
import type { JsonObject } from "@/common/json";

/** A new host is a file in this folder and an entry in this list. */
export const AGENT_HOSTS: readonly AgentHost[] = [
  claudeHost,
  codexHost,
  geminiHost,
  qwenHost,
  copilotHost,
];

/** The names that `--host` accepts. */
export const HOST_NAMES = [...AGENT_HOSTS, unknownHost].map(({ name }) => name);

type HostEnv = Readonly<NodeJS.ProcessEnv>;

/** Returns the host of that name, or undefined if there is none. */
export function hostNamed(name: string): AgentHost | undefined {
  return [...AGENT_HOSTS, unknownHost].find((host) => host.name === name);
}

/** Selects by the input, else by a variable that the input does not contradict. In doubt the host is unknown. */
export function recognizeHost(input: JsonObject, env: HostEnv): AgentHost {
  const fits = AGENT_HOSTS.map((host) => ({ host, fit: host.fit(input) }));
  const certain = fits.filter(({ fit }) => fit === "certain");
  const candidates =
    certain.length > 0
      ? certain
      : fits.filter(({ host, fit }) => fit === "possible" && isSetBy(host, env));
  const [only, ...others] = candidates;
  return only !== undefined && others.length === 0 ? only.host : unknownHost;
}

/** Returns the value of the host's project variable. For an unknown host the first one that is set counts (G24). */
export function projectHint(host: AgentHost, env: HostEnv): string | undefined {
  const hosts = host === unknownHost ? AGENT_HOSTS : [host];
  const paths = hosts.map(({ projectVariable = "" }) => env[projectVariable]);
  return paths.find((path) => path?.startsWith("/") === true);
}

function isSetBy({ ownVariables }: AgentHost, env: HostEnv): boolean {
  return ownVariables.some((name) => Boolean(env[name]));
}
