import type { RemoteHookRuntime } from "@/node/runtime/HookRuntime";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { SshOptions } from "@/node/runtime/ssh/sshArguments";
import { SshShell } from "@/node/runtime/ssh/SshShell";
import type { SshTarget } from "@/node/runtime/ssh/sshTarget";

/** A runtime on another machine, whose connection lasts until it is disposed of. */
export interface SshRuntime extends RemoteHookRuntime {
  /** Removes what this session left on the other machine, as far as possible, and closes the connection. */
  dispose(): Promise<void>;
}

/**
 * Returns a runtime for a workspace reached through the system's own OpenSSH (H33), and so with the user's ssh_config,
 * agent and jump hosts. It connects on first use. The caller must dispose of it.
 */
export function openSshRuntime(
  target: Omit<SshTarget, "path">,
  options: SshOptions = {}
): SshRuntime {
  return new RemoteRuntime(new SshShell({ target, ...options }), new LocalFiles());
}
