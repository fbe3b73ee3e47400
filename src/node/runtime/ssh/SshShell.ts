import { brokenSession } from "@/node/runtime/remote/brokenSession";
import type { RemoteSession, RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { SshConnection } from "@/node/runtime/ssh/sshArguments";
import { SshMasters } from "@/node/runtime/ssh/SshMasters";
import { SshSession } from "@/node/runtime/ssh/SshSession";
import { sshLabel } from "@/node/runtime/ssh/sshTarget";

/**
 * The door to a machine by the system's own OpenSSH, with the user's ssh_config, agent and jump hosts. It never asks
 * anybody anything. Nothing is connected before the first session.
 */
export class SshShell implements RemoteShell {
  readonly label: string;
  readonly #connection: SshConnection;
  readonly #masters: SshMasters;

  constructor(connection: SshConnection) {
    this.label = sshLabel(connection.target);
    this.#connection = connection;
    this.#masters = new SshMasters(connection);
  }

  /** @param signal gives up waiting for a connection; a session that is open is ended by its input */
  async open(line: string, signal?: AbortSignal): Promise<RemoteSession> {
    const takeLease = () => this.#masters.take(signal);
    const lease = await takeLease();
    return lease.isErr()
      ? brokenSession({ kind: "broken", ...lease.error })
      : new SshSession(this.#connection, line, lease.value, takeLease);
  }

  async dispose(): Promise<void> {
    await this.#masters.dispose();
  }
}
