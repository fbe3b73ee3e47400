/** Stops of an agent in a project, decided in this process as a Stop hook decides them. */
import { decideStop } from "@/node/services/gauntlet/hook/decideStop";
import type { DecisionRequest, StopDecision } from "@/node/services/gauntlet/hook/stopDecision";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";

export interface StopOptions extends Partial<Omit<DecisionRequest, "runtime">> {
  /** The current folder, relative to the project. */
  readonly from?: string;
}

/** Decides a stop like `stop-hook --verify` of an agent host that sends no session. */
export async function stopAt(
  project: GauntletProject,
  { from = ".", ...request }: StopOptions = {}
): Promise<StopDecision> {
  return await decideStop({
    runtime: project.runtime,
    cwd: project.path(from),
    stopHookActive: false,
    verify: true,
    beginsTurn: false,
    env: {},
    home: project.path(".git/home"),
    now: () => new Date(),
    limitMs: 60_000,
    ...request,
  });
}

export async function statusAt(project: GauntletProject, options?: StopOptions) {
  return (await stopAt(project, options)).result.status;
}
