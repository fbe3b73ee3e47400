import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { SshDestination } from "@/node/runtime/ssh/sshArguments";
import { SshShell } from "@/node/runtime/ssh/SshShell";
import type { SshTarget } from "@/node/runtime/ssh/sshTarget";

export type SshOptions = Omit<SshDestination, "target">;

/**
 * Returns a runtime for a workspace reached through the system's own OpenSSH (H33), and so with the user's ssh_config,
 * agent and jump hosts. It connects on first use. The caller must dispose of it.
 */
export function openSshRuntime(
  target: Omit<SshTarget, "path">,
  options: SshOptions = {}
): RemoteRuntime {
  return new RemoteRuntime(new SshShell({ target, ...options }), new LocalFiles());
}
