/** `run --report` in a project with git (G50). */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";

const CONFIG = "entry_points:\n  - path: .\n    checks: [lint]\n";
const LINT = `command: 'grep -n BAD *.js | sed "s/^/a.js:/;s/:BAD.*/:1: BAD is bad [Error\\/no-bad]/"; ! grep -q BAD *.js'\n`;

interface Found {
  readonly line: number;
  readonly fingerprint: string;
  readonly onChangedLine: boolean;
}

async function changed(): Promise<GauntletProject> {
  const project = await GauntletProject.create(CONFIG, { lint: LINT });
  await project.write("a.js", "one\nBAD old\nthree\n");
  await project.commit("begin");
  await project.git("branch", "-f", "main");
  await project.write("a.js", "one\nBAD old\nthree\nBAD new\n");
  return project;
}

async function findingsOf(project: GauntletProject): Promise<Found[]> {
  const { stdout } = await agentGauntlet(project, ["run", "--report", "json"]);
  return (JSON.parse(stdout) as { findings: Found[] }).findings;
}

test("writes several reports, with findings on changed lines first", async () => {
  const project = await changed();
  const called = await agentGauntlet(project, [
    ...["run", "--report", "github", "--report", "junit=out/j.xml"],
    ...["--report", "html=out/r.html", "--report", "gitlab"],
  ]);
  expect(called.code).toBe(1);
  expect(called.stdout).toMatch(/^::error file=a\.js,line=4,.*\n::error file=a\.js,line=2,/);
  expect(called.stdout).toContain('"check_name": "no-bad"');
  expect(await project.read("out/j.xml")).toContain("<testsuites");
  expect(await project.read("out/r.html")).toContain("<!doctype html>");
});

test("keeps the fingerprint of a finding that moves", async () => {
  const project = await changed();
  const before = await findingsOf(project);
  expect(before.map(({ line, onChangedLine }) => [line, onChangedLine])).toEqual([
    [4, true],
    [2, false],
  ]);
  await project.write("a.js", `${"new line\n".repeat(40)}one\nBAD old\nthree\nBAD new\n`);
  const after = await findingsOf(project);
  expect(after.map(({ line }) => line)).toEqual([44, 42]);
  expect(after.map(({ fingerprint }) => fingerprint)).toEqual(
    before.map(({ fingerprint }) => fingerprint)
  );
});

test("annotates and writes the summary in GitHub Actions without an option", async () => {
  const project = await changed();
  const summary = `${await tempDir()}/summary.md`;
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const { stdout } = await agentGauntlet(project, ["run"], { env });
  expect(stdout).toContain("::error file=a.js,line=4");
  expect(await readFile(summary, "utf8")).toContain("### On changed lines");
});

test("reports a file that cannot be written, and keeps the exit code", async () => {
  const project = await changed();
  const { code, stderr } = await agentGauntlet(project, ["run", "--report", "sarif=a.js/x"]);
  expect(code).toBe(1);
  expect(stderr).toContain("the report a.js/x could not be written: ");
});

test.each([
  [["--report", "pdf"], "Expected github or markdown"],
  [["--report", "junit="], "Expected a file after junit=."],
  [["--report", "junit", "--report", "sarif"], "Only one report can be printed"],
])("refuses %j", async (args, message) => {
  const { code, stderr } = await agentGauntlet({ dir: await tempDir() }, ["run", ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
