/** A run in shards: `plan`, `run --job I --job-total N` and `merge`, in copies of one project. */
import { cp, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { shardOfJob } from "@/node/services/gauntlet/run/shards/assignShards";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { tempDir } from "@test/helpers/tempDir";

const NAMES = ["one", "two", "three", "four", "five", "six"];
const CONFIG = `entry_points:\n  - path: src\n    checks: [${NAMES.join(", ")}]\n`;
const TOTAL = 2;

/** Creates a project with a change. All checks pass except the given ones. */
const changedProject = restoring(async (...failing: readonly string[]) => {
  const checks = NAMES.map((name) => {
    const command = failing.includes(name) ? "echo no; exit 3" : "true";
    return [name, `command: ${JSON.stringify(command)}\nparallel: true\n`] as const;
  });
  const project = await GauntletProject.create(CONFIG, Object.fromEntries(checks));
  await project.write("src/new.txt", "x");
  return project;
});

async function copyOf({ dir }: GauntletProject): Promise<GauntletProject> {
  const copy = await tempDir();
  await cp(dir, copy, { recursive: true });
  return GauntletProject.at(copy);
}

async function runPart(project: GauntletProject, job: number, ...more: string[]) {
  const args = ["run", "--job", `${job}`, "--job-total", `${TOTAL}`, "--json", ...more];
  return await agentGauntlet(project, args);
}

/** Runs each shard in its own copy. Returns the paths of the result files. */
async function runParts(project: GauntletProject): Promise<string[]> {
  const folder = await tempDir();
  const files: string[] = [];
  for (let job = 0; job < TOTAL; job++) {
    const { stdout } = await runPart(await copyOf(project), job);
    files.push(join(folder, `${job}.json`));
    await writeFile(files[job]!, stdout);
  }
  return files;
}

const asResult = (stdout: string): RunResult => JSON.parse(stdout) as RunResult;
const outcomes = ({ gates }: RunResult) => gates.map(({ jobId, outcome }) => [jobId, outcome]);

test("merge gives the same verdict as one run, from files and from standard input (G2, G3, G30b)", async () => {
  const project = await changedProject("two", "five");
  const files = await runParts(project);
  const merged = await agentGauntlet(await alone(), ["merge", ...files.toReversed(), "--json"]);
  const whole = await agentGauntlet(project, "run --json");
  const [a, b] = [asResult(merged.stdout), asResult(whole.stdout)];
  expect(merged.code).toBe(whole.code);
  expect(outcomes(a)).toEqual(outcomes(b));
  const verdict = ({ status, gatesRun, gatesFailed }: RunResult) =>
    ({ status, gatesRun, gatesFailed }) as const;
  expect(verdict(a)).toEqual(verdict(b));

  const lines = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const { code, stdout, stderr } = await agentGauntlet(await alone(), "merge -", {
    prepare: ({ stdin }) => stdin.end(lines.join("\n")),
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/\[FAIL\] {2}check:src:two \(.*\) - Exited with code 3\n {6}Log: \//);
  expect(stderr).toMatch(/\nTotal: 0 .*, 2 failed\nStatus: Failed\n$/);
});

describe("a shard is a partial run (G19a, G20a):", () => {
  test("does not clean, resolve gates or set a new baseline, and compares with the base", async () => {
    const project = await changedProject("two");
    await agentGauntlet(project, "run");
    const before = await project.state();
    await project.write(".gauntlet/checks/two.yml", "command: 'true'\n");
    for (const name of ["one", "two"]) {
      const id = `check:src:${name}`;
      const { stdout } = await runPart(project, shardOfJob(id, TOTAL), "--no-cache");
      expect(outcomes(asResult(stdout))).toContainEqual([id, "passed"]);
    }
    expect(await project.state()).toMatchObject({
      ...{ attempt: before.attempt, open: ["check:src:two"], partial: true },
      baselines: before.baselines,
    });
    expect(await project.logs()).toContain("console.1.log");
  });

  test("succeeds without a job, and names its shard if it could not start", async () => {
    const project = await changedProject();
    const idle = Array.from({ length: 50 }, (_, job) => job).find((job) =>
      NAMES.every((name) => shardOfJob(`check:src:${name}`, 50) !== job)
    );
    const args = ["run", "--job", `${idle}`, "--job-total", "50", "--json"];
    const { code, stdout, stderr } = await agentGauntlet(project, args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "Status: No applicable gates\n" });
    expect(asResult(stdout)).toMatchObject({
      status: "no_applicable_gates",
      shard: { job: idle, jobTotal: 50, of: { jobs: { length: 6 } } },
    });
    await project.remove(".git");
    const failed = await runPart(project, 1);
    expect(failed.code).toBe(1);
    expect(asResult(failed.stdout)).toMatchObject({
      status: "infrastructure_error",
      shard: { job: 1, jobTotal: TOTAL },
    });
  });
});

test("plan lists each job with its shard, and the inputs that all shards must share", async () => {
  const project = await changedProject();
  const { code, stdout } = await agentGauntlet(project, "plan --json --job-total 3");
  const plan = JSON.parse(stdout) as Record<string, unknown>;
  const jobs = NAMES.map((name) => {
    const id = `check:src:${name}`;
    return { id, kind: "check", gate: name, entryPoint: "src", shard: shardOfJob(id, 3) };
  });
  const parts = [...new Set(jobs.map(({ shard }) => shard))].toSorted();
  expect(code).toBe(0);
  expect(plan).toMatchObject({ jobTotal: 3, parts, jobs });
  expect(await project.logs()).toEqual([]);
  const without = JSON.parse((await agentGauntlet(project, "plan --json")).stdout) as typeof plan;
  expect(without).not.toHaveProperty("parts");
  expect(without.jobs).toEqual(jobs.map(({ shard: _, ...job }) => job));

  const { shard } = asResult((await runPart(project, 0)).stdout);
  const { snapshot, base, config } = plan;
  expect(shard?.of).toEqual({ snapshot, base, config, jobs: jobs.map(({ id }) => id) });
  expect(base).toBe((await project.git("rev-parse", "main")).trim());
});

test("plan has no jobs without changes", async () => {
  const project = await changedProject();
  await project.remove("src/new.txt");
  expect(await agentGauntlet(project, "plan")).toMatchObject({
    code: 0,
    stdout: "There are no jobs to divide into shards: no gate would run.\n",
  });
  const matrix = await agentGauntlet(project, "plan --json --job-total 4");
  expect(JSON.parse(matrix.stdout)).toMatchObject({ parts: [0], jobs: [] });
});

describe("errors of shards", () => {
  test("merge reports files that are missing, too long, or not a result, and exits with 1", async () => {
    const cwd = await tempDir();
    await mkdir(join(cwd, "folder"));
    await writeFile(join(cwd, "huge.json"), "");
    await truncate(join(cwd, "huge.json"), 2 ** 31);
    await writeFile(join(cwd, "odd\u001b.json"), "\u001b[31m");
    const files = ["missing.json", "folder", "huge.json", "odd\u001b.json"];
    const { code, stderr } = await agentGauntlet({ dir: cwd }, ["merge", ...files]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^the results cannot be merged: 4 problems\n/);
    expect(stderr).toMatch(/\n {2}missing\.json cannot be read: ENOENT/);
    expect(stderr).toMatch(/\n {2}folder cannot be read: .* is a folder, not a file\n/);
    expect(stderr).toContain("\n  huge.json is longer than 16 MiB, the maximum size of a result\n");
    expect(stderr).toContain("\n  odd\\u001b.json is not JSON (");
    expect(stderr).toMatch(/\nThe changes were not verified\.\n$/);
  });

  test("merge reports a standard input that does not end, and exits with 1", async () => {
    const { code, stderr } = await agentGauntlet(await alone(), "merge -", {
      prepare: ({ stdin }) => {
        const more = (): unknown => stdin.write("x".repeat(2 ** 20), more);
        more();
      },
    });
    expect(code).toBe(1);
    expect(stderr).toContain("standard input is longer than 16 MiB, the maximum size of a result");
  });

  test.each([
    [["run", "--job", "0"], "'--job <index>' needs --job-total"],
    [["run", "--job-total", "2"], "'--job-total <count>' needs --job"],
    [
      ["run", "--job", "2", "--job-total", "2"],
      "shard 2 of 2 does not exist; shards are numbered 0 to 1",
    ],
    [["run", "--job", "-1", "--job-total", "2"], "Expected a whole number from 0 to 999"],
    [["run", "--job", "0", "--job-total", "1e3"], "Expected a whole number from 1 to 1000"],
    [["plan", "--job-total", "0"], "Expected a whole number from 1 to 1000"],
    [["merge"], "missing required argument 'files'"],
  ])("%j exits with 2", async (args, message) => {
    const { code, stderr } = await agentGauntlet(await alone(), args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

/** Returns a folder without a project, since `merge` needs none. */
async function alone() {
  return { dir: await tempDir() };
}
