/** Many tools and situations: no new failure is let through, and nearly all old ones are (G43 to G46). */
import type { KnownRecord } from "@/node/services/gauntlet/known/failureStore";
import { readLines } from "@/node/services/gauntlet/known/failureIdentity";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import * as collected from "@/node/services/gauntlet/gates/findings/collectFindings";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import * as compareWithRecord from "@/node/services/gauntlet/known/compareWithRecord";
import { sinceRecord, type SinceRecord } from "@/node/services/gauntlet/known/sinceRecord";
import type { CheckRun } from "@/node/services/gauntlet/gates/runCheck";
import { failuresOfRuns } from "@/node/services/gauntlet/run/known/recordAtHead";
import { GitProject } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";
import { testHere } from "@test/helpers/remote/testRuntime";
import {
  FILES,
  SITUATIONS,
  type Files,
  type Problem,
  type Situation,
} from "@test/unit/node/services/gauntlet/known/knownSituations";
import { LINTERS } from "@test/unit/node/services/gauntlet/known/linterOutputs";
import { RUNNERS, type Tool } from "@test/unit/node/services/gauntlet/known/testOutputs";

const TOOLS = [...RUNNERS, ...LINTERS];
const TESTS = ["testOld", "testOther", "testNew", "testFlaky", "testFine"];

/** The projects of all tools in one repository, at one of the two times of a situation. */
class Projects {
  #files: Files = {};

  constructor(
    readonly git: GitProject,
    private readonly logDir: string
  ) {}

  /** Replaces all files, and returns their tree. */
  write(files: Files): string {
    for (const name of Object.keys(this.#files).filter((one) => files[one] === undefined)) {
      for (const tool of TOOLS) rmSync(this.git.at(tool.path(name)));
    }
    const changed = Object.entries(files).filter(([name, lines]) => this.#files[name] !== lines);
    const texts = TOOLS.flatMap((tool) =>
      changed.map(([name, lines]) => {
        const text = lines.map((line) => `${codeOf(tool, line)}\n`).join("");
        return [tool.path(name), text] as const;
      })
    );
    this.#files = files;
    this.git.write(Object.fromEntries(texts));
    this.git.git("add", "--all");
    return this.git.git("write-tree");
  }

  /** Returns a run of a tool, and perhaps of what follows it, and checks that its output was understood. */
  async run(
    tools: readonly (readonly [Tool, readonly Problem[]])[],
    files: Files,
    { seed, after = "" }: { readonly seed: number; readonly after?: string | undefined }
  ): Promise<
    CheckRun & { readonly evidence: collected.CheckEvidence; readonly findings: readonly Finding[] }
  > {
    const { dir, runtime } = this.git;
    const shown = tools.map(([tool, problems]) => print(tool, problems, files, { dir, seed }));
    const first = tools[0]?.[0];
    const logPath = join(this.logDir, "log");
    writeFileSync(
      logPath,
      shown.map(({ text }) => text).join("") + after.replaceAll("PATH", first?.path("one") ?? "")
    );
    const { result, evidence } = await collected.collectFindings(runtime, {
      ...{ sources: undefined, logPath, projectDir: dir, folder: dir },
      ...{ reports: new Map<string, string>(), own: { header: "", footer: "" } },
    });
    const findings = result.findings ?? [];
    const expected = tools.flatMap(([tool, problems]) => places(tool, problems, files));
    const [got, wanted] = [findings.map(placeOf).sort(), expected.sort()];
    if (got.join() !== wanted.join()) expect(got, shown[0]?.text).toEqual(wanted);
    const exitCode = after === "" ? (shown.at(-1)?.exit ?? 1) : 2;
    return {
      ...{ result: { ...FAILED, findings }, findings },
      evidence: { ...evidence, exitCode },
    };
  }
}

const FAILED = { jobId: "check:.:it", outcome: "failed" } as unknown as CheckRun["result"];

const codeOf = ({ format, kind }: Tool, line: string): string => `  ${format} ${kind} ${line}`;

function print(
  tool: Tool,
  problems: readonly Problem[],
  files: Files,
  { dir, seed }: { readonly dir: string; readonly seed: number }
): { readonly text: string; readonly exit: number } {
  const failed = problems.map(({ file, at, test, rule, message }) => ({
    ...{ path: tool.path(file), line: (files[file]?.indexOf(at) ?? -1) + 1 },
    ...{ name: tool.kind === "tests" ? test : rule, message, code: codeOf(tool, at).trim() },
  }));
  const names = new Set(problems.map(({ test }) => test));
  const passed = TESTS.filter((name) => !names.has(name)).map((name) => ({
    ...{ path: tool.path("two"), name },
  }));
  const exit = tool.exit?.(failed.length) ?? 1;
  return failed.length === 0
    ? { text: "", exit: 0 }
    : { text: tool.print({ dir, failed, passed, seed }), exit };
}

/** A finding as a text: its file, its line, and its test if it has one. */
const placeOf = ({ file = "", line = 0, test = "" }: Finding): string =>
  `${file}:${line} ${/\w+$/.exec(test)?.[0] ?? ""}`.trim();

function places(tool: Tool, problems: readonly Problem[], files: Files): string[] {
  const all = problems.map(({ file, at, test }) => {
    const line = tool.isByFile === true ? 0 : (files[file]?.indexOf(at) ?? -1) + 1;
    return `${tool.path(file)}:${line} ${tool.kind === "tests" ? test : ""}`.trim();
  });
  return tool.isByFile === true ? [...new Set(all)] : all;
}

async function judgeCell(
  projects: Projects,
  [tool, next]: readonly [Tool, Tool],
  situation: Situation,
  recorded: Pick<compareWithRecord.Recorded, "record" | "since">
): Promise<compareWithRecord.Judgment> {
  const { found, second, now, script } = situation;
  const tools = [[tool, found] as const, ...(second ? [[next, second.found] as const] : [])];
  const { findings, evidence } = await projects.run(tools, now, { seed: 33, after: script?.[1] });
  const { dir, runtime } = projects.git;
  const lineText = await readLines({ runtime, projectDir: dir }, findings);
  return compareWithRecord.judge(
    { findings, evidence, lineText, isWhole: true },
    { ...recorded, fixed: new Set(), unresolved: new Set() }
  );
}

async function recordCell(
  projects: Projects,
  [tool, next]: readonly [Tool, Tool],
  { recorded, second, script }: Situation
): Promise<KnownRecord> {
  const runs = [];
  for (const i of [0, 1] as const) {
    const tools = [
      [tool, recorded[i]] as const,
      ...(second === undefined ? [] : [[next, second.recorded[i]] as const]),
    ];
    runs.push(await projects.run(tools, FILES, { seed: 11 + i, after: script?.[0] }));
  }
  const [first, again] = runs;
  if (first === undefined || again === undefined) throw new Error("no runs");
  const { dir, runtime } = projects.git;
  const findings = [...first.findings, ...again.findings];
  const lineText = await readLines({ runtime, projectDir: dir }, findings);
  const isCompound = second !== undefined || script !== undefined;
  const made = failuresOfRuns({ first, second: again, isCompound }, lineText)._unsafeUnwrap();
  const id = "0".repeat(40);
  return { ...made, check: "it", command: "", commit: id, tree: id, at: "2026-01-01" };
}

/** Returns `go`, `again`, `block`, or `LEAK` and `WRONG` if the new failures are not those of the situation. */
function outcomeOf(
  { fresh, doubt, mayPass }: compareWithRecord.Judgment,
  [tool, next]: readonly [Tool, Tool],
  { expected, fresh: own, second, now, script }: Situation
): string {
  const names = fresh.map(({ finding }) => placeOf(finding)).sort();
  const isClean = fresh.length === 0 && doubt === undefined;
  if (expected === "block" && isClean) return "LEAK";
  if (isClean) return "go";
  if (mayPass && doubt === undefined) return "again";
  if (fresh.length === 0 && script !== undefined && expected === "block") return "block";
  if (fresh.length === 0) return `doubt: ${doubt?.text ?? ""} ${doubt?.about?.[0] ?? ""}`;
  const wanted = [...places(tool, own, now), ...places(next, second?.fresh ?? [], now)].sort();
  return names.join() === wanted.join() ? "block" : `WRONG: ${names.join()}`;
}

/** Returns the tools that show a situation, each with the one that follows it in the same log. */
function pairsOf(situation: Situation): (readonly [Tool, Tool])[] {
  const { needsLines, second, script } = situation;
  const tools = TOOLS.filter((one) => one.isByFile !== true || needsLines !== true);
  const pairs = tools.map((tool, i) => [tool, tools[(i + 1) % tools.length] ?? tool] as const);
  // What follows a tool in its log is understood alike after each: a third of them is enough.
  const isOfAll = second === undefined && script === undefined;
  const turn = SITUATIONS.indexOf(situation) % 3;
  return isOfAll ? pairs : pairs.filter((_, i) => i % 3 === turn);
}

/** Situations that begin alike have the same records. */
function keyOf(pair: readonly [Tool, Tool], { recorded, second, script }: Situation): string {
  const names = pair.map(({ format, kind }) => `${format} ${kind}`);
  return JSON.stringify([names, recorded, second?.recorded, script?.[0]]);
}

testHere("lets old failures go and no new one, for each tool (G43, G45, G46)", async () => {
  const git = await GitProject.create({ "a.txt": "a\n" });
  const projects = new Projects(git, await tempDir());
  const cells: { readonly name: string; readonly expected: string; readonly got: string }[] = [];
  const records = new Map<string, KnownRecord>();
  const from = projects.write(FILES);
  for (const situation of SITUATIONS) {
    for (const pair of pairsOf(situation)) {
      const key = keyOf(pair, situation);
      if (!records.has(key)) records.set(key, await recordCell(projects, pair, situation));
    }
  }
  const differences = new Map<Files, SinceRecord>();
  const context = { projectDir: git.dir } as GitContext;
  // Those with the same files follow each other.
  const nows = [...new Set(SITUATIONS.map(({ now }) => now))];
  for (const situation of nows.flatMap((now) => SITUATIONS.filter((one) => one.now === now))) {
    const { now } = situation;
    if (!differences.has(now)) {
      const since = await sinceRecord(git.runtime, context, from, projects.write(now));
      differences.set(now, since._unsafeUnwrap());
    }
    const since = differences.get(now);
    for (const pair of pairsOf(situation)) {
      const [{ format, kind }] = pair;
      const record = records.get(keyOf(pair, situation));
      if (record === undefined || since === undefined) throw new Error("no record");
      const judgment = await judgeCell(projects, pair, situation, { record, since });
      const got = outcomeOf(judgment, pair, situation);
      cells.push({
        name: `${situation.name} / ${format} ${kind}`,
        expected: situation.expected,
        got,
      });
    }
  }
  const bad = cells.filter(({ expected, got }) => expected !== got);
  const table = bad.map(({ name, expected, got }) => `${name}: ${got}, not ${expected}`).join("\n");
  const isNew = ({ expected }: (typeof cells)[number]): boolean => expected === "block";
  const old = cells.filter((cell) => !isNew(cell));
  const leaks = cells.filter((cell) => isNew(cell) && !/^(?:block|doubt)/.test(cell.got));
  expect(leaks, table).toEqual([]);
  expect(old.filter((cell) => bad.includes(cell)).length, table).toBeLessThan(old.length / 10);
});
