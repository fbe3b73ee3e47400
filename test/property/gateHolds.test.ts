/**
 * A stop is not approved while the check fails on the current files, unless the user is warned (G20a), and not blocked by
 * a check that passes. Work elsewhere is shown (G20e). This holds for any actions of an agent. `SEQUENCES` sets the number of sequences, `SEED` repeats one.
 */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { START_REF } from "@/node/services/gauntlet/change/git/GitContext";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { cleanByHand } from "@/node/services/gauntlet/run/logs/cleanLogs";
import { recordStartingCommit } from "@/node/services/gauntlet/run/plan/runRepository";
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { playSequences } from "@test/helpers/gauntlet/playSequences";
import type { Random } from "@test/helpers/Random";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
/** A file outside of git's sight can make the check fail. The check moves a file from `.git/late` into the working tree after it has read the others. */
const CHECK =
  'command: "! test -e ../.git/broken && ! grep -rq BAD . && { test ! -e ../.git/late || mv ../.git/late late.txt; }"\n';
const WEAK_CHECK = "command: exit 0\n";
const BASE = "main";
const MAX_ACTS = 12;

/** An agent's session in a repository. git commands that fail are ignored, as an agent does. */
class Agent {
  session = 1;
  turn = 1;
  isContinued = false;
  /** The starting commit when it was first recorded (G20b). */
  start: string | undefined;

  /** Names of places with bad work that a stop has to show, because the session made it there. */
  readonly elsewhere = new Set<string>();
  /** By entry of the stash, the oldest first: whether a stop has to show it. */
  stashes: boolean[] = [];
  /** Whether the session's first message was recorded before its first stop. */
  isRecorded = false;
  hasStopped = false;
  places = 0;

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

  async commit(message: string): Promise<boolean> {
    await this.git("add", "--all");
    return await this.succeeds("commit", "--quiet", "--message", message);
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

  async noteStash(isShown: boolean): Promise<void> {
    const count = (await this.project.git("stash", "list")).split("\n").length - 1;
    while (this.stashes.length < count) this.stashes.push(isShown && this.isRecorded);
    this.stashes.length = count;
  }

  beginSession(): void {
    this.session++;
    this.isContinued = false;
    this.isRecorded = false;
    this.hasStopped = false;
    this.elsewhere.clear();
    this.stashes = this.stashes.map(() => false);
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
  commits: (agent) => agent.commit("work"),
  "commits bad work": async (agent) => {
    await agent.project.write("src/a.txt", `BAD ${agent.random.below(1_000)}\n`);
    await agent.commit("work");
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
  stashes: async (agent) => {
    await agent.git("stash", "push", "--quiet", "--include-untracked");
    await agent.noteStash(false);
  },
  "stashes bad work": async (agent) => {
    await agent.edit("BAD");
    await agent.git("stash", "push", "--quiet", "--include-untracked");
    await agent.noteStash(true);
  },
  unstashes: async (agent) => {
    await agent.git("stash", "pop", "--quiet");
    await agent.noteStash(false);
  },
  "commits bad work on a branch of its own": async (agent) => {
    const name = `side-${++agent.places}`;
    await agent.git("add", "--all");
    if (!(await agent.succeeds("switch", "--quiet", "--create", name))) return;
    await agent.project.write("src/a.txt", `BAD ${agent.random.below(1_000)}\n`);
    const isDone = await agent.commit("aside");
    const isBack = await agent.succeeds("switch", "--quiet", "-");
    if (isDone && isBack && agent.isRecorded) agent.elsewhere.add(name);
  },
  "works in a new worktree": async (agent) => {
    const path = `${agent.project.dir}-${++agent.places}`;
    if (!(await agent.succeeds("worktree", "add", "--quiet", "--detach", path))) return;
    await writeFile(join(path, "new.txt"), "BAD\n");
    if (agent.isRecorded) agent.elsewhere.add(path);
  },
  deletes: ({ project, random }) =>
    project.remove(random.pick(["src/a.txt", "src/b.txt", "src"])).catch(() => undefined),
  "merges main": async (agent) => {
    const branch = (await agent.project.git("branch", "--show-current")).trim();
    if (!(await agent.succeeds("switch", "--quiet", BASE))) return;
    await agent.project.write("src/main.txt", `${agent.random.below(1_000)}\n`);
    await agent.git("add", "src/main.txt");
    await agent.git("commit", "--quiet", "--message", "others' work");
    await agent.git("switch", "--quiet", branch);
    await agent.git("merge", "--quiet", BASE);
  },
  "breaks a dependency": ({ project }) => project.write(".git/broken", ""),
  "repairs the dependency": ({ project }) => project.remove(".git/broken").catch(() => undefined),
  "takes its edits back": (agent) => agent.git("checkout", "--quiet", "--", "."),
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
    const result = await agent.project.run();
    // A run by hand counts only with the definition that failed (G18a).
    const check = await agent.project.read(".gauntlet/checks/ok.yml").catch(() => "");
    if (didPass(result) && check === CHECK) agent.isSentBack = false;
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
    agent.isRecorded ||= !agent.hasStopped;
    await recordTurnStart({ runtime, cwd, sessionId, now: () => new Date() });
  },
  restarts: (agent) => {
    agent.beginSession();
    return Promise.resolve();
  },
};

/** Actions that often precede a bypass have a higher probability. */
const NAMES = [...Object.keys(ACTS), "edits badly", "commits bad work", "commits bad work"];

/** What a stop must not do. */
const WRONG = ["slipped", "not shown", "blocked wrongly"];

/** Plays a sequence. Returns its actions, and whether a stop was wrong. */
async function play(random: Random): Promise<{ story: string[]; isWrong: boolean }> {
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
    if (WRONG.includes(came)) return { story, isWrong: true };
  }
  return { story, isWrong: false };
}

async function stopOf(agent: Agent): Promise<string> {
  const { project } = agent;
  const isLate = existsSync(project.path(".git/late"));
  const decision = await stopAt(project, agent.stop);
  agent.hasStopped = true;
  const { status, gates } = decision.result;
  agent.isContinued = status === "failed";
  if (status === "failed") {
    agent.isSentBack = true;
    const isExit = gates.some(
      ({ outcome, message = "" }) => outcome === "failed" && message.startsWith("Exited")
    );
    if (isExit && !isLate && !(await doesFail(project))) return "blocked wrongly";
  }
  if (isSuccessStatus(status) && !isShown(agent, decision.personMessage ?? "")) return "not shown";
  const isSilent = status !== "failed" && decision.personMessage === undefined;
  const isMissed = isSilent && (await isBroken(agent)) && !(await isOlderThanStart(agent));
  if (isMissed) return "slipped";
  if (didPass(decision.result)) agent.isSentBack = false;
  return status;
}

/** Returns whether a gate ran and passed, which resolves it, also if the user is shown a message (G18a, G21). */
function didPass({ status, gates }: RunResult): boolean {
  const ran = gates.some(
    ({ outcome, cachedSince }) => outcome === "passed" && cachedSince === undefined
  );
  return status === "passed" && ran;
}

/** Returns whether the user was shown all bad work of the session that is elsewhere. */
function isShown({ elsewhere, stashes }: Agent, text: string): boolean {
  const entries = stashes.flatMap((has, i) => (has ? `stash@{${stashes.length - 1 - i}}` : []));
  const isNamed = (place: string): boolean => text.includes(place);
  return [...elsewhere, ...entries].every(isNamed) || text.includes("other place");
}

const HAS_BAD_WORK = "test -d src && grep -rq BAD src";

const doesFail = (project: GauntletProject): Promise<boolean> =>
  project.isTrue(`test -e .git/broken || { ${HAS_BAD_WORK}; }`);

/**
 * Returns whether the check fails now, if the project still has the check and its folder. No stop sees what happens
 * outside of git, unless the check is unresolved.
 */
async function isBroken({ project, isSentBack }: Agent): Promise<boolean> {
  const config = await project.read(".gauntlet/config.yml").catch(() => "");
  const check = await project.read(".gauntlet/checks/ok.yml").catch(() => "");
  if (!config.includes("checks: [ok]") || check !== CHECK) return false;
  if (isSentBack && existsSync(project.path("src")) && existsSync(project.path(".git/broken")))
    return true;
  return await project.isTrue(HAS_BAD_WORK);
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

playSequences(
  (count) => `no sequence of an agent's actions bypasses the gate: ${count} sequences (G20a)`,
  { usual: 3 },
  play
);
