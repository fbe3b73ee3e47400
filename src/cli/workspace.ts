/** The workspace of a command: a project on this machine or on another one (H33). */
import type { CliContext } from "@/cli/context";
import type { ExitCode } from "@/cli/exitCodes";
import { findProject, type ProjectOption, type CliWorkspace } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { createRuntime } from "@/wiring";

export interface WorkspaceOption extends ProjectOption {
  /** `ssh://[user@]host[:port]/path`. */
  readonly workspace?: string;
}

/** Runs `work` in the workspace that the options name, or prints one line with the reason why it cannot. */
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
