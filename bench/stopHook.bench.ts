/** The built `agent-gauntlet` when it has no work to do, compared with the start of a Node process. */
import { execa } from "execa";
import { gauntletBin } from "./commands";
import { inTurns, ratioOf, type Benchmark, type Context, type Figure } from "./lib";
import { benchEnv, GAUNTLET_FILES, Repository } from "./repositories";

interface Call {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Readonly<Record<string, unknown>>;
  /** The files of the project, apart from ten sources. */
  readonly files?: Readonly<Record<string, string>>;
}

async function againstNode(
  id: string,
  claim: string,
  { args, env, stdin, files }: Call,
  { node }: Context
): Promise<Figure> {
  const repository = await Repository.create(10, files);
  const { dir: cwd } = repository;
  const input = stdin === undefined ? "" : `${JSON.stringify({ cwd, ...stdin })}\n`;
  const run = (...words: string[]) =>
    execa(node, words, { cwd, env: { ...benchEnv, ...env }, extendEnv: false, input });
  try {
    await run(gauntletBin, ...args);
    const sides = { floor: () => run("-e", "0"), ours: () => run(gauntletBin, ...args) };
    const turns = await inTurns(sides, 30);
    return { id, claim: `${claim}, against node -e 0`, ...ratioOf(turns) };
  } finally {
    await repository.remove();
  }
}

const benchmark = (id: string, claim: string, call: Call): Benchmark => ({
  ids: [id],
  isPerNode: true,
  measure: (context) => againstNode(id, claim, call, context),
});

export const benchmarks: Benchmark[] = [
  benchmark("stop-hook-marker", "stop-hook inside of a gauntlet", {
    args: ["stop-hook"],
    env: { GAUNTLET_STOP_HOOK_ACTIVE: "1" },
  }),
  benchmark("stop-hook-again", "stop-hook for an agent that already goes on", {
    args: ["stop-hook"],
    stdin: { stop_hook_active: true },
  }),
  benchmark("stop-hook-no-config", "stop-hook in a project without a gauntlet", {
    args: ["stop-hook"],
    stdin: {},
  }),
  benchmark("nothing-to-do", "mux-stop-hooks run with nothing to do", {
    args: ["run"],
    files: GAUNTLET_FILES,
  }),
  benchmark("stop-hook-nothing", "stop-hook with nothing to do, nor to wait for", {
    args: ["stop-hook"],
    env: { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "0" },
    stdin: {},
    files: GAUNTLET_FILES,
  }),
];
