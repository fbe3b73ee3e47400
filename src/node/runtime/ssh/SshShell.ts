import { failedSession } from "@/node/runtime/remote/failedSession";
import type { RemoteSession, RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { SshDestination } from "@/node/runtime/ssh/sshArguments";
import { SshConnectionPool } from "@/node/runtime/ssh/SshConnectionPool";
import { SshSession } from "@/node/runtime/ssh/SshSession";
import { sshLabel } from "@/node/runtime/ssh/sshTarget";

/**
 * A shell on a machine reached through the system's own OpenSSH, with the user's ssh_config, agent and jump hosts. It
 * never prompts. It does not connect before the first session.
 */
export class SshShell implements RemoteShell {
  readonly label: string;
  readonly #connection: SshDestination;
  readonly #masters: SshConnectionPool;

  constructor(connection: SshDestination) {
    this.label = sshLabel(connection.target);
    this.#connection = connection;
    this.#masters = new SshConnectionPool(connection);
  }

  /** @param signal stops waiting for a connection; an open session is ended by closing its input */
  async open(line: string, signal?: AbortSignal): Promise<RemoteSession> {
    const takeLease = () => this.#masters.take(signal);
    const lease = await takeLease();
    return lease.isErr()
      ? failedSession({ kind: "broken", ...lease.error })
      : new SshSession(this.#connection, line, lease.value, takeLease);
  }

  async dispose(): Promise<void> {
    await this.#masters.dispose();
  }
}
