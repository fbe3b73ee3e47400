/**
 * The runtime for a workspace on another machine, whose programs and files are reached through a `RemoteShell`:
 * OpenSSH, or the connection of a host. `resolveRemotePath` returns the real path of the workspace's folder, or why it
 * cannot be used.
 */
import { remoteExec } from "@/node/runtime/remote/exec/remoteExec";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";
import { failingFast, type RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type * as port from "@/node/runtime/HookRuntime";
import { err, ok, type Result } from "neverthrow";
import { plainText } from "@/common/safeText";
import script from "@/node/runtime/remote/locateFolder.sh";

/** A workspace on another machine, reached through one {@link RemoteShell}. */
export class RemoteRuntime extends RemoteFiles implements port.RemoteHookRuntime {
  readonly isRemote = true;
  readonly label: string;

  constructor(
    shell: RemoteShell,
    readonly host: port.Files
  ) {
    super(failingFast(shell));
    this.label = shell.label;
  }

  exec(request: port.ExecRequest): Promise<port.ExecResult> {
    return remoteExec(this.shell, request);
  }

  /** Removes what this session left on the other machine, as far as possible, and closes the connection. */
  override async dispose(): Promise<void> {
    await super.dispose();
    await this.shell.dispose();
  }
}

/**
 * Returns the real path of a folder on the workspace's machine, in the round trip that checks whether it can be
 * reached.
 *
 * @param path absolute, or below the login user's home (`~/…`)
 */
export async function resolveRemotePath(
  runtime: port.HookRuntime,
  path: string
): Promise<Result<string, string>> {
  const { end, stdout, stderr } = await runtime.exec({
    command: { file: "sh", args: ["-c", script, "sh", path] },
    cwd: "/",
  });
  if (end.kind === "exited" && end.code === 0) return ok(stdout.text.replace(/\n$/, ""));
  if (end.kind === "exited" && end.code === 3) {
    return err(`the folder ${path} does not exist on ${runtime.label}`);
  }
  const why = "message" in end ? end.message : plainText(stderr.text).trim();
  return err(`${path} on ${runtime.label} cannot be used: ${why}`);
}
