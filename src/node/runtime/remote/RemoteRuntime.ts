import { remoteExec } from "@/node/runtime/remote/remoteExec";
import { RemoteFiles } from "@/node/runtime/remote/RemoteFiles";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { ExecRequest, ExecResult, Files, Runtime } from "@/node/runtime/Runtime";

/** The workspace is on another machine: whatever it needs goes through one narrow door. */
export class RemoteRuntime extends RemoteFiles implements Runtime {
  readonly label: string;
  readonly host: Files;
  readonly #door: RemoteShell;

  constructor(shell: RemoteShell, host: Files) {
    super(shell);
    this.label = shell.label;
    this.host = host;
    this.#door = shell;
  }

  exec(request: ExecRequest): Promise<ExecResult> {
    return remoteExec(this.#door, request);
  }

  /** Removes what this session has left there, as far as it can, and lets go of the connection. */
  override async dispose(): Promise<void> {
    await super.dispose();
    await this.#door.dispose();
  }
}
