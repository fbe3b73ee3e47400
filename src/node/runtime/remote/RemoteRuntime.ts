import { remoteExec } from "@/node/runtime/remote/exec/remoteExec";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { ExecRequest, ExecResult, Files, RemoteHookRuntime } from "@/node/runtime/HookRuntime";

/** A workspace on another machine, reached through one {@link RemoteShell}. */
export class RemoteRuntime extends RemoteFiles implements RemoteHookRuntime {
  readonly isRemote = true;
  readonly label: string;

  constructor(
    shell: RemoteShell,
    readonly host: Files
  ) {
    super(shell);
    this.label = shell.label;
  }

  exec(request: ExecRequest): Promise<ExecResult> {
    return remoteExec(this.shell, request);
  }

  /** Removes what this session left on the other machine, as far as possible, and closes the connection. */
  override async dispose(): Promise<void> {
    await super.dispose();
    await this.shell.dispose();
  }
}
