/** Opens the project of a `hooks` command by `--project` or `--workspace`: on this machine or on another one (H33). */
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { printError, type CliContext, type ExitCode } from "@/cli/context";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { describeError, errorCode } from "@/common/errors";
import { checkoutAround } from "@/node/runtime/local/findCheckout";
import { createRuntime } from "@/wiring";

export interface WorkspaceOption {
  readonly project?: string;
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
    return await withRemoteWorkspace(workspace, context, work);
  }
  const found = await findProject(project, context);
  if (found.isErr()) return printError(context, found.error);
  return await work({ runtime: createRuntime(context.env), projectDir: found.value });
}

/** Returns the real path of the folder named by `--project`, else of the checkout around the current folder. */
export async function findProject(
  named: string | undefined,
  { cwd, home }: Pick<CliContext, "cwd" | "home">
): Promise<Result<string, string>> {
  const path = named === undefined ? await checkoutAround(cwd, home) : resolve(cwd, named);
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? ok(real) : err(`${path} is not a folder`);
  } catch (thrown) {
    return err(
      errorCode(thrown) === "ENOENT"
        ? `the folder ${path} does not exist`
        : `${path} cannot be opened: ${describeError(thrown)}`
    );
  }
}
