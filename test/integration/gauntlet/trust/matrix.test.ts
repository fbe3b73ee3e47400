/** Trust in every agent host: what runs, and what the agent and the user get (G24a). */
import { randomUUID } from "node:crypto";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { hookLoadOptions } from "@/wiring";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopInput } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { farRuntime } from "@test/helpers/remote/localShell";
import { FakeOpencode } from "@test/unit/opencode/fakeOpencode";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import { runGauntlet } from "@test/helpers/gauntlet/trust";
import { CHECK, LAX, newPerson, ranIn, TrustRig } from "@test/helpers/gauntlet/trustRig";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";

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

const commandHosts: MatrixHost[] = AGENT_HOSTS.map((host) => ({
  name: host.name,
  turn: async (project, home, act) => {
    const rig = await TrustRig.in(project, home, host);
    await act();
    return await rig.stop();
  },
  shows: (blocks) => TrustRig.shows(host, blocks ? "failed" : "passed"),
}));

const shows = () => true;
const MATRIX_HOSTS: readonly MatrixHost[] = [
  ...commandHosts,
  { name: "opencode", turn: inOpencode, shows },
  { name: "Mux", turn: inMux, shows },
  { name: "Mux on another machine", turn: inFarMux, shows },
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
  const rows = SITUATIONS.map(({ name, runs, agent, person }) => [
    name,
    runs[0],
    agent[0],
    person[0],
  ]);
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const PAGE = new URL("../../../../docs/security.md", import.meta.url);

test("the hosts of the documentation are in the matrix (G24a)", () => {
  const documented = ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "Mux"];
  expect(MATRIX_HOSTS.map(({ name }) => name)).toEqual(expect.arrayContaining(documented));
});

test("docs/security.md has the table of the situations (G24a)", async () => {
  const page = (await readFile(PAGE, "utf8")).replaceAll(/ +/g, " ");
  expect(page).toContain(matrixTable());
});

/** One that blocks and shows a text, for a host whose command decides as that of the first host does. */
const TEXTS = SITUATIONS.filter(({ name }) => /^definitions .* changes/.test(name));

describe.each(MATRIX_HOSTS)("in $name", (host) => {
  const decidesAlone = ["claude", "opencode"].includes(host.name) || host.name.startsWith("Mux");
  test.each(decidesAlone ? SITUATIONS : TEXTS)("$name (G24a)", async (situation) => {
    const { runs, agent, person } = situation;
    const { ran, blocks, reason, forPerson } = await play(situation, host);
    expect([...new Set(ran)]).toEqual(runs[1] === undefined ? [] : [runs[1]]);
    expect(blocks).toBe(agent[1] !== undefined);
    if (agent[1] !== undefined) expect(reason).toMatch(agent[1]);
    if (person[0] === "nothing") expect(forPerson.trim()).toBe("");
    if (person[1] !== undefined && host.shows(blocks)) expect(forPerson).toMatch(person[1]);
    const isFar = host.turn === inFarMux && /"mux-stop-hooks (?!hooks)/.test(forPerson);
    expect(forPerson.includes("run the commands on local-shell")).toBe(isFar);
  });
});
