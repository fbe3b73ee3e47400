/** Selection of hooks by matcher (H11, H40). */
import { expect, test, vi } from "vitest";
import { matchAgentType } from "@/node/services/hooks/contract/agentMatcher";
import { group, HookProject } from "@test/helpers/hooks/hookProject";

test("case 24: ignores a matcher on Stop without a warning", async () => {
  const project = await HookProject.create();
  const hooks = {
    Stop: [group(["echo R >&2; exit 2"], "Bash"), group(["echo ran"], "*"), group(["true"], "(")],
  };
  const result = await (await project.configure({ hooks })).stop();
  expect(result.runs).toHaveLength(3);
  expect(result.shouldStop).toBe(false);
  expect([result.skipped, result.warnings]).toEqual([[], undefined]);
});

const PATTERN = "^(auto-memory:)?memory-updater$";

test.each<[title: string, matcher: string | undefined, is: string[], isNot: string[]]>([
  ["case 25: compares a name exactly", "explore", ["explore"], ["explorer", "Explore"]],
  ["case 26: compares each name of a list", "explore|exec", ["explore", "exec"], ["explorer"]],
  ["case 26: accepts commas", " exec ,explore ", ["explore", "exec"], ["my-explore"]],
  ["case 27: a hyphen is part of a name", "code-rev", ["code-rev"], ["senior-code-rev"]],
  ["case 27: a blank is part of a name", "general purpose", ["general purpose"], ["general"]],
  ["case 28: any other matcher is a pattern", "plor.", ["explorer"], ["ExPlorer", "plor"]],
  ["case 28: anchors count", PATTERN, ["memory-updater"], ["my-memory-updater"]],
  ["case 28: a pattern has groups", PATTERN, ["auto-memory:memory-updater"], []],
  ["case 29: `*` matches every agent", "*", ["explore", ""], []],
  ["case 29: an empty matcher matches every agent", "", ["explore", ""], []],
  ["case 29: a blank matcher matches every agent", "  ", ["explore", ""], []],
  ["case 29: a missing matcher matches every agent", undefined, ["explore", ""], []],
  ...["explore", "explore,", "explore|exec", ".*", "^$", "[a-z]*"].map(
    (matcher): [string, string, string[], string[]] => [
      `case 31: an agent without a name does not match ${matcher}`,
      matcher,
      [],
      [""],
    ]
  ),
  ["matches Mux's name of an agent (H40)", "Explore", ["explore"], ["explorer"]],
  ["matches two of them (H40)", "general-purpose|Plan", ["exec", "plan"], ["explore"]],
])("%s", (_, matcher, is, isNot) => {
  for (const type of is) expect(matchAgentType(matcher, type)).toEqual({ matches: true });
  for (const type of isNot) expect(matchAgentType(matcher, type)).toEqual({ matches: false });
});

test.each([
  ["^Expl", true],
  ["^(?!Explore$)", false],
])("the regular expression %j of the claude dialect sees Claude's name (H40)", (pattern, found) => {
  expect(matchAgentType(pattern, "explore", "claude")).toEqual({ matches: found });
  expect(matchAgentType(pattern, "explore", "mux")).toEqual({ matches: !found });
});

test("case 30: an invalid regular expression disables only its own group, with a warning", async () => {
  expect(matchAgentType("(", "explore")).toEqual({
    matches: false,
    problem: expect.stringContaining('"(" cannot be used') as string,
  });
  const project = await HookProject.create();
  const groups = [group(["exit 2"], "("), group(["echo alive"], "explore"), group(["no"], "exec")];
  await project.configure({ hooks: { SubagentStop: groups } });
  const result = await project.subagentStop("explore");
  expect(result.runs.map(({ stdout }) => stdout)).toEqual(["alive"]);
  expect(result.shouldStop).toBe(true);
  expect(result.warnings).toEqual([
    expect.stringMatching(/SubagentStop\[0\]\.matcher.*the group is skipped/),
  ]);
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

test.each([
  ["without CPU time is repeated, but not for ever", 0, 20],
  ["that computes for the whole time counts", 50_000, 2],
])("an attempt %s (H11)", (_, user, attempts) => {
  const usage = vi.spyOn(process, "cpuUsage").mockReturnValue({ user, system: 0 });
  const slow = matchAgentType("(a+)+$", `${"a".repeat(40)}!`);
  expect(usage.mock.calls.length).toBe(2 * attempts);
  usage.mockRestore();
  expect(slow).toMatchObject({ matches: false });
});
