/** Calls `mux-hooks` inside the test's own process, in a project with its own home. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { main } from "@/cli/muxHooks";
import { ended, testContext, type Called, type TestContext } from "@test/helpers/cliContext";
import type { HookProject } from "@test/helpers/hooks/hookProject";

export interface CallOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Gets the context before the command begins. */
  readonly prepare?: (context: TestContext) => void;
}

/** Calls the command. The project is trusted unless `MUX_HOOKS_TRUST` is set otherwise. */
export async function muxHooks(
  project: Pick<HookProject, "dir" | "home">,
  args: readonly string[],
  { env = {}, prepare }: CallOptions = {}
): Promise<Called> {
  const context = testContext(
    { cwd: project.dir, home: project.home },
    { env: { MUX_HOOKS_TRUST: "always", ...env } }
  );
  prepare?.(context);
  return await ended(context, main(args, context));
}

/** Writes a file of turns, and returns its path. */
export async function writeTurns(project: HookProject, yaml: string): Promise<string> {
  const path = join(project.session, "turns.yml");
  await writeFile(path, yaml);
  return path;
}
