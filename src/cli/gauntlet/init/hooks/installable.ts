/** The agent hosts with hooks in settings files. */
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import type { AgentHost, HookInstallation } from "@/cli/gauntlet/hosts/types";

export type InstallableHost = AgentHost & { readonly install: HookInstallation };

export const INSTALLABLE_HOSTS: readonly InstallableHost[] = AGENT_HOSTS.filter(isInstallable);

export function isInstallable(host: AgentHost): host is InstallableHost {
  return host.install !== undefined;
}
