/**
 * A check with `{base}` or `{files}` lets no failing file pass in silence, and blocks no good one, for any actions of an
 * agent: its tool compares only with a commit (G32, G33). `SEQUENCES` sets the number of sequences, `SEED` repeats one, and
 * `TOOL=vitest` runs the real tool.
 */
import { join } from "node:path";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import { REPOSITORY } from "@test/helpers/docs/markdown";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { playSequences } from "@test/helpers/gauntlet/playSequences";
import type { Random } from "@test/helpers/Random";

const CONFIG = "entry_points:\n  - { path: ., exclude: [/.gauntlet], checks: [ok] }\n";
/** Looks at the files that tools with `{base}` look at. */
const SINCE =
  "{ git diff --name-only {base}...HEAD; git diff --name-only HEAD; git ls-files -o --exclude-standard; } | grep '^src/' | xargs -r ls -d 2>/dev/null | xargs cat /dev/null | grep -q BAD";
const FULL = "full: '! grep -rq BAD src'\n";
const VITEST = join(REPOSITORY, "node_modules/.bin/vitest");
const CHECKS: Readonly<Record<string, string>> = {
  base: `command: "! { ${SINCE}; }"\n`,
  full: `command: "! { ${SINCE}; }"\n${FULL}`,
  files: `command: "! grep -q BAD {files}"\nfiles: ["src/**"]\n${FULL}`,
  vitest: `command: ${VITEST} run --changed {base} --passWithNoTests --globals\n`,
};
const { TOOL } = process.env;
const MAX_ACTS = 16;
const FILES = ["src/a.js", "src/b.js", "src/c.js"];

class Agent {
  turn = 1;
  isContinued = false;
  /** Whether the user was told in this turn that nothing was verified. */
  isTold = false;

  constructor(
    readonly project: GauntletProject,
    readonly random: Random
  ) {}

  /** An agent ignores that git refuses an act. */
  async git(line: string): Promise<void> {
    await this.project.git(...line.split(" ")).catch(() => undefined);
  }

  async edit(text: string): Promise<void> {
    const line = `export const text = "${text} ${this.random.below(1_000)}";\n`;
    await this.project.write(this.random.pick(FILES), line);
  }

  async commit(): Promise<void> {
    await this.git("add --all");
    await this.git("commit --quiet --message work");
  }
}

const ACTS: Readonly<Record<string, (agent: Agent) => Promise<unknown>>> = {
  "edits well": (agent) => agent.edit("fine"),
  "edits badly": (agent) => agent.edit("BAD"),
  commits: (agent) => agent.commit(),
  "commits bad work": async (agent) => {
    await agent.edit("BAD");
    await agent.commit();
  },
  "fixes everything": async (agent) => {
    for (const file of FILES) await agent.project.write(file, 'export const text = "good";\n');
  },
  "takes its edits back": (agent) => agent.git("checkout --quiet -- ."),
  "takes its last commit back": async (agent) => {
    const mode = agent.random.pick(["--soft", "--hard", "--mixed"]);
    // What main has is not the agent's work.
    await agent.project.git("merge-base", "--is-ancestor", "main", "HEAD~1").then(
      () => agent.git(`reset --quiet ${mode} HEAD~1`),
      () => undefined
    );
  },
  "amends its commit": async (agent) => {
    await agent.git("add --all");
    await agent.git("commit --quiet --amend --no-edit");
  },
  reverts: (agent) => agent.git("revert --no-edit HEAD"),
  stashes: (agent) => agent.git("stash push --quiet --include-untracked"),
  unstashes: (agent) => agent.git("stash pop --quiet"),
  branches: (agent) => agent.git(`switch --quiet --create b${agent.random.below(3)}`),
  "checks out": (agent) => agent.git(`switch --quiet ${agent.random.pick(["work", "b0", "b1"])}`),
  merges: (agent) => agent.git(`merge --quiet ${agent.random.pick(["work", "b0", "b1"])}`),
  deletes: ({ project, random }) => project.remove(random.pick(FILES)).catch(() => undefined),
  renames: (agent) => agent.git("mv src/a.js src/d.js"),
  "runs by hand": ({ project }) => project.run(),
  "merges others' work": async (agent) => {
    const branch = (await agent.project.git("branch", "--show-current")).trim();
    await agent.git("stash push --quiet --include-untracked");
    await agent.git("switch --quiet main");
    await agent.project.write("src/main.js", `export const n = ${agent.random.below(1_000)};\n`);
    await agent.commit();
    await agent.git(`switch --quiet ${branch}`);
    await agent.git("merge --quiet --no-edit main");
  },
  "gets a message": (agent) => {
    agent.turn++;
    agent.isContinued = false;
    agent.isTold = false;
    return Promise.resolve();
  },
};
const NAMES = [...Object.keys(ACTS), "edits badly", "edits badly", "takes its edits back"];

async function begin(tool: string): Promise<GauntletProject> {
  const project = await GauntletProject.create(CONFIG, { ok: CHECKS[tool] ?? "" });
  await project.write("package.json", '{ "type": "module" }\n');
  for (const file of FILES) {
    await project.write(file, 'export const text = "fine";\n');
    const name = file.slice("src/".length);
    const body = `import { text } from "../${file}";\ntest("is good", () => expect(text).not.toMatch(/BAD/));\n`;
    if (tool === "vitest") await project.write(`tests/${name.replace(".js", ".test.js")}`, body);
  }
  await project.commit("all files");
  await project.git("branch", "--force", "main");
  return project;
}

/** Returns whether the check would fail on all files. A test fails without the file that it imports, or with a conflict in it. */
async function doesFail(project: GauntletProject, tool: string): Promise<boolean> {
  const tests =
    'for t in tests/*; do f=src/$(basename "$t" .test.js).js; test ! -e "$t" || { test -e "$f" && ! grep -qE "BAD|<<<<" "$f"; } || exit 0; done; exit 1';
  const script = tool === "vitest" ? tests : "grep -rq BAD src";
  return await project.isTrue(script);
}

/** Returns why a stop was wrong, if it was. */
async function stopOf(agent: Agent, tool: string): Promise<{ status: string; wrong?: string }> {
  const { project, turn, isContinued } = agent;
  const turnId = `turn ${turn}`;
  const request = { sessionId: "s", turnId, stopHookActive: isContinued, limitMs: 120_000 };
  const { result, personMessage } = await stopAt(project, request);
  const { status } = result;
  agent.isContinued = status === "failed";
  const isBad = await doesFail(project, tool);
  const isSilent = isSuccessStatus(status) ? personMessage === undefined : !agent.isTold;
  agent.isTold ||= personMessage !== undefined;
  if (status === "failed" && !isBad) return { status, wrong: "blocked wrongly" };
  const isMissed = isSuccessStatus(status) && isSilent && isBad;
  const isUntold = !isSuccessStatus(status) && status !== "failed" && !agent.isTold;
  return { status, ...(isMissed || isUntold ? { wrong: "slipped" } : {}) };
}

async function play(random: Random): Promise<{ story: string[]; isWrong: boolean }> {
  const tool = TOOL ?? random.pick(["base", "full", "files"]);
  const agent = new Agent(await begin(tool), random);
  const story: string[] = [tool];
  for (let acts = 3 + random.below(MAX_ACTS); acts > 0; acts--) {
    const name = random.pick(NAMES);
    await ACTS[name]?.(agent);
    story.push(name);
    if (acts > 1 && random.below(3) > 0) continue;
    const { status, wrong } = await stopOf(agent, tool);
    story.push(`stops: ${wrong ?? status}`);
    if (wrong !== undefined) return { story, isWrong: true };
  }
  return { story, isWrong: false };
}

playSequences(
  (count) =>
    `no sequence of an agent's actions hides a file from a tool that compares with a commit: ${count} sequences (G33)`,
  { usual: 2, ...(TOOL === "vitest" && { eachMs: 600_000 }) },
  play
);
