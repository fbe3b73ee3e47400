import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

/** Shows the user, once, the commits that were pushed although the gates had failed for that push (G51). */
export async function namePushed(
  { options: { runtime, projectDir: cwd }, reporter }: GauntletRunContext,
  state: ExecutionState
): Promise<ExecutionState> {
  const { refused_push: refused = [] } = state;
  if (refused.length === 0) return state;
  const args = ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/remotes"];
  const listed = (await runGit(runtime, { cwd, args })).unwrapOr("");
  const refs = listed.split("\n").map((line) => line.split(" "));
  const pushed = refs.filter(([commit = ""]) => refused.includes(commit));
  for (const [commit = "", name = ""] of pushed) {
    reporter.weaken(`${commit.slice(0, 9)} was pushed to ${name} although the gates had failed`);
  }
  const left = refused.filter((commit) => !pushed.some(([one]) => one === commit));
  return { ...state, refused_push: left.length === 0 ? undefined : left };
}
