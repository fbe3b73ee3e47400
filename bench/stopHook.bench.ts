/** The built `agent-gauntlet` when it has no work to do, compared with the start of a Node process. */
import { execa } from "execa";
import { gauntletBin } from "./commands";
import { interleaved, type Figure } from "./lib";
import { benchEnv, Repository } from "./repositories";

interface Call {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Readonly<Record<string, unknown>>;
}

async function againstNode(
  id: string,
  claim: string,
  { dir: cwd }: Repository,
  { args, env, stdin }: Call
): Promise<Figure> {
  const input = stdin === undefined ? "" : `${JSON.stringify({ cwd, ...stdin })}\n`;
  const run = (...words: string[]) =>
    execa(process.execPath, words, {
      cwd,
      env: { ...benchEnv, ...env },
      extendEnv: false,
      input,
    });
  await run(gauntletBin, ...args);
  const { floor, ours } = await interleaved({
    floor: () => run("-e", "0"),
    ours: () => run(gauntletBin, ...args),
    rounds: 60,
  });
  return { id, claim: `${claim}, against node -e 0`, value: ours / floor, unit: "ratio" };
}

export async function earlyExits(): Promise<Figure[]> {
  const repository = await Repository.create(10);
  const args = ["stop-hook"];
  const env = { GAUNTLET_STOP_HOOK_ACTIVE: "1" };
  const inside = "stop-hook inside of a gauntlet";
  const without = "stop-hook in a project without a gauntlet";
  const again = "stop-hook for an agent that already goes on";
  try {
    return [
      await againstNode("stop-hook-marker", inside, repository, { args, env }),
      await againstNode("stop-hook-again", again, repository, {
        args,
        stdin: { stop_hook_active: true },
      }),
      await againstNode("stop-hook-no-config", without, repository, { args, stdin: {} }),
    ];
  } finally {
    await repository.remove();
  }
}

export async function nothingToDo(): Promise<Figure[]> {
  const repository = await Repository.create(10, {
    ".gitignore": "gauntlet_logs/\n",
    ".gauntlet/config.yml": `base_branch: main\nentry_points:\n  - path: "."\n    checks: [{ it: { command: "true" } }]\n`,
  });
  try {
    const run = "agent-gauntlet run with nothing to do";
    const hook = "stop-hook with nothing to do, nor to wait for";
    const env = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: "0" };
    return [
      await againstNode("nothing-to-do", run, repository, { args: ["run"] }),
      await againstNode("stop-hook-nothing", hook, repository, {
        args: ["stop-hook"],
        env,
        stdin: {},
      }),
    ];
  } finally {
    await repository.remove();
  }
}
