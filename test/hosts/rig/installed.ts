/** The installed agent command lines, see scripts/agentHosts.mjs. */
import { findHost } from "@scripts/agentHosts.mjs";

/** Returns the command that starts the host, or undefined if it is not tested here. */
export function commandOf(name: string): readonly string[] | undefined {
  const found = findHost(name);
  return "command" in found ? found.command : undefined;
}
