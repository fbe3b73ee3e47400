/** A project on another machine, over SSH. */
import type { CliContext } from "@/cli/context";
import type { Workspace } from "@/cli/project";
import { findFarFolder } from "@/node/runtime/remote/farFolder";
import { openSshRuntime } from "@/node/runtime/SSHRuntime";
import { parseSshTarget } from "@/node/runtime/ssh/sshTarget";

/**
 * {@link Workspace} of `ssh://[user@]host[:port]/path`; the connection is let go when the work is done.
 *
 * @param complain says why there is none
 */
export async function withRemoteWorkspace<Code extends number>(
  url: string,
  context: CliContext,
  work: (workspace: Workspace) => Promise<Code>,
  complain: (context: CliContext, message: string) => Code
): Promise<Code> {
  const target = parseSshTarget(url);
  if (target.isErr()) return complain(context, target.error);
  const runtime = openSshRuntime(target.value, { env: context.env });
  try {
    const projectDir = await findFarFolder(runtime, target.value.path);
    if (projectDir.isErr()) return complain(context, projectDir.error);
    return await work({ runtime, projectDir: projectDir.value });
  } finally {
    await runtime.dispose();
  }
}
