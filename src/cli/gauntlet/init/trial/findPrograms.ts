import { posix } from "node:path";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { withoutPackageRunners } from "@/cli/ownCommands";
import { findOnPath } from "@/node/runtime/process/findOnPath";

/** Returns the names of the checks whose program exists: in the folder of the check, or on PATH. */
export async function withProgram(
  checks: readonly CheckProposal[],
  { projectDir, runtime, env }: InitPlace
): Promise<ReadonlySet<string>> {
  const path = withoutPackageRunners(env.PATH ?? "");
  const found = await Promise.all(
    checks.map(async ({ program, folder }) => {
      if (!program.includes("/")) return (await findOnPath(program, path)) !== undefined;
      const [stat] = await runtime.stat([posix.join(projectDir, folder, program)]);
      return stat?.kind === "file" && stat.executable;
    })
  );
  return new Set(checks.filter((_, i) => found[i]).map(({ name }) => name));
}
