/**
 * Runs a workflow of GitHub Actions on this machine: its jobs, and the entries of a matrix, one after the other, each
 * in its own clone.
 */
import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import type { ExampleProject } from "@test/helpers/docs/exampleProject";
import { exampleEnv } from "@test/helpers/docs/gauntlet";
import type { Fence } from "@test/helpers/docs/markdown";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

interface WorkflowJob {
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** The values that expressions may name. */
type Facts = Record<string, unknown>;

/** Runs the workflow. Its last job must end as the block claims: `verdict=success` or `verdict=failure`. */
export async function runWorkflow(example: ExampleProject, fence: Fence): Promise<void> {
  example.used();
  await example.write(fence.options.get("file") ?? "", fence.text);
  const { jobs } = parse(fence.text) as { jobs: Record<string, WorkflowJob> };
  const place = { example, artifacts: await tempDir(), fence };
  const needs: Record<string, { result: string; outputs: Facts }> = {};
  for (const [name, job] of Object.entries(jobs)) {
    const needed = [job.needs ?? []].flat().map((other) => needs[other]?.result);
    const goesOn = isWhateverCame(job.if) || needed.every((result) => result === "success");
    const runs = goesOn ? matrixOf(job, { needs }) : [];
    const ends: { succeeded: boolean; outputs: Facts }[] = [];
    for (const matrix of runs) {
      ends.push(await runJob(job, { needs, matrix }, place));
    }
    const result = ends.every(({ succeeded }) => succeeded) ? "success" : "failure";
    needs[name] = { result: goesOn ? result : "skipped", outputs: ends.at(-1)?.outputs ?? {} };
  }
  expect(Object.values(needs).at(-1)?.result, fence.place).toBe(fence.options.get("verdict"));
}

function matrixOf({ strategy }: WorkflowJob, facts: Facts): Facts[] {
  if (strategy === undefined) return [{}];
  const [[key, values] = ["", []]] = Object.entries(strategy.matrix);
  return (evaluated(values, facts) as unknown[]).map((value) => ({ [key]: value }));
}

async function runJob(
  job: WorkflowJob,
  known: Facts,
  place: { example: ExampleProject; artifacts: string; fence: Fence }
): Promise<{ succeeded: boolean; outputs: Facts }> {
  const temp = await tempDir();
  const cwd = join(await tempDir(), "checkout");
  await mkdir(cwd);
  const steps: Record<string, { outputs: Facts }> = {};
  const facts = { ...known, steps, runner: { temp } };
  let succeeded = true;
  for (const step of job.steps) {
    if (!succeeded && !isWhateverCame(step.if)) continue;
    const done = await runStep(step, facts, { ...place, temp, cwd });
    if (step.id !== undefined) steps[step.id] = { outputs: done.outputs };
    succeeded &&= done.succeeded;
  }
  const outputs = evaluated(job.outputs ?? {}, facts) as Facts;
  return { succeeded, outputs };
}

async function runStep(
  step: Step,
  facts: Facts,
  where: { example: ExampleProject; artifacts: string; fence: Fence; temp: string; cwd: string }
): Promise<{ succeeded: boolean; outputs: Facts }> {
  const { example, artifacts, fence, temp, cwd } = where;
  const given = evaluated(step.with ?? {}, facts) as Record<string, string>;
  const done = { succeeded: true, outputs: {} };
  switch (step.uses?.replace(/@v\d+$/, "")) {
    case "actions/checkout":
      expect(
        given["fetch-depth"],
        `${fence.place}: without the history, the changes cannot be found`
      ).toBe(0);
      await execFileAsync("git", ["clone", "--quiet", example.project.dir, cwd]);
      return done;
    case "actions/upload-artifact":
      await cp(given.path!, join(artifacts, given.name!, basename(given.path!)));
      return done;
    case "actions/download-artifact": {
      const wanted = new RegExp(`^${given.pattern!.replaceAll("*", ".*")}$`);
      expect(given["merge-multiple"], fence.place).toBe(true);
      for (const name of (await readdir(artifacts)).filter((found) => wanted.test(found))) {
        await cp(join(artifacts, name), resolve(cwd, given.path!), { recursive: true });
      }
      return done;
    }
    case undefined: {
      const output = join(temp, "output");
      const env = {
        ...(await exampleEnv(example)),
        ...{ CI: "true", GITHUB_ACTIONS: "true", GITHUB_BASE_REF: "main" },
        ...{ RUNNER_TEMP: temp, GITHUB_OUTPUT: output },
      };
      const command = evaluated(step.run, facts) as string;
      const { status } = spawnSync("bash", ["-eo", "pipefail", "-c", command], { cwd, env });
      const lines = (await readFile(output, "utf8").catch(() => "")).split("\n");
      const pairs = lines.map((line) => /^(\w+)=(.*)$/.exec(line)).filter((pair) => pair !== null);
      const outputs = Object.fromEntries(pairs.map(([, key = "", value]) => [key, value]));
      return { succeeded: status === 0, outputs };
    }
    default:
      throw new Error(`${fence.place}: the runner does not support ${step.uses ?? ""}`);
  }
}

function isWhateverCame(condition: string | undefined): boolean {
  return condition?.includes("!cancelled()") === true;
}

/** Replaces `${{ … }}` in a value: a name with dots, or `fromJSON(name).key`. A single expression keeps its type. */
function evaluated(value: unknown, facts: Facts): unknown {
  if (typeof value === "string") {
    const alone = /^\$\{\{ ([^}]*) \}\}$/.exec(value)?.[1];
    if (alone !== undefined) return valueOf(alone, facts);
    return value.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, name: string) =>
      String(valueOf(name, facts))
    );
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, evaluated(v, facts)]));
}

function valueOf(expression: string, facts: Facts): string | number | unknown[] {
  const [, json, key] = /^fromJSON\((.*)\)\.(\w+)$/.exec(expression) ?? [];
  if (json !== undefined && key !== undefined) {
    return (JSON.parse(lookUp(json, facts) as string) as Record<string, unknown[]>)[key] ?? [];
  }
  const found = lookUp(expression, facts);
  if (typeof found !== "string" && typeof found !== "number") {
    throw new Error(`\${{ ${expression} }} has no value`);
  }
  return found;
}

function lookUp(name: string, facts: Facts): unknown {
  return name.split(".").reduce<unknown>((at, key) => (at as Facts | undefined)?.[key], facts);
}
