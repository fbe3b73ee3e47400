/**
 * Lists the agent hosts that start `stop-hook`, and finds for `stop-hook` and `turn-start` the host that called and the
 * project that it names (G24, G27b). Hosts that load the hooks as a plugin or by themselves are only in `hookHosts.ts`.
 */
import { claudeHost } from "@/cli/gauntlet/hosts/claude/index";
import { codexHost } from "@/cli/gauntlet/hosts/codex/index";
import { copilotHost } from "@/cli/gauntlet/hosts/copilot/index";
import { cursorHost } from "@/cli/gauntlet/hosts/cursor/index";
import { USUAL } from "@/cli/gauntlet/hosts/hostParts";
import { droidHost } from "@/cli/gauntlet/hosts/droid/index";
import { geminiHost } from "@/cli/gauntlet/hosts/gemini/index";
import { gooseHost } from "@/cli/gauntlet/hosts/goose/index";
import { kimiHost } from "@/cli/gauntlet/hosts/kimi/index";
import { kiroHost } from "@/cli/gauntlet/hosts/kiro/index";
import { qwenHost } from "@/cli/gauntlet/hosts/qwen/index";
import type { AgentHost, KnownHost } from "@/cli/gauntlet/hosts/types";
import { vscodeHost } from "@/cli/gauntlet/hosts/vscode/index";
import type { JsonObject } from "@/common/json";

/** All known agent hosts that call `stop-hook`. A new one is a folder beside this file and an entry in this list. */
export const AGENT_HOSTS: readonly KnownHost[] = [
  claudeHost,
  codexHost,
  geminiHost,
  qwenHost,
  copilotHost,
  vscodeHost,
  cursorHost,
  kimiHost,
  gooseHost,
  droidHost,
  kiroHost,
];

/** The host used if the caller is not recognized: a script, a test, or an agent without a folder here. */
export const unknownHost: AgentHost = {
  ...USUAL,
  name: "unknown",
  fit: () => "possible",
  // Some agents send `stop_hook_active: false` in the middle of a turn.
  beginsTurnWhenInactive: false,
  showsAtTurnStart: false,
};

/** The names that `--host` accepts. */
export const HOST_NAMES = [...AGENT_HOSTS, unknownHost].map(({ name }) => name);

/** Returns the host of that name, or undefined if there is none. */
export function hostNamed(name: string): AgentHost | undefined {
  return [...AGENT_HOSTS, unknownHost].find((host) => host.name === name);
}

/**
 * Selects the host that alone sends such an input, else the one that `--host` names, else by a variable that the input
 * does not contradict. In doubt the host is unknown.
 */
export function recognizeHost(
  input: JsonObject,
  env: NodeJS.ProcessEnv,
  named?: AgentHost
): AgentHost {
  const fits = AGENT_HOSTS.map((host) => ({ host, fit: host.fit(input) }));
  const certain = fits.filter(({ fit }) => fit === "certain");
  if (named !== undefined && certain.length !== 1) return named;
  const candidates =
    certain.length > 0
      ? certain
      : fits.filter(
          ({ host, fit }) => fit === "possible" && host.ownVariables.some((name) => env[name])
        );
  const [only, ...others] = candidates;
  return only !== undefined && others.length === 0 ? only.host : unknownHost;
}

/**
 * Returns the path in the host's project variable; for an unknown host, the path in the first such variable of any
 * host (G24).
 */
export function projectHint(host: AgentHost, env: NodeJS.ProcessEnv): string | undefined {
  const hosts = host.name === unknownHost.name ? AGENT_HOSTS : [host];
  const paths = hosts.map(({ projectVariable = "" }) => env[projectVariable]);
  return paths.find((path) => path?.startsWith("/") === true);
}
