/** Finds the project of a command. */
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError, errorCode } from "@/common/errors";
import type { CliContext } from "@/cli/context";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { checkoutAround } from "@/node/runtime/local/findCheckout";

export interface ProjectOption {
  readonly project?: string;
}

/** A project and the runtime that reaches it. */
export interface CliWorkspace {
  readonly runtime: HookRuntime;
  /** Absolute, on the machine of the runtime. */
  readonly projectDir: string;
}

/** Returns the real path of the folder named by `--project`, else of the checkout around the current folder. */
export async function findProject(
  named: string | undefined,
  { cwd, home }: Pick<CliContext, "cwd" | "home">
): Promise<Result<string, string>> {
  if (named !== undefined) return await existingFolder(resolve(cwd, named));
  return await existingFolder(await checkoutAround(cwd, home));
}

async function existingFolder(path: string): Promise<Result<string, string>> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? ok(real) : err(`${path} is not a folder`);
  } catch (thrown) {
    const missing = errorCode(thrown) === "ENOENT";
    return err(
      missing
        ? `the folder ${path} does not exist`
        : `${path} cannot be opened: ${describeError(thrown)}`
    );
  }
}
