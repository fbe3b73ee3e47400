/** The parts of a run, as differences of runs that do more and more. They explain the other figures. */
import { execa } from "execa";
import { gauntletBin } from "./commands";
import { inTurns, summarize, type Benchmark, type Context, type Figure } from "./lib";
import { RecordedGit, type GitUse } from "./RecordedGit";
import { benchEnv, GAUNTLET_FILES, Repository, version } from "./repositories";

/** A project with a gauntlet, whose first run has ended. */
class Project {
  readonly #git: RecordedGit;
  #edits = 0;

  private constructor(
    private readonly node: string,
    private readonly repository: Repository,
    git: RecordedGit
  ) {
    this.#git = git;
  }

  static async create(node: string): Promise<Project> {
    const repository = await Repository.create(10, GAUNTLET_FILES);
    const project = new Project(node, repository, await RecordedGit.install());
    await project.run();
    return project;
  }

  edit(): Promise<void> {
    return this.repository.write("edited.ts", version(this.#edits++));
  }

  async run(env = benchEnv): Promise<void> {
    await execa(this.node, [gauntletBin, "run"], {
      cwd: this.repository.dir,
      env,
      extendEnv: false,
    });
  }

  /** Returns how runs use git: without a change, and with an edited file. */
  async gitUse(rounds: number): Promise<{ nothing: GitUse[]; check: GitUse[] }> {
    const [nothing, check]: [GitUse[], GitUse[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      await this.run(this.#git.env);
      nothing.push(await this.#git.take());
      await this.edit();
      await this.run(this.#git.env);
      check.push(await this.#git.take());
    }
    return { nothing, check };
  }

  async remove(): Promise<void> {
    await Promise.all([this.repository.remove(), this.#git.remove()]);
  }
}

async function phases({ node }: Context): Promise<Figure[]> {
  const [plain, project] = await Promise.all([Repository.create(10), Project.create(node)]);
  const { dir: cwd } = plain;
  const outside = (args: string[], input = "") =>
    execa(node, args, { cwd, env: benchEnv, extendEnv: false, input });
  try {
    const turns = await inTurns(
      {
        node: () => outside(["-e", "0"]),
        stopHook: () => outside([gauntletBin, "stop-hook"], `${JSON.stringify({ cwd })}\n`),
        nothing: () => project.run(),
        check: () => project.run(),
      },
      30,
      async (side) => {
        if (side === "check") await project.edit();
      }
    );
    const use = await project.gitUse(30);
    const ms = (uses: readonly GitUse[]) => summarize(uses.map(({ ms }) => ms));
    const part = { unit: "ms", isInformation: true } as const;
    return [
      {
        id: "phase-node",
        claim: "start and end of an empty Node process",
        ...part,
        ...turns.each(({ node }) => node),
      },
      {
        id: "phase-stop-hook",
        claim: "stop-hook in a project without a gauntlet, less the empty process",
        ...part,
        ...turns.each(({ stopHook, node }) => stopHook - node),
      },
      {
        id: "phase-run",
        claim: "run with nothing to do, less the empty process",
        ...part,
        ...turns.each(({ nothing, node }) => nothing - node),
      },
      {
        id: "phase-run-git",
        claim: "of it, the time in which git runs",
        ...part,
        ...ms(use.nothing),
      },
      {
        id: "phase-check",
        claim: "run with one edited file and one trivial check, less the run with nothing to do",
        ...part,
        ...turns.each(({ check, nothing }) => check - nothing),
      },
      {
        id: "phase-check-git",
        claim: "time in which git runs, in a run with one check",
        ...part,
        ...ms(use.check),
      },
    ];
  } finally {
    await Promise.all([plain.remove(), project.remove()]);
  }
}

async function processes({ node }: Context): Promise<Figure> {
  const project = await Project.create(node);
  try {
    const { check } = await project.gitUse(3);
    const claim = "git processes of a run with one check, both looks included";
    const count = summarize(check.map(({ processes }) => processes));
    return { id: "git-processes-run", claim, unit: "processes", ...count };
  } finally {
    await project.remove();
  }
}

export const benchmarks: Benchmark[] = [
  {
    ids: [
      "phase-node",
      "phase-stop-hook",
      "phase-run",
      "phase-run-git",
      "phase-check",
      "phase-check-git",
    ],
    isPerNode: true,
    measure: phases,
  },
  { ids: ["git-processes-run"], measure: processes },
];
