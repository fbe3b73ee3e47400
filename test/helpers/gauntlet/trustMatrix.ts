/** Every situation of trust in every agent host: what runs, and what the agent and the user get (G24a). */
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { inMux, inOpencode, type RunTurn, type Turn } from "@test/helpers/gauntlet/engineRigs";
import { runGauntlet } from "@test/helpers/gauntlet/trust";
import { CHECK, LAX, newPerson, ranIn, TrustRig } from "@test/helpers/gauntlet/trustRig";

/** Each cell of the table in docs/security.md, with the text that proves it. */
type Cell = readonly [words: string, proof: RegExp | undefined];

export interface Situation {
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

export const SITUATIONS: readonly Situation[] = [
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
    runs: ["nothing", undefined],
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

export interface MatrixHost {
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
export const MATRIX_HOSTS: readonly MatrixHost[] = [
  ...commandHosts,
  { name: "opencode", turn: inOpencode, shows },
  { name: "Mux", turn: inMux, shows },
];

export async function play(
  { before, act, isTrusted = true }: Situation,
  { turn }: MatrixHost
): Promise<Turn & { readonly ran: readonly string[] }> {
  const { project, home } = await newPerson(isTrusted);
  await before?.(project, home);
  const ended = await turn(project, home, async () => {
    await project.write("src/bad", "x");
    await act?.(project);
  });
  return { ...ended, ran: await ranIn(project) };
}

/** The table of docs/security.md. */
export function matrixTable(): string {
  const rows = SITUATIONS.map(({ name, runs, agent, person }) => [
    name,
    runs[0],
    agent[0],
    person[0],
  ]);
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
