/**
 * A stop is not approved while the check fails on the current files, unless the user is warned (G20a). This holds for
 * any actions of an agent. `SEQUENCES` sets the number of sequences, `SEED` repeats one.
 */
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { START_REF } from "@/node/services/gauntlet/change/git/GitContext";
import { cleanByHand } from "@/node/services/gauntlet/run/logs/clean";
import { recordStartingCommit } from "@/node/services/gauntlet/hook/startingCommit";
import { recordTurnStart } from "@/node/services/gauntlet/turn/turnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { Random } from "@test/helpers/Random";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
/** The check moves a file from `.git/late` into the working tree after it has read the others. */
const CHECK =
  'command: "! grep -rq BAD . && { test ! -e ../.git/late || mv ../.git/late late.txt; }"\n';
const WEAK_CHECK = "command: exit 0\n";
const BASE = "main";
const SEQUENCES = Number(process.env.SEQUENCES ?? 8);
const MAX_ACTS = 12;
const SEQUENCE_MS = 60_000;

/** An agent's session in a repository. git commands that fail are ignored, as an agent does. */
class Agent {
  session = 1;
  turn = 1;
  isContinued = false;
  /** The starting commit when it was first recorded (G20b). */
  start: string | undefined;

  /** Whether a stop was sent back, without a pass, a clean or lost logs since. */
  isSentBack = false;

  constructor(
    readonly project: GauntletProject,
    readonly random: Random
  ) {}

  async git(...args: string[]): Promise<void> {
    await this.project.git(...args).catch(() => undefined);
  }

  async succeeds(...args: string[]): Promise<boolean> {
    return await this.project.git(...args).then(
      () => true,
      () => false
    );
  }

  async noteStart(): Promise<void> {
    const args = ["rev-parse", "--quiet", "--verify", START_REF];
    this.start ??= await this.project.git(...args).then(
      (commit) => commit.trim(),
      () => undefined
    );
  }

  async edit(text: string): Promise<void> {
    const file = this.random.pick(["src/a.txt", "src/b.txt", "lib/a.txt", "README.md"]);
    await this.project.write(file, `${text} ${this.random.below(1_000)}\n`);
  }

  get stop() {
    return {
      sessionId: `session ${this.session}`,
      turnId: `turn ${this.turn}`,
      stopHookActive: this.isContinued,
    };
  }
}

const ACTS: Readonly<Record<string, (agent: Agent) => Promise<unknown>>> = {
  "edits well": (agent) => agent.edit("fine"),
  "edits badly": (agent) => agent.edit("BAD"),
  commits: async (agent) => {
    await agent.git("add", "--all");
    await agent.git("commit", "--quiet", "--message", "work");
  },
  "commits bad work": async (agent) => {
    await agent.project.write("src/a.txt", `BAD ${agent.random.below(1_000)}\n`);
    await agent.git("add", "--all");
    await agent.git("commit", "--quiet", "--message", "work");
  },
  "merges its branch into the base": async (agent) => {
    const branch = await agent.project.git("branch", "--show-current");
    await agent.git("switch", "--quiet", BASE);
    await agent.git("merge", "--quiet", branch.trim());
  },
  "takes its last commit back": (agent) => agent.git("reset", "--quiet", "--soft", "HEAD~1"),
  branches: (agent) => agent.git("switch", "--quiet", "--create", `b${agent.random.below(3)}`),
  "checks out": (agent) =>
    agent.git("switch", "--quiet", agent.random.pick(["main", "work", "b0", "b1"])),
  merges: (agent) => agent.git("merge", "--quiet", agent.random.pick(["work", "b0", "b1"])),
  resets: (agent) =>
    agent.git("reset", "--quiet", agent.random.pick(["--soft", "--hard"]), "HEAD~1"),
  stashes: (agent) => agent.git("stash", "push", "--quiet", "--include-untracked"),
  unstashes: (agent) => agent.git("stash", "pop", "--quiet"),
  renames: async (agent) => {
    await agent.git("add", "--all");
    await agent.git(
      "mv",
      ...agent.random.pick([
        ["src", "moved"],
        ["moved", "src"],
      ])
    );
  },
  cleans: async (agent) => {
    const { runtime, dir: projectDir } = agent.project;
    const logDir = agent.project.path("gauntlet_logs");
    await cleanByHand(runtime, { projectDir, logDir }, new Date());
    agent.isSentBack = false;
  },
  "runs by hand": async (agent) => {
    const { status } = await agent.project.run();
    if (status === "passed") agent.isSentBack = false;
  },
  "interrupts a run": ({ project }) => project.run({ signal: AbortSignal.timeout(30) }),
  "edits the configuration": ({ project, random }) =>
    project.write(
      ".gauntlet/config.yml",
      random.pick([
        `base_branch: main\n${CONFIG}`,
        `# edited\nbase_branch: main\n${CONFIG}`,
        "base_branch: main\nentry_points:\n  - path: src\n    checks: []\n",
        "entry_points: 3\n",
      ])
    ),
  "edits the check": ({ project, random }) =>
    project.write(".gauntlet/checks/ok.yml", random.pick([CHECK, WEAK_CHECK])),
  "passes a weakened check by hand, and restores it": async ({ project, random }) => {
    await project.write("src/b.txt", `BAD ${random.below(1_000)}\n`);
    await project.write(".gauntlet/checks/ok.yml", WEAK_CHECK);
    await project.run();
    await project.write(".gauntlet/checks/ok.yml", CHECK);
  },
  "writes while the check runs": ({ project, random }) =>
    project.write(".git/late", `${random.pick(["BAD", "fine"])} ${random.below(1_000)}\n`),
  "loses its logs": async (agent) => {
    await agent.project.remove("gauntlet_logs").catch(() => undefined);
    agent.isSentBack = false;
  },
  "gets a message": async (agent) => {
    agent.turn++;
    agent.isContinued = false;
    const { runtime, dir: cwd } = agent.project;
    const { sessionId } = agent.stop;
    await recordTurnStart({ runtime, cwd, env: {}, sessionId, now: () => new Date() });
  },
  restarts: (agent) => {
    agent.session++;
    agent.isContinued = false;
    return Promise.resolve();
  },
};

/** Actions that often precede a bypass have a higher probability. */
const NAMES = [...Object.keys(ACTS), "edits badly", "commits bad work", "commits bad work"];

/** Plays a sequence. Returns its actions, and whether a stop was approved without a warning. */
async function play(seed: number): Promise<{ story: string[]; slipped: boolean }> {
  const random = new Random(seed);
  const project = await GauntletProject.create(CONFIG, { ok: CHECK });
  const agent = new Agent(project, random);
  const story: string[] = [];
  if (random.below(2) === 0) {
    await recordStartingCommit({ runtime: project.runtime, projectDir: project.dir, env: {} });
    story.push("begins with init");
  }
  if (random.below(2) === 0) await project.git("switch", "--quiet", BASE);
  for (let acts = 1 + random.below(MAX_ACTS); acts > 0; acts--) {
    const name = random.pick(NAMES);
    await ACTS[name]?.(agent);
    await agent.noteStart();
    story.push(name);
    if (acts > 1 && random.below(3) > 0) continue;
    const came = await stopOf(agent);
    story.push(`stops: ${came}`);
    if (came === "slipped") return { story, slipped: true };
  }
  return { story, slipped: false };
}

async function stopOf(agent: Agent): Promise<string> {
  const { project } = agent;
  const decision = await stopAt(project, agent.stop);
  const { status } = decision.result;
  agent.isContinued = status === "failed";
  if (status === "failed") agent.isSentBack = true;
  if (status === "failed" || decision.personMessage !== undefined) return status;
  if ((await isBroken(project)) && !(await isOlderThanStart(agent))) return "slipped";
  if (status === "passed") agent.isSentBack = false;
  return status;
}

/** Returns whether the check fails now, if the project still has the check and its folder. */
async function isBroken(project: GauntletProject): Promise<boolean> {
  const config = await project.read(".gauntlet/config.yml").catch(() => "");
  const check = await project.read(".gauntlet/checks/ok.yml").catch(() => "");
  if (!config.includes("checks: [ok]") || check !== CHECK) return false;
  const { end } = await project.runtime.exec({
    command: { script: "test -d src && grep -rq BAD src" },
    cwd: project.dir,
  });
  return end.kind === "exited" && end.code === 0;
}

/**
 * Returns whether nothing changed on the base branch since the starting commit, or since HEAD if HEAD is older: a gate
 * that never passed is compared with the merge base of both (G20b).
 */
async function isOlderThanStart(agent: Agent): Promise<boolean> {
  await agent.noteStart();
  const { start } = agent;
  if (start === undefined || agent.isSentBack) return false;
  const untracked = await agent.project.git("ls-files", "--others", "--exclude-standard", "src");
  const isHeadOlder = await agent.succeeds("merge-base", "--is-ancestor", "HEAD", start);
  const base = isHeadOlder ? "HEAD" : start;
  return (
    untracked === "" &&
    (await agent.succeeds("diff", "--quiet", base, "--", "src")) &&
    (await agent.succeeds("merge-base", "--is-ancestor", base, "HEAD")) &&
    (await agent.succeeds("merge-base", "--is-ancestor", "HEAD", BASE))
  );
}

/** The same ones at each run, unless more are wanted. */
const isRandom = process.env.SEQUENCES !== undefined;
const seeds =
  process.env.SEED === undefined
    ? Array.from({ length: SEQUENCES }, (_, i) => (isRandom ? randomInt(2 ** 31) : i + 1))
    : [Number(process.env.SEED)];

test(
  `no sequence of an agent's actions bypasses the gate: ${seeds.length} sequences (G20a)`,
  { timeout: SEQUENCE_MS * seeds.length },
  async () => {
    for (const seed of seeds) {
      const { story, slipped } = await play(seed);
      expect(slipped, `SEED=${seed}: the agent ${story.join(", ")}`).toBe(false);
    }
  }
);
