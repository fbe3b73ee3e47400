/** Trust in Claude Code, opencode and Mux: what runs, and what the agent and the user of any agent host get (G24a). */
import { randomUUID } from "node:crypto";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { hookLoadOptions } from "@/wiring";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopInput } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { farRuntime } from "@test/helpers/remote/localShell";
import { FakeOpencode } from "@test/unit/opencode/fakeOpencode";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import type { AgentHost, HostDecision } from "@/cli/gauntlet/hosts/types";
import { runGauntlet } from "@test/helpers/gauntlet/trust";
import { CHECK, LAX, newPerson, ranIn, toldBy, TrustRig } from "@test/helpers/gauntlet/trustRig";
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";

interface Turn {
  readonly blocks: boolean;
  readonly reason: string;
  readonly forPerson: string;
}

/** Runs one turn of an agent until its first stop. */
type RunTurn = (project: GauntletProject, home: string, act: () => Promise<void>) => Promise<Turn>;

const inMuxOn = async (
  runtime: HookRuntime,
  project: GauntletProject,
  home: string,
  act: () => Promise<void>
): Promise<Turn> => {
  const { dir } = project;
  const findProject = () => Promise.resolve(dir);
  const load = hookLoadOptions(runtime, { env: {}, home }, { findProject });
  const input = stopInput(dir, project.path(".git/chat.jsonl"), { session_id: randomUUID() });
  const watched = new WatchedController({ runtime, dir, load, input }, { builtins: load.builtins });
  await watched.controller.beginTurn();
  await act();
  const verdict = await watched.turnEnds();
  // A record of a continuation may be written after the answer, into a project that the next test resets.
  await watched.controller.dispose();
  const blocks = verdict.action === "continue";
  const reason = blocks ? verdict.message : "";
  return { blocks, reason, forPerson: watched.notices.join("\n") };
};

const inMux: RunTurn = (project, ...turn) => inMuxOn(project.runtime, project, ...turn);
const inFarMux: RunTurn = (...turn) => inMuxOn(farRuntime(), ...turn);

const inOpencode: RunTurn = async (project, home, act) => {
  const fake = await FakeOpencode.start({ project: project.dir, home, trusted: false });
  // The agent has fixed the failure at its second stop.
  const fix = () => project.remove("src/bad");
  fake.answers.push({ does: act }, { does: fix }, { does: fix });
  await fake.say(fake.newSession(), "Do it.");
  const reasons = fake.prompts.map(({ parts }) => parts[0]?.text ?? "");
  await fake.dispose();
  return {
    blocks: reasons.length > 0,
    reason: reasons[0] ?? "",
    forPerson: fake.toasts.map(({ message }) => message).join("\n"),
  };
};

/** Each cell of the table in docs/security.md, with the text that proves it. */
type Cell = readonly [words: string, proof: RegExp | undefined];

interface Situation {
  readonly name: string;
  readonly isTrusted?: boolean;
  /** Before the user's message. */
  readonly before?: (project: GauntletProject, home: string) => Promise<unknown>;
  /** What the agent does besides a change that fails the trusted gate. */
  readonly act?: (project: GauntletProject) => Promise<unknown>;
  /** Which definition runs. */
  readonly runs: readonly [words: string, definition: "strict" | undefined];
  readonly agent: Cell;
  readonly person: Cell;
}

const weaken = (project: GauntletProject) => project.write(CHECK, LAX);
const NOTHING: Cell = ["nothing", undefined];

const SITUATIONS: readonly Situation[] = [
  {
    name: "a fresh clone",
    isTrusted: false,
    runs: ["nothing", undefined],
    agent: NOTHING,
    person: ["not verified, and the command to trust it", /not (?:verified|run)[^]*trust/],
  },
  {
    name: "a project after `trust --never`",
    before: ({ dir }, home) => runGauntlet(dir, home, ["trust", "--never", "--yes"]),
    runs: ["no gate", undefined],
    agent: NOTHING,
    person: NOTHING,
  },
  {
    name: "a project that you trusted",
    runs: ["its gates", "strict"],
    agent: ["the failure", /did not pass/],
    person: ["what the host shows of a block", undefined],
  },
  {
    name: "a trusted project, whose definitions others changed",
    before: async (project) => {
      await weaken(project);
      await project.commit("lax");
      // A pull does not write a commit to the log of HEAD.
      await project.write(".git/logs/HEAD", "");
    },
    runs: ["the trusted form", "strict"],
    agent: NOTHING,
    person: [
      "that the trusted form fails, and the command to trust the change",
      /failed as you trusted it[^]*trust"/,
    ],
  },
  {
    name: "definitions that the agent changes in the turn",
    act: weaken,
    runs: ["the form of the turn's beginning", "strict"],
    agent: ["the failure, and that the earlier form ran", /definition of the turn's beginning ran/],
    person: ["which files differ", /checks\/ok\.yml[^]*changed|changed[^]*checks\/ok\.yml/],
  },
  {
    name: "definitions that the agent removes in the turn",
    act: (project) => project.remove(".gauntlet"),
    runs: ["the form of the turn's beginning", "strict"],
    agent: ["the failure, and that the earlier form ran", /definition of the turn's beginning ran/],
    person: [
      "that they were removed or changed",
      /\.gauntlet was removed|\.gauntlet\/config\.yml: changed since the turn began/,
    ],
  },
];

interface MatrixHost {
  readonly name: string;
  readonly turn: RunTurn;
  /** Whether the host shows its user a message with a block, or without one. */
  readonly shows: (blocks: boolean) => boolean;
}

/** The command of an agent host. */
const byCommand = (host: AgentHost): MatrixHost => ({
  name: host.name,
  turn: async (project, home, act) => {
    const rig = await TrustRig.in(project, home, host);
    await act();
    return await rig.stop();
  },
  shows: (blocks) => TrustRig.shows(host, blocks ? "failed" : "passed"),
});

const claude = AGENT_HOSTS[0]!;
const otherHosts = AGENT_HOSTS.slice(1);
const shows = () => true;
const inOpencodeOrMux: readonly MatrixHost[] = [
  { name: "opencode", turn: inOpencode, shows },
  { name: "Mux", turn: inMux, shows },
];

async function play({ before, act, isTrusted = true }: Situation, { turn }: MatrixHost) {
  const { project, home } = await newPerson(isTrusted);
  await before?.(project, home);
  const ended = await turn(project, home, async () => {
    await project.write("src/bad", "x");
    await act?.(project);
  });
  return { ...ended, ran: await ranIn(project) };
}

/** The table of docs/security.md. */
function matrixTable(): string {
  return SITUATIONS.map(
    ({ name, runs, agent, person }) => `| ${name} | ${runs[0]} | ${agent[0]} | ${person[0]} |`
  ).join("\n");
}

const PAGE = new URL("../../../../docs/security.md", import.meta.url);

test("the hosts of the documentation are in the matrix (G24a)", () => {
  const documented = ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "Mux"];
  const inMatrix = [...AGENT_HOSTS, ...inOpencodeOrMux].map(({ name }) => name);
  expect(inMatrix).toEqual(expect.arrayContaining(documented));
});

test("docs/security.md has the table of the situations (G24a)", async () => {
  const page = (await readFile(PAGE, "utf8")).replaceAll(/ +/g, " ");
  expect(page).toContain(matrixTable());
});

function expectTold({ agent, person }: Situation, host: MatrixHost, told: Turn): void {
  const { blocks, reason, forPerson } = told;
  expect(blocks).toBe(agent[1] !== undefined);
  if (agent[1] !== undefined) expect(reason).toMatch(agent[1]);
  if (person[0] === "nothing") expect(forPerson.trim()).toBe("");
  if (person[1] !== undefined && host.shows(blocks)) expect(forPerson).toMatch(person[1]);
  const isFar = host.turn === inFarMux && /"mux-stop-hooks (?!hooks)/.test(forPerson);
  expect(forPerson.includes("run the commands on local-shell")).toBe(isFar);
}

async function expectPlayed(situation: Situation, host: MatrixHost): Promise<void> {
  const { runs } = situation;
  const { ran, ...told } = await play(situation, host);
  expect([...new Set(ran)]).toEqual(runs[1] === undefined ? [] : [runs[1]]);
  expectTold(situation, host, told);
}

describe.each([byCommand(claude), ...inOpencodeOrMux])("in $name", (host) => {
  test.each(SITUATIONS)("$name (G24a)", async (situation) => {
    await expectPlayed(situation, host);
  });
});

/** The engine decides as in Mux here. These name a command, or run old definitions over there. */
const READ_FAR = SITUATIONS.filter(({ name }) => /fresh|others changed|agent changes/.test(name));

test.each(READ_FAR)("in Mux on another machine: $name (G24a)", async (situation) => {
  await expectPlayed(situation, { name: "far", turn: inFarMux, shows });
});

describe("the decision of a command, in the form of each other host", () => {
  const blocksAndTells = SITUATIONS.find(({ name }) => name.includes("agent changes"))!;
  const decisions: HostDecision[] = [];

  beforeAll(async () => {
    const answer: AgentHost["answer"] = (decision) => {
      decisions.push(decision);
      return claude.answer(decision);
    };
    await play(blocksAndTells, byCommand({ ...claude, answer }));
  });

  test.each(otherHosts)("$name (G24a)", (host) => {
    const told = toldBy(host.answer(decisions.at(-1)!));
    expectTold(blocksAndTells, byCommand(host), told);
  });
});
