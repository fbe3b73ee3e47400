/** `run --report` in a project with git (G50). */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createReport, escapeMarkup } from "@/node/services/gauntlet/run/reports/createReport";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { NOT_ACTIVE } from "@test/helpers/gauntlet/stopHookCommand";
import { stop } from "@test/helpers/gauntlet/stopInProcess";
import { writeExecutable } from "@test/helpers/gitProject";
import { restoring } from "@test/helpers/restoring";
import { folderWith, tempDir } from "@test/helpers/tempDir";

const CONFIG = "entry_points:\n  - path: .\n    checks: [lint]\n";
const LINT = `command: 'grep -n BAD *.js | sed "s/^/a.js:/;s/:BAD.*/:1: BAD is bad [Error\\/no-bad]/"; ! grep -q BAD *.js'\n`;

interface Found {
  readonly line: number;
  readonly fingerprint: string;
  readonly onChangedLine: boolean;
}

const changed = restoring(async (config?: string) => {
  const project = await GauntletProject.create(`${CONFIG}${config ?? ""}`, { lint: LINT });
  await project.write("a.js", "one\nBAD old\nthree\n");
  await project.commit("begin");
  await project.git("branch", "-f", "main");
  await project.write("a.js", "one\nBAD old\nthree\nBAD new\n");
  return project;
});

test("writes several reports, with findings on changed lines first, and keeps the fingerprint of a finding that moves", async () => {
  const project = await changed();
  const called = await agentGauntlet(project, [
    ...["run", "--report", "github", "--report", "junit=out/j.xml"],
    ...["--report", "html=out/r.html", "--report", "json=out/f.json", "--report", "gitlab"],
  ]);
  expect(called.code).toBe(1);
  expect(called.stderr).toMatch(/\n::error file=a\.js,line=4,.*\n::error file=a\.js,line=2,/);
  expect(JSON.parse(called.stdout)).toContainEqual(
    expect.objectContaining({ check_name: "no-bad" })
  );
  expect(await project.read("out/j.xml")).toContain("<testsuites");
  expect(await project.read("out/r.html")).toContain("<!doctype html>");
  const found = async () =>
    (JSON.parse(await project.read("out/f.json")) as { findings: Found[] }).findings;
  const before = await found();
  expect(before.map(({ line, onChangedLine }) => [line, onChangedLine])).toEqual([
    [4, true],
    [2, false],
  ]);

  await project.write("a.js", `${"new line\n".repeat(40)}one\nBAD old\nthree\nBAD new\n`);
  await agentGauntlet(project, "run --report json=out/f.json");
  const after = await found();
  expect(after.map(({ line }) => line)).toEqual([44, 42]);
  expect(after.map(({ fingerprint }) => fingerprint)).toEqual(
    before.map(({ fingerprint }) => fingerprint)
  );
});

test("marks all lines of the first commit as changed (G50)", async () => {
  const project = await GauntletProject.create(CONFIG, { lint: LINT });
  await project.write("a.js", "BAD\n");
  await project.shell("git add -A && git commit -q --amend -m first");
  const { stdout } = await agentGauntlet(project, "run --commit HEAD --report json");
  const { findings } = JSON.parse(stdout) as { findings: Found[] };
  expect(findings).toMatchObject([{ line: 1, onChangedLine: true }]);
});

test("marks no finding without a file as changed, and places a range at its first line (G50)", async () => {
  const { dir: projectDir, runtime } = await changed();
  const jsonPath = join(projectDir, "r.json");
  const issue = { file: "a.js", line: "4-5", issue: "x", priority: "high", status: "new" };
  await runtime.writeFile(jsonPath, JSON.stringify({ violations: [issue] }));
  const failed = { outcome: "failed", durationMs: 1 } as const;
  const gate = { jobId: "r", kind: "review", gate: "r", entryPoint: ".", ...failed } as const;
  const slots = [{ slot: 1, reviewer: "codex", jsonPath, ...failed }];
  const findings = [{ severity: "error", message: "m" }] as const;
  const result = createResult("failed", { gates: [{ ...gate, slots, findings }] });
  const place = { runtime, projectDir, baseBranch: undefined, logDir: projectDir, env: {} };
  const scope = { kind: "uncommitted" } as const;
  const report = await createReport({ ...place, scope, result, startedAt: new Date(0) });
  const places = report.findings.map(({ line, onChangedLine }) => [line, onChangedLine]);
  expect(JSON.stringify(places)).toBe("[[4,true],[null,false]]");
});

test("writes no report through a link out of the project, or to a pipe without a reader (G50)", async () => {
  const project = await changed();
  const outside = await folderWith({ victim: "precious" });
  await symlink(join(outside, "victim"), project.path("over.json"));
  await symlink(join(outside, "new"), project.path("dangling.json"));
  await symlink("dangling.json", project.path("chain.json"));
  await symlink(outside, project.path("folder"));
  execFileSync("mkfifo", [project.path("pipe.json")]);
  const names = ["over.json", "dangling.json", "chain.json", "folder/new", "pipe.json"];
  const called = await agentGauntlet(project, [
    "run",
    ...[...names, "good.json"].flatMap((name) => ["--report", `json=${name}`]),
  ]);
  expect(called.code).toBe(1);
  for (const name of names) {
    expect(called.stderr).toContain(`the report ${name} could not be written: `);
  }
  expect(await readdir(outside)).toEqual(["victim"]);
  expect(await readFile(join(outside, "victim"), "utf8")).toBe("precious");
  expect(await project.read("good.json")).toContain('"status": "failed"');
});

test("annotates and writes the summary in GitHub Actions without an option", async () => {
  const project = await changed();
  const summary = `${await tempDir()}/summary.md`;
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const { stdout } = await agentGauntlet(project, "run", { env });
  expect(stdout).toContain("::error file=a.js,line=4");
  expect(await readFile(summary, "utf8")).toContain("### On changed lines");
  // They are not mixed with a report.
  const printed = await agentGauntlet(project, "run --report junit", { env });
  expect(printed.stdout).toMatch(/<\/testsuites>\n$/);
  expect(printed.stderr).toContain("::error file=a.js,line=4");
});

test.each([
  [["--report", "pdf"], "Expected github or markdown"],
  [["--report", "junit="], "Expected a file after junit=;"],
  [["--report", "junit", "--report", "sarif"], "Only one report can be printed"],
])("refuses %j", async (args, message) => {
  const { code, stderr } = await agentGauntlet({ dir: await tempDir() }, ["run", ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("report writes a page about the last run, also after a pass, and opens it in a terminal with no program of the project", async () => {
  const project = await changed();
  const none = await agentGauntlet(project, "report");
  expect(none.code).toBe(1);
  expect(none.stderr).toContain('no run has a result yet; run "mux-stop-hooks run" first');
  await agentGauntlet(project, "run");
  const folder = await tempDir();
  const opened = `${folder}/opened`;
  await project.script("bin/xdg-open", `echo project >>"${opened}"`);
  writeExecutable(`${folder}/open`, `echo "$1" >>"${opened}"`);
  const env = { PATH: `${project.path("bin")}:${folder}:${process.env.PATH ?? ""}` };
  const stdout = `${project.path("gauntlet_logs")}/report.html\n`;
  expect(await agentGauntlet(project, "report", { env })).toMatchObject({ code: 0, stdout });
  expect(existsSync(opened)).toBe(false);
  await agentGauntlet(project, "report", { env, tty: true });
  expect(await readFile(opened, "utf8")).toBe(stdout);
  const page = await project.read("gauntlet_logs/report.html");
  expect(page).toContain("<h1>Gauntlet: 1 of 1 gate failed: check:.:lint</h1>");
  // The finding on a changed line is the first.
  expect(page).toMatch(/4:1<.*changed line.*\n.*2:1</);
  await project.write("a.js", "one\n");
  await agentGauntlet(project, "run");
  await agentGauntlet(project, "report --no-open");
  expect(await project.read("gauntlet_logs/report.html")).toContain("all gates passed");
  await project.write("gauntlet_logs/report.9.json", "{");
  const broken = await agentGauntlet(project, "report");
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain("gauntlet_logs/report.9.json is not JSON");
});

test("a stop leaves the configured reports, with what it sent to the agent", async () => {
  const project = await changed(
    "report: [html, junit=reports/junit.xml, json=link/r.json, ctrf=a.js]\n"
  );
  const elsewhere = await tempDir();
  await project.shell(`ln -s ${elsewhere} link && printf '/link\\n' >>.git/info/exclude`);
  const { reason, systemMessage } = await stop(project.dir, NOT_ACTIVE, {
    args: ["--verify", "--host", "claude"],
  });
  expect(systemMessage).toContain(
    "the report link/r.json could not be written: a part of its path is a symbolic link"
  );
  expect(systemMessage).toContain("the report a.js could not be written: git tracks it");
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await project.read("reports/junit.xml")).toContain("<testsuites");
  const page = await project.read("gauntlet_logs/report.html");
  expect(page).toContain(">4:1<");
  expect(page).toContain(escapeMarkup(reason ?? "none"));
  // They are no changes, which would make gates due again.
  expect(await project.git("status", "--short")).toBe(" M a.js\n");
  await project.write("a.js", "one\n");
  const { decision } = await stop(project.dir, NOT_ACTIVE, { args: ["--verify"] });
  expect(decision).toBe("approve");
  const passed = await project.read("gauntlet_logs/report.html");
  expect(passed).toContain("all gates passed");
  expect(passed).toContain(escapeMarkup(reason ?? "none"));
  expect(passed).toContain("last 2 runs: failed, passed");
});

test("the Stop hook in the same process leaves them as well", async () => {
  const project = await changed("report: [markdown]\n");
  const { record } = await stopAt(project);
  expect(await record?.("Fix it.")).toEqual([]);
  expect(await project.read("gauntlet_logs/report.md")).toContain(
    "## Gauntlet: 1 of 1 gate failed"
  );
  expect(await project.read("gauntlet_logs/reason.1.txt")).toBe("Fix it.\n");
});

test("the same run is reported in the same bytes, except for times", async () => {
  const project = await changed();
  const formats = ["markdown", "junit", "sarif", "gitlab", "ctrf", "json", "html"];
  const write = async (folder: string): Promise<string[]> => {
    await project.remove("gauntlet_logs").catch(() => undefined);
    await project.shell("rm -rf .git/agent-gauntlet");
    await agentGauntlet(project, [
      "run",
      ...formats.flatMap((format) => ["--report", `${format}=${folder}/${format}`]),
    ]);
    const texts = await Promise.all(
      formats.map((format) => readFile(`${folder}/${format}`, "utf8"))
    );
    return texts.map((text) => text.replace(TIMES, "TIME"));
  };
  expect(await write(await tempDir())).toEqual(await write(await tempDir()));
});

/** Dates, durations in words, and the fields of each format that have one. */
const TIMES =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?|\b[\d.]+m?s\b|(?<=time="|"(?:durationMs|duration|start|stop)": )[\d.]+/g;
