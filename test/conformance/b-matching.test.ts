/** Which hooks run for whom (H11). */
import { expect, test } from "vitest";
import { group, HookProject } from "@test/helpers/hooks/hookProject";

/** Whether a SubagentStop hook with that matcher runs for that agent: it blocks where it does. */
async function runsFor(matcher: string | undefined, agentType: string): Promise<boolean> {
  const project = await HookProject.create();
  await project.configure({ hooks: { SubagentStop: [group(["exit 2"], matcher)] } });
  const { shouldStop } = await project.subagentStop(agentType);
  return !shouldStop;
}

test("case 24: a matcher on Stop is ignored without a word", async () => {
  const project = await HookProject.create();
  const hooks = {
    Stop: [group(["exit 2"], "Bash"), group(["echo ran"], "*"), group(["true"], "(")],
  };
  const result = await (await project.configure({ hooks })).stop();
  expect(result.runs).toHaveLength(3);
  expect(result.shouldStop).toBe(false);
  expect(result.skipped).toEqual([]);
});

test("case 25: a name compares exactly", async () => {
  expect(await runsFor("explore", "explore")).toBe(true);
  expect(await runsFor("explore", "explorer")).toBe(false);
});

test("case 26: a list with | or with commas is exact too", async () => {
  for (const list of ["explore|review", "explore, review"]) {
    expect(await runsFor(list, "explore")).toBe(true);
    expect(await runsFor(list, "review")).toBe(true);
    expect(await runsFor(list, "reviewer")).toBe(false);
  }
});

test("case 27: a hyphen is part of a name", async () => {
  expect(await runsFor("code-reviewer", "code-reviewer")).toBe(true);
  expect(await runsFor("code-reviewer", "senior-code-reviewer")).toBe(false);
});

test("case 28: anything else is a regular expression, unanchored and case-sensitive", async () => {
  const pattern = "^(auto-memory:)?memory-updater$";
  expect(await runsFor(pattern, "memory-updater")).toBe(true);
  expect(await runsFor(pattern, "auto-memory:memory-updater")).toBe(true);
  expect(await runsFor(pattern, "my-memory-updater")).toBe(false);
  expect(await runsFor("plor.", "explorer")).toBe(true);
  expect(await runsFor("Explor.", "explorer")).toBe(false);
});

test("case 29: `*`, the empty string and no matcher at all are for every agent", async () => {
  for (const all of ["*", "", undefined]) expect(await runsFor(all, "explore")).toBe(true);
});

test("case 30: an invalid regular expression turns off its own group alone, with a warning", async () => {
  const project = await HookProject.create();
  await project.configure({
    hooks: { SubagentStop: [group(["exit 2"], "("), group(["echo alive"], "explore")] },
  });
  const result = await project.subagentStop("explore");
  expect(result.runs.map(({ stdout }) => stdout)).toEqual(["alive"]);
  expect(result.shouldStop).toBe(true);
  expect(result.warnings).toEqual([
    expect.stringMatching(/SubagentStop\[0\]\.matcher.*the group is skipped/),
  ]);
});

test("case 31: an agent without a name meets match-all groups only", async () => {
  const specific = ["explore", "explore|exec", ".*", "^$", "[a-z]*"];
  for (const matcher of specific) expect(await runsFor(matcher, "")).toBe(false);
  for (const all of ["*", "", undefined]) expect(await runsFor(all, "")).toBe(true);
});

test("case 32: a regular expression that backtracks without end is given up after 50 ms", async () => {
  const project = await HookProject.create();
  await project.configure({ hooks: { SubagentStop: [group(["exit 2"], "(a+)+$")] } });
  const started = performance.now();
  const result = await project.subagentStop(`${"a".repeat(40)}!`);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(result.shouldStop).toBe(true);
  expect(result.skipped).toMatchObject([
    { visible: true, reason: expect.stringContaining("50 ms") as string },
  ]);
});
