/** Calls `agent-gauntlet` inside the test's own process. */
import { main } from "@/cli/gauntlet/program";
import { ended, testContext, type Called, type TestContext } from "@test/helpers/cliContext";
import { QUIET_GIT, type GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";

export interface CallOptions {
  /** An absolute path. The default is the project's folder. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly tty?: boolean;
  /** Gets the context before the command begins. */
  readonly prepare?: (context: TestContext) => void;
}

/** @param args words; a text is split at its spaces */
export async function agentGauntlet(
  project: Pick<GauntletProject, "dir">,
  args: string | readonly string[],
  { cwd = project.dir, env = {}, tty = false, prepare }: CallOptions = {}
): Promise<Called> {
  const home = await tempDir();
  const context = testContext(
    { cwd, home },
    { env: { ...QUIET_GIT, MUX_HOOKS_TRUST: "always", ...env }, tty }
  );
  prepare?.(context);
  return await ended(context, main(typeof args === "string" ? args.split(" ") : args, context));
}
