import type { RemoteHookRuntime } from "@/node/runtime/HookRuntime";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import {
  failedSession,
  type RemoteSession,
  type RemoteShell,
} from "@/node/runtime/remote/RemoteShell";
import { SshConnectionPool } from "@/node/runtime/ssh/SshConnectionPool";
import { SshSession } from "@/node/runtime/ssh/SshSession";
import type { SshDestination, SshOptions } from "@/node/runtime/ssh/sshArguments";
import { sshLabel, type SshTarget } from "@/node/runtime/ssh/sshTarget";

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

/**
 * A shell on a machine reached through the system's own OpenSSH, with the user's ssh_config, agent and jump hosts. It
 * never prompts. It does not connect before the first session.
 */
export class SshShell implements RemoteShell {
  readonly label: string;
  readonly #masters: SshConnectionPool;

  constructor(private readonly connection: SshDestination) {
    this.label = sshLabel(connection.target);
    this.#masters = new SshConnectionPool(connection);
  }

  /** @param signal stops waiting for a connection; an open session is ended by closing its input */
  async open(line: string, signal?: AbortSignal): Promise<RemoteSession> {
    const takeLease = () => this.#masters.take(signal);
    const lease = await takeLease();
    return lease.isErr()
      ? failedSession({ kind: "broken", ...lease.error })
      : new SshSession(this.connection, line, lease.value, takeLease);
  }

  async dispose(): Promise<void> {
    await this.#masters.dispose();
  }
}
