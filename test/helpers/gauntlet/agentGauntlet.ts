/** Calls `agent-gauntlet` inside the test's own process. */
import { main } from "@/cli/gauntlet/program";
import { testContext, type TestContext } from "@test/helpers/cliContext";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";

export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

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
  const code = await main(typeof args === "string" ? args.split(" ") : args, context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** Excludes the configuration of the user who runs the tests. */
const QUIET_GIT = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
