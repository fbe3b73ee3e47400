/** Runs that are killed at any step and any moment leave complete files, and the next run continues (G15, G17). */
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import { beforeAll, expect, test } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { runEnded, startRun } from "@test/helpers/gauntlet/gauntletChild";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";
import { randomNumbers } from "@test/fuzz/random";

const CONFIG = "max_retries: 9\nentry_points:\n  - path: src\n    checks: [ok, other]\n";
const CHECKS = {
  ok: "command: echo looked; test ! -e bad || { echo bad is there; exit 3; }\n",
  other: "command: seq 200\nparallel: true\ninputs: ['*.txt']\n",
};

interface Scenario {
  readonly title: string;
  readonly prepare: (project: GauntletProject) => Promise<unknown>;
  /** The status of the run after the killed one. */
  readonly follows: RegExp;
  /** The share of the run's steps that other scenarios cover already. */
  readonly ownFrom: number;
}

/** Scenarios that begin after a run that passed and one that failed. */
const SCENARIOS: readonly Scenario[] = [
  {
    title: "that fails once more",
    prepare: (project) => project.write("src/more.txt", "x"),
    follows: /^failed$/,
    ownFrom: 1,
  },
  {
    title: "that passes, and archives its logs",
    prepare: (project) => project.remove("src/bad"),
    follows: /^(passed|no_changes)$/,
    ownFrom: 0.6,
  },
  {
    title: "on another branch, which archives the logs of the first",
    prepare: (project) => project.git("switch", "--quiet", "--create", "other"),
    follows: /^failed$/,
    ownFrom: 0,
  },
];

let template: GauntletProject;

beforeAll(async () => {
  template = await GauntletProject.create(CONFIG, CHECKS);
  await template.write("src/good.txt", "x");
  expect((await template.run()).status).toBe("passed");
  await template.write("src/bad", "x");
  expect((await template.run()).status).toBe("failed");
});

async function begin({ prepare }: Scenario): Promise<GauntletProject> {
  const dir = join(await tempDir(), "project");
  await cp(template.dir, dir, { recursive: true, preserveTimestamps: true });
  const project = GauntletProject.at(dir);
  await prepare(project);
  return project;
}

/** Checks that the next run continues. Returns whether the killed run left its lock. `how` is in each message. */
async function expectRecovery(project: GauntletProject, scenario: Scenario, how: string) {
  await expectWhole(project, how);
  const earlier = [...(await logsOf(template)), ...(await logsOf(project))];
  const wasLocked = (await project.logs()).includes(".gauntlet-run.lock");
  const next = await project.run();
  const notes = project.events.filter(({ type }) => type === "notice");
  expect(JSON.stringify(notes).includes("took over"), how).toBe(wasLocked);
  expect(next.status, `${how}: ${next.message}`).toMatch(scenario.follows);
  await expectWhole(project, how);
  const logs = [...(await logsOf(project)), ...(await logsOf(project, "gauntlet_logs/previous"))];
  for (const log of earlier) expect(logs, `is lost, ${how}`).toContain(log);
  expect(await project.logs(), how).not.toContain(".gauntlet-run.lock");
  await expectNumbered(project, next, how);
  return wasLocked;
}

/** Returns each log with its name in front. */
async function logsOf(project: GauntletProject, folder = "gauntlet_logs"): Promise<string[]> {
  const names = (await project.logs(folder)).filter((name) => /\.\d\.(log|json)$/.test(name));
  return await Promise.all(
    names.map(async (name) => `${name}\n${await project.read(join(folder, name))}`)
  );
}

const OURS =
  /^(previous|\.execution_state|\.check_cache\.json|\.gauntlet-run\.lock|\.clean_unfinished|(console|check_src_(ok|other))\.\d\.log|report\.\d\.json)$/;
/** Names of the temporary files that an interrupted write leaves behind. */
const UNFINISHED =
  /^(\.execution_state|\.check_cache\.json|\.gauntlet-run\.lock|report\.\d\.json)\.[0-9a-f]+$/;

/** Checks that every file is complete and has a known name. */
async function expectWhole(project: GauntletProject, how: string): Promise<void> {
  for (const folder of ["gauntlet_logs", "gauntlet_logs/previous"]) {
    for (const name of await project.logs(folder)) {
      if (name === "previous" || UNFINISHED.test(name)) continue;
      expect(name, how).toMatch(OURS);
      const text = await project.read(join(folder, name));
      if (name === ".clean_unfinished") expect(text).toBe("");
      else if (name.endsWith(".log")) expect(text, `${name}, ${how}`).toMatch(/^([^]*\n)?$/);
      else expect(JSON.parse(text), `${name}, ${how}`).toBeTypeOf("object");
    }
  }
}

/** Checks that all files of the next run have one number. */
async function expectNumbered(project: GauntletProject, next: RunResult, how: string) {
  const paths = [next.consoleLogPath, ...next.gates.map(({ logPath }) => logPath)].filter(
    (path) => path !== undefined
  );
  const numbers = new Set(paths.map((path) => /\.(\d+)\.log$/.exec(path)?.[1]));
  expect(numbers.size, how).toBe(next.consoleLogPath === undefined ? 0 : 1);
  for (const path of paths) expect(await readFile(path, "utf8"), how).not.toBe("");
}

const pool = pLimit(4);

/**
 * Whether to kill runs before every step and at 50 moments (`CRASH_STEPS=all`). By default, runs are killed before
 * every 24th step, from one on that `TEST_SEED` decides, and at 3 moments.
 */
const takesAll = process.env.CRASH_STEPS === "all";
const STRIDE = takesAll ? 1 : 24;
const MOMENTS = takesAll ? 50 : 3;
const SEED = Number(process.env.TEST_SEED ?? 1);

test.each(SCENARIOS.filter(({ ownFrom }) => ownFrom < 1))(
  "the next run continues after a kill before each step of a run $title (G15, G17)",
  async (scenario) => {
    const whole = await runEnded(await startRun((await begin(scenario)).dir));
    const { result, operations = 0 } = whole ?? {};
    expect(result?.status).toMatch(scenario.follows);
    expect(operations).toBeGreaterThan(15);
    const first = 1 + Math.floor(randomNumbers(SEED)() * STRIDE);
    const steps = Array.from({ length: operations }, (_, i) => i + 1).filter(
      (step) => step > scenario.ownFrom * operations && step % STRIDE === first % STRIDE
    );
    const locked = await pool.map(steps, async (step) => {
      const project = await begin(scenario);
      const how = `killed before step ${step} of ${operations}`;
      const killed = await runEnded(await startRun(project.dir, "die-at", String(step)));
      // A run has one step less if git does not have to read a file again that is as new as its index.
      expect(killed?.operations ?? 0, how).toBeLessThan(step);
      return await expectRecovery(project, scenario, how);
    });
    // The steps of a run end with the removal of its lock. Its state is written by then.
    expect(locked.lastIndexOf(false)).toBeLessThan(3);
  }
);

test("a run can be killed at any moment, and the next one continues (G15, G17)", async () => {
  const random = randomNumbers(SEED);
  const begun = performance.now();
  const whole = await runEnded(await startRun((await begin(SCENARIOS[0]!)).dir));
  expect(whole?.result.status).toBe("failed");
  const length = performance.now() - begun;
  const moments = Array.from({ length: MOMENTS }, (_, i) => ((i + random()) / MOMENTS) * length);
  const left = new Set<string>();
  await pool.map([...moments.entries()], async ([i, moment]) => {
    const scenario = SCENARIOS[i % SCENARIOS.length]!;
    const project = await begin(scenario);
    const child = await startRun(project.dir);
    const ended = runEnded(child);
    await delay(moment);
    child.kill("SIGKILL");
    const how = (await ended) === undefined ? `killed after ${moment} ms` : "over in time";
    left.add((await readdir(project.path("gauntlet_logs"))).sort().join(" "));
    await expectRecovery(project, scenario, how);
  });
  // Checks that the moments were different ones.
  expect(left.size).toBeGreaterThan(MOMENTS / 10);
});
