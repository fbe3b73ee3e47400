/** Opens the project on another machine that `--workspace` names, over SSH. */
import { printError, type CliContext, type ExitCode } from "@/cli/context";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { resolveRemotePath } from "@/node/runtime/remote/RemoteRuntime";
import { openSshRuntime } from "@/node/runtime/ssh/openSshRuntime";
import { parseSshTarget } from "@/node/runtime/ssh/sshTarget";

/** A project, on this machine or on another one, and the runtime that accesses it. */
export interface CliWorkspace {
  readonly runtime: HookRuntime;
  /** Absolute, on the machine of the runtime. */
  readonly projectDir: string;
}

/**
 * Runs `work` with the workspace of `ssh://[user@]host[:port]/path`, or prints why it cannot be opened. Closes the
 * connection afterwards.
 */
export async function withRemoteWorkspace(
  url: string,
  context: CliContext,
  work: (workspace: CliWorkspace) => Promise<ExitCode>
): Promise<ExitCode> {
  const target = parseSshTarget(url);
  if (target.isErr()) return printError(context, target.error);
  const runtime = openSshRuntime(target.value, { env: context.env });
  try {
    const projectDir = await resolveRemotePath(runtime, target.value.path);
    if (projectDir.isErr()) return printError(context, projectDir.error);
    return await work({ runtime, projectDir: projectDir.value });
  } finally {
    await runtime.dispose();
  }
}
