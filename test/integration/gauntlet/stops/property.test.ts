/**
 * A stop is not approved in silence while a check fails on the current files, and not blocked while all checks pass. This holds for any sequence of fixes,
 * retries, waits, pauses, kills and concurrent stops (G32, G35, G36, G38, G39, G40, G42). `SEQUENCES` sets the number of
 * sequences, `SEED` repeats one.
 */
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { StopHookCommand } from "@test/helpers/gauntlet/stopHookCommand";
import { stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";
import { playSequences } from "@test/helpers/gauntlet/playSequences";
import type { Random } from "@test/helpers/Random";

const CONFIG = `max_retries: 2
entry_points:
  - path: src
    checks: [ok, fine, style, changed, flaky]
`;
const CHECKS = {
  ok: 'command: "sleep 0.02; ! grep -rq BAD ."\n',
  fine: "command: exit 0\nparallel: true\n",
  // What the fix makes of TRAP fails another check.
  style: `files: ["*.txt"]
command: "! grep -q UGLY {files}"
fix: "sed -i 's/UGLY/PRETTY/; s/TRAP/BAD/' {files}"
`,
  changed: 'files: ["*.txt"]\ncommand: "! grep -q AWFUL {files}"\nparallel: true\n',
  // On some trees, its first run fails.
  flaky: `retries: 1
command: |
  ran=../.git/ran-$(cat *.txt | cksum | tr -d ' ')
  case $ran in *[0-3]) test -e "$ran" || { echo > "$ran"; exit 1; };; esac
  ! grep -rq WORSE .
`,
};
/** Words that fail a check, if no fix replaces them. TRAP alone fails none. */
const FAILING = /BAD|UGLY|AWFUL|WORSE/;
const WORDS = ["BAD", "UGLY", "AWFUL", "WORSE", "TRAP"];
const FILES = ["src/a.txt", "src/b.txt"];
const MAX_ACTS = 24;

/** The answer to one call: whether it sends the agent back, or has a text for the user. */
interface Answer {
  readonly status: string;
  readonly isSilent: boolean;
}

class Agent {
  session = 1;
  turn = 1;
  /** By session, whether the agent continues because of the gauntlet. */
  readonly continued = new Set<number>();
  tasks = 0;

  constructor(
    readonly project: GauntletProject,
    readonly random: Random
  ) {}

  async edit(text: string): Promise<void> {
    const file = this.random.pick(FILES);
    await this.project.write(file, `${text} ${this.random.below(1_000)}\n`);
  }

  /** The fields that both calls of one stop have in common. Agents often say the same. */
  stop(): StopOptions & { readonly sessionId: string; readonly lastMessage: string } {
    return {
      sessionId: `session ${this.session}`,
      turnId: `turn ${this.turn}`,
      stopHookActive: this.continued.has(this.session),
      lastMessage: this.random.pick(["Done.", "I cannot."]),
    };
  }

  async call(stop: StopOptions): Promise<Answer> {
    const decision = await stopAt(this.project, { ...stop, startedAt: Date.now() });
    const { status } = decision.result;
    await decision.answered?.();
    return { status, isSilent: status !== "failed" && decision.personMessage === undefined };
  }

  /** Calls `stop-hook` as a process, which is killed after a while. An answer may have been written by then. */
  async callAndKill(stop: StopOptions): Promise<Answer | undefined> {
    const command = await StopHookCommand.start(this.project.dir, { args: ["--verify"] });
    const input = {
      session_id: stop.sessionId,
      turn_id: stop.turnId,
      stop_hook_active: stop.stopHookActive,
      last_assistant_message: stop.lastMessage,
    };
    command.send(`${JSON.stringify(input)}\n`);
    await Promise.race([command.end, delay(60 + this.random.below(500))]);
    command.child.kill("SIGKILL");
    const { stdout } = await command.end;
    if (!stdout.endsWith("\n")) return undefined;
    const answer = JSON.parse(stdout) as { status: string; systemMessage?: string };
    const isSilent = answer.status !== "failed" && answer.systemMessage === undefined;
    return { status: `${answer.status} (killed later)`, isSilent };
  }

  async isBroken(): Promise<boolean> {
    const texts = await Promise.all(FILES.map((file) => this.project.read(file).catch(() => "")));
    return texts.some((text) => FAILING.test(text));
  }
}

const toNothing = (): undefined => undefined;

/** Each returns the answers of each stop that it makes. */
const ACTS: Readonly<Record<string, (agent: Agent) => Promise<(readonly Answer[])[] | undefined>>> =
  {
    "edits well": (agent) => agent.edit("fine").then(() => undefined),
    "edits badly": (agent) => agent.edit(agent.random.pick(WORDS)).then(() => undefined),
    "removes a file": ({ project }) => project.remove("src/b.txt").then(toNothing, toNothing),
    "undoes the fix": async ({ project }) => {
      await agentGauntlet(project, ["undo-fix"]);
      return undefined;
    },
    "runs the gates with their fixes": async ({ project }) => {
      await agentGauntlet(project, ["run", "--fix"]);
      return undefined;
    },
    "switches to another branch": ({ project, random }) => {
      const branch = random.pick(["b0", "b1", "work"]);
      const create = project.git("switch", "--quiet", "--create", branch);
      return create
        .catch(() => project.git("switch", "--quiet", branch))
        .then(toNothing, toNothing);
    },
    "adds or removes an entry of the stash": ({ project, random }) =>
      project
        .git("stash", random.pick(["push", "pop", "apply"]), "--quiet")
        .then(toNothing, toNothing),
    "merges another branch": ({ project, random }) =>
      project.git("merge", "--quiet", random.pick(["b0", "b1"])).then(toNothing, toNothing),
    "works in a worktree": async ({ project, random }) => {
      const path = `${project.dir}-wt`;
      await project.git("worktree", "add", "--quiet", "--detach", path).catch(toNothing);
      await writeFile(join(path, "src/a.txt"), random.pick(WORDS)).catch(toNothing);
      return undefined;
    },
    "commits everything": ({ project }) => project.commit("work").then(toNothing, toNothing),
    "begins or ends a merge": async ({ project }) => {
      const merge = project.path(".git/MERGE_HEAD");
      if (existsSync(merge)) await rm(merge);
      else await project.write(".git/MERGE_HEAD", await project.git("rev-parse", "HEAD"));
      return undefined;
    },
    "turns fixes off or on": async ({ project, random }) => {
      const fix = random.pick(["true", "false"]);
      const file = ".git/home/.config/agent-gauntlet/config.yml";
      await project.write(file, `stop_hook: { fix: ${fix} }\n`);
      return undefined;
    },
    stops: async (agent) => [[await agent.call(agent.stop())]],
    "stops while it plans": async (agent) => [
      [await agent.call({ ...agent.stop(), isPlanning: true })],
    ],
    "stops twice without an edit": async (agent) => [
      [await agent.call(agent.stop())],
      [await agent.call(agent.stop())],
    ],
    "stops with two hooks": async (agent) => {
      const stop = agent.stop();
      return [await Promise.all([agent.call(stop), agent.call(stop)])];
    },
    "stops at once with another session": async (agent) => {
      const own = agent.stop();
      const other = { ...own, sessionId: "another session" };
      const [mine, others] = await Promise.all([agent.call(own), agent.call(other)]);
      return [[mine], [others]];
    },
    "stops with agents in the background": async (agent) => {
      const { random } = agent;
      agent.tasks += random.below(2);
      const type = random.pick(["subagent", "workflow", "shell"]);
      const backgroundTasks = [{ id: `task ${agent.tasks}`, type }];
      const isHeadless = random.below(4) === 0;
      return [[await agent.call({ ...agent.stop(), backgroundTasks, isHeadless })]];
    },
    "stops, and the hook is killed": async (agent) => {
      const answer = await agent.callAndKill(agent.stop());
      return answer === undefined ? undefined : [[answer]];
    },
    "stops with two hooks, of which one is killed": async (agent) => {
      const stop = agent.stop();
      const killed = agent.callAndKill(stop);
      await delay(agent.random.below(200));
      const answers = await Promise.all([killed, agent.call(stop)]);
      return [answers.filter((answer) => answer !== undefined)];
    },
    "gets a message": async (agent) => {
      agent.turn++;
      agent.continued.clear();
      if (agent.random.below(2) === 0) return undefined;
      const { sessionId, turnId } = agent.stop();
      const { dir: cwd } = agent.project;
      const now = () => new Date();
      await recordTurnStart({ runtime: new LocalFiles(), cwd, sessionId, turnId, now });
      return undefined;
    },
    "begins a session": (agent) => {
      agent.session++;
      return Promise.resolve(undefined);
    },
    "is paused by a person": async ({ project, random }) => {
      const limit = random.pick([
        ["--turns", "1"],
        ["--turns", "2"],
        ["--minutes", "1"],
      ]);
      await agentGauntlet(project, ["pause", ...limit], { tty: true });
      return undefined;
    },
    "is resumed": async ({ project }) => {
      await agentGauntlet(project, ["resume"]);
      return undefined;
    },
    "tries to pause": async ({ project }) => {
      await agentGauntlet(project, ["pause"], { env: { CLAUDECODE: "1" } });
      return undefined;
    },
  };

/** Each sequence is of one of these mixtures. In the second one, few acts prevent that gates run. */
const MIXTURES = [
  [...Object.keys(ACTS), "edits badly", "edits badly", "stops", "is resumed", "is resumed"],
  [
    ...["edits badly", "edits badly", "edits badly", "edits badly", "edits well", "removes a file"],
    ...["stops", "stops", "stops", "stops twice without an edit", "stops while it plans"],
    ...["stops at once with another session", "stops, and the hook is killed"],
    ...["undoes the fix", "undoes the fix", "turns fixes off or on", "begins or ends a merge"],
    ...["runs the gates with their fixes", "commits everything", "gets a message"],
    ...["switches to another branch", "merges another branch", "works in a worktree"],
    ...["adds or removes an entry of the stash"],
  ],
];

/** Plays a sequence. Returns its actions, and whether a stop was wrong. */
async function play(random: Random): Promise<{ story: string[]; isWrong: boolean }> {
  const project = await GauntletProject.create(CONFIG, CHECKS);
  const agent = new Agent(project, random);
  const names = random.pick(MIXTURES);
  const story: string[] = [];
  for (let acts = 3 + random.below(MAX_ACTS); acts > 0; acts--) {
    const name = random.pick(names);
    const wasBroken = await agent.isBroken();
    const stops = (await ACTS[name]?.(agent)) ?? [];
    story.push([name, ...stops.flat().map(({ status }) => status)].join(": "));
    const last = stops.at(0);
    if (last?.some(({ status }) => status === "failed") === true) {
      agent.continued.add(agent.session);
    } else if (last !== undefined) {
      agent.continued.delete(agent.session);
    }
    const isSilent = stops.some((answers) => answers.every((answer) => answer.isSilent));
    const isBroken = await agent.isBroken();
    const blocks = stops.flat().filter(({ status }) => status === "failed").length;
    // The other session may fix a file after this one was blocked, which had restored it (G35).
    const isFixed = wasBroken && name === "stops at once with another session" && blocks === 1;
    const isWrong = isBroken ? isSilent : blocks > 0 && !isFixed;
    if (isWrong) return { story, isWrong: true };
  }
  return { story, isWrong: false };
}

playSequences(
  (count) =>
    `no sequence of fixes, retries, waits, pauses, kills and concurrent stops approves failing work in silence: ${count} sequences`,
  { usual: 1 },
  play
);
