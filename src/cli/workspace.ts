/** Where a command works: in a project of this machine, or of another (H33). */
import type { CliContext } from "@/cli/context";
import type { ExitCode } from "@/cli/exitCodes";
import { findProject, type ProjectOption, type CliWorkspace } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { createRuntime } from "@/wiring";

export interface WorkspaceOption extends ProjectOption {
  /** `ssh://[user@]host[:port]/path`. */
  readonly workspace?: string;
}

/** Does some work in the workspace that the options name, or says in one line why that cannot be done. */
export async function withWorkspace(
  { project, workspace }: WorkspaceOption,
  context: CliContext,
  work: (workspace: CliWorkspace) => Promise<ExitCode>
): Promise<ExitCode> {
  if (workspace !== undefined) {
    const { withRemoteWorkspace } = await import("@/cli/remoteWorkspace");
    return await withRemoteWorkspace(workspace, context, work, printError);
  }
  const found = await findProject(project, context);
  if (found.isErr()) return printError(context, found.error);
  return await work({ runtime: createRuntime(context.env), projectDir: found.value });
}
