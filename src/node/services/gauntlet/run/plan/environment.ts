/** Identifies the environment of a run: what decides which programs its checks start, and what these do (G7a). */
import { posix } from "node:path";
import { sha256 } from "@/common/hash";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

/** Matches the variables, without those that agents set for the editor, the pager and the prompts of git. */
const VARIABLES =
  /^(?:BASH_ENV|ENV|NODE_OPTIONS|PYTHON.*|PYTEST_ADDOPTS|RUBYOPT|D?Y?LD_.*|MAKEFLAGS|CI|GIT_(?!(?:SEQUENCE_)?EDITOR$|PAGER$|TERMINAL_PROMPT$|ASKPASS$).*)$/;
const MAX_WORDS = 100;

/** Returns a digest of the variables, and of the files on PATH with a name that is a word of a check's command. */
export async function environmentOf({
  runtime,
  projectDir,
  config,
  env,
}: GauntletRunContext): Promise<string> {
  const gates = config.entryPoints.flatMap((point) => point.gates);
  const texts = gates.flatMap((gate) =>
    gate.kind === "check" ? [gate.command, gate.rerunCommand ?? "", gate.full ?? ""] : []
  );
  const named = texts.flatMap(
    (text) => text.match(/(?<![^\s;&|({])\w[\w.+-]*(?![^\s;&|)}])/g) ?? []
  );
  const words = [...new Set(named)].slice(0, MAX_WORDS);
  const folders = (env.PATH ?? "").split(":").map((folder) => posix.resolve(projectDir, folder));
  const paths = words.map((word) => folders.map((folder) => posix.join(folder, word)));
  const stats = await runtime.stat(paths.flat());
  const files = new Set(paths.flat().filter((_, i) => stats[i]?.kind === "file"));
  const found = paths.map((some) => some.find((path) => files.has(path)));
  const set = Object.entries(env).filter(([name]) => VARIABLES.test(name));
  return sha256(JSON.stringify([found, set.sort()]), 32);
}

/** Returns the state without passes of runs by hand in another environment, which count at no stop. */
export async function withoutForeign(
  given: GauntletRunContext,
  state: ExecutionState
): Promise<ExecutionState> {
  const { passed, baselines } = state;
  const isByHand = [passed, ...Object.values(baselines)].some((one) => one?.environment);
  if (given.options.stop === undefined || !isByHand) return state;
  const here = await environmentOf(given);
  const counts = (one: typeof passed): boolean => [undefined, here].includes(one?.environment);
  const left = Object.entries(baselines).filter(([, one]) => counts(one));
  const kept = counts(passed) ? passed : undefined;
  return { ...state, baselines: Object.fromEntries(left), passed: kept };
}
