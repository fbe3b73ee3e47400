/** Selection of hooks by matcher (H11). */
import { expect, test } from "vitest";
import { group, HookProject } from "@test/helpers/hooks/hookProject";

/** Returns whether a SubagentStop hook with that matcher runs for that agent type: it blocks if it runs. */
async function runsFor(matcher: string | undefined, agentType: string): Promise<boolean> {
  const project = await HookProject.create();
  await project.configure({ hooks: { SubagentStop: [group(["exit 2"], matcher)] } });
  const { shouldStop } = await project.subagentStop(agentType);
  return !shouldStop;
}

test("case 24: ignores a matcher on Stop without a warning", async () => {
  const project = await HookProject.create();
  const hooks = {
    Stop: [group(["exit 2"], "Bash"), group(["echo ran"], "*"), group(["true"], "(")],
  };
  const result = await (await project.configure({ hooks })).stop();
  expect(result.runs).toHaveLength(3);
  expect(result.shouldStop).toBe(false);
  expect(result.skipped).toEqual([]);
});

test("case 25: compares a name exactly", async () => {
  expect(await runsFor("explore", "explore")).toBe(true);
  expect(await runsFor("explore", "explorer")).toBe(false);
});

test("case 26: compares each name of a list with | or commas exactly", async () => {
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

test("case 28: treats any other matcher as an unanchored, case-sensitive regular expression", async () => {
  const pattern = "^(auto-memory:)?memory-updater$";
  expect(await runsFor(pattern, "memory-updater")).toBe(true);
  expect(await runsFor(pattern, "auto-memory:memory-updater")).toBe(true);
  expect(await runsFor(pattern, "my-memory-updater")).toBe(false);
  expect(await runsFor("plor.", "explorer")).toBe(true);
  expect(await runsFor("Explor.", "explorer")).toBe(false);
});

test("case 29: `*`, the empty string and a missing matcher match every agent", async () => {
  for (const all of ["*", "", undefined]) expect(await runsFor(all, "explore")).toBe(true);
});

test("case 30: an invalid regular expression disables only its own group, with a warning", async () => {
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

test("case 31: only match-all groups match an agent without a name", async () => {
  const specific = ["explore", "explore|exec", ".*", "^$", "[a-z]*"];
  for (const matcher of specific) expect(await runsFor(matcher, "")).toBe(false);
  for (const all of ["*", "", undefined]) expect(await runsFor(all, "")).toBe(true);
});

test("case 32: stops a regular expression that backtracks endlessly after 50 ms", async () => {
  const project = await HookProject.create();
  await project.configure({ hooks: { SubagentStop: [group(["exit 2"], "(a+)+$")] } });
  const result = await project.subagentStop(`${"a".repeat(40)}!`);
  expect(result.shouldStop).toBe(true);
  expect(result.skipped).toMatchObject([
    { visible: true, reason: expect.stringContaining("50 ms") as string },
  ]);
});
