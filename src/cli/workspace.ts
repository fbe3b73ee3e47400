/** Where a command works: in a project of this machine, or of another (H33). */
import type { CliContext } from "@/cli/context";
import type { ExitCode } from "@/cli/exitCodes";
import { findProject, type ProjectOption, type Workspace } from "@/cli/project";
import { complain } from "@/cli/render/complain";
import { createRuntime } from "@/wiring";

export interface WorkspaceOption extends ProjectOption {
  /** `ssh://[user@]host[:port]/path`. */
  readonly workspace?: string;
}

/** Does some work in the workspace that the options name, or says in one line why that cannot be done. */
export async function withWorkspace(
  { project, workspace }: WorkspaceOption,
  context: CliContext,
  work: (workspace: Workspace) => Promise<ExitCode>
): Promise<ExitCode> {
  if (workspace !== undefined) {
    const { withRemoteWorkspace } = await import("@/cli/remoteWorkspace");
    return await withRemoteWorkspace(workspace, context, work, complain);
  }
  const found = await findProject(project, context);
  if (found.isErr()) return complain(context, found.error);
  return await work({ runtime: createRuntime(context.env), projectDir: found.value });
}
