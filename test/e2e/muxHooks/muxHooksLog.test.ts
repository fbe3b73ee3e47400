/** `mux-stop-hooks hooks log`: what sessions write, and what the command shows (H47). */
import { appendFile, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "@/cli/muxHooks";
import { MAX_LOG_FILE_BYTES } from "@/common/limits";
import { testContext } from "@test/helpers/cliContext";
import { createProject, group, type HookProject, says } from "@test/helpers/hooks/hookProject";
import { muxHooks, writeTurns } from "@test/helpers/hooks/muxHooks";
import { expectSoon } from "@test/helpers/soon";

function logOf(project: HookProject, name = "hook-log.jsonl"): string {
  return join(project.home, ".mux", name);
}

/** Runs a session with one stop. */
async function play(project: HookProject, ...hooks: readonly unknown[]): Promise<void> {
  await project.configure({ hooks: { Stop: [group(hooks as string[])] } });
  const script = await writeTurns(project, "turns: [Done.]");
  await muxHooks(project, ["run", "--script", script, "Please."]);
}

function entry(project: HookProject, fields: Record<string, unknown> = {}): string {
  const names = { workspace: project.dir, project: project.dir, session: "w1", event: "Stop" };
  const run = { time: "2026-11-22T18:22:03.123Z", hook: "project:Stop[0]", title: "make test" };
  return `${JSON.stringify({ ...run, ...names, outcome: "pass", ms: 12, ...fields })}\n`;
}

test("each run of a session is a line", async () => {
  const project = await createProject();
  await play(project, says({ systemMessage: "Fine." }), "exit 7", "kill -9 $$");
  const [passed, failed, killed] = (await readFile(logOf(project), "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(passed).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    workspace: project.dir,
    project: project.dir,
    session: expect.stringMatching(/^run-/) as string,
    event: "Stop",
    hook: "project:Stop[0]",
    title: expect.stringContaining("printf") as string,
    outcome: "pass",
    ms: expect.any(Number) as number,
    exit: 0,
  });
  expect(failed).toMatchObject({ hook: "project:Stop[1]", outcome: "failed", exit: 7 });
  expect(killed).toMatchObject({ outcome: "failed", exit: "SIGKILL" });
  expect((await stat(logOf(project))).mode & 0o777).toBe(0o600);

  const { code, stdout } = await muxHooks(project, ["log"]);
  expect(code).toBe(0);
  expect(stdout.split("\n")[1]).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}run-\w+ {2}failed +[\d.]+m?s {2}exit 7 {2}project:Stop\[1\] {2}exit 7: /
  );
});

test("clips a long reason", async () => {
  const project = await createProject();
  const reason = "x".repeat(1_000);
  await play(
    project,
    `[ "$MUX_CONTINUATION" = 0 ] || exit 0; ${says("", { stderr: reason, exit: 2 })}`
  );
  const [line = ""] = (await readFile(logOf(project), "utf8")).split("\n");
  const logged = JSON.parse(line) as { outcome: string; reason: string };
  expect(logged.outcome).toBe("block");
  expect(logged.reason).toBe(`${"x".repeat(299)}…`);
});

test("a rotated file is read first", async () => {
  const project = await createProject();
  const long = entry(project, { title: "old", reason: "y".repeat(300) });
  await writeFile(logOf(project), long.repeat(Math.ceil(MAX_LOG_FILE_BYTES / long.length)));
  await play(project, "true");
  expect((await readFile(logOf(project), "utf8")).split("\n")).toHaveLength(2);
  const { stdout } = await muxHooks(project, ["log", "--lines", "2"]);
  expect(stdout).toMatch(/^[^\n]* old: y+\n[^\n]* true\n$/);
});

test("nothing is logged without a user root, and mux-stop-hooks hooks test logs nothing", async () => {
  const project = await createProject(false);
  await play(project, "true");
  await expect(stat(join(project.home, ".mux"))).rejects.toThrow("ENOENT");
  await mkdir(join(project.home, ".mux"));
  await muxHooks(project, ["test", "Stop"]);
  await expect(stat(logOf(project))).rejects.toThrow("ENOENT");
  const { code, stdout } = await muxHooks(project, ["log"]);
  expect(code).toBe(0);
  expect(stdout).toBe(
    `No stop of ${project.dir} is in ${logOf(project)} yet. Hooks of sessions are logged, those of "mux-stop-hooks hooks test" are not.\n`
  );
});

test("shows the project and its worktrees, and ignores other and broken lines", async () => {
  const project = await createProject();
  await writeFile(
    logOf(project),
    [
      entry(project, { title: "own" }),
      entry(project, { title: "tree", workspace: "/gone/tree" }),
      entry(project, { title: "other", workspace: "/other", project: "/other" }),
      "{ broken\n",
      '{"time": 1}\n',
      entry(project, { title: "\u001b[31mred\u202e", exit: "timedOut" }),
      entry(project).slice(0, 20),
    ].join("")
  );
  const { stdout } = await muxHooks(project, ["log"]);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(34))
  ).toEqual([
    "      12ms  project:Stop[0]  own",
    "      12ms  project:Stop[0]  tree",
    "      12ms  timed out  project:Stop[0]  red\\u202e",
  ]);
  const json = await muxHooks(project, ["log", "--json", "--lines", "1"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ hook: "project:Stop[0]", exit: "timedOut" });
});

test("--follow shows new lines, also after a rotation, until an interrupt", async () => {
  const project = await createProject();
  await writeFile(logOf(project), entry(project, { title: "first" }));
  const context = testContext({ cwd: project.dir, home: project.home });
  const ended = main(["log", "--follow", "--json"], context);
  const titles = (): unknown[] =>
    context.stdout.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { title: unknown }).title);
  const shows = async (...expected: string[]): Promise<void> => {
    await expectSoon(titles).toEqual(expected);
  };
  await shows("first");
  const next = entry(project, { title: "second" });
  await appendFile(logOf(project), next.slice(0, 30));
  await appendFile(logOf(project), next.slice(30));
  await shows("first", "second");
  await appendFile(logOf(project), entry(project, { title: "third" }));
  await rename(logOf(project), logOf(project, "hook-log.1.jsonl"));
  await writeFile(logOf(project), entry(project, { title: "fourth" }));
  await shows("first", "second", "third", "fourth");
  await appendFile(logOf(project), entry(project, { workspace: "/other", project: "/other" }));
  await play(project, "true");
  await shows("first", "second", "third", "fourth", "true");
  context.interrupt();
  expect(await ended).toBe(130);
});

test("--follow reports a user root that does not exist", async () => {
  const project = await createProject(false);
  const { code, stderr } = await muxHooks(project, ["log", "--follow"]);
  expect(code).toBe(1);
  expect(stderr).toContain(`the folder ${join(project.home, ".mux")} cannot be watched`);
});
