/** A project on another machine, over SSH. */
import type { CliContext } from "@/cli/context";
import type { CliWorkspace } from "@/cli/project";
import { resolveRemotePath } from "@/node/runtime/remote/resolveRemotePath";
import { openSshRuntime } from "@/node/runtime/ssh/openSshRuntime";
import { parseSshTarget } from "@/node/runtime/ssh/sshTarget";

/**
 * Runs `work` with the {@link CliWorkspace} of `ssh://[user@]host[:port]/path`. Closes the connection afterwards.
 *
 * @param printError prints why the workspace cannot be opened
 */
export async function withRemoteWorkspace<Code extends number>(
  url: string,
  context: CliContext,
  work: (workspace: CliWorkspace) => Promise<Code>,
  printError: (context: CliContext, message: string) => Code
): Promise<Code> {
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
