import { expect, test } from "vitest";
import { isNameList, matchAgentType } from "@/node/services/hooks/contract/matcher";

const matches = (matcher: string | undefined, agentType: string): boolean =>
  matchAgentType(matcher, agentType).matches;

test.each([undefined, "", "  ", "*"])(
  "%j matches every agent type, including an empty one (H11)",
  (all) => {
    expect(matches(all, "explore")).toBe(true);
    expect(matches(all, "")).toBe(true);
  }
);

test.each(["explore", "explore|exec", "explore, exec", " exec ,explore "])(
  "%j is a list of whole names (H11)",
  (list) => {
    expect(isNameList(list)).toBe(true);
    expect(matches(list, "explore")).toBe(true);
    expect(matches(list, "explorer")).toBe(false);
    expect(matches(list, "Explore")).toBe(false);
    expect(matches(list, "my-explore")).toBe(false);
  }
);

test("a hyphen or a blank belongs to a name (H11)", () => {
  expect(matches("code-reviewer", "senior-code-reviewer")).toBe(false);
  expect(matches("general purpose", "general purpose")).toBe(true);
});

test("any other matcher is an unanchored, case-sensitive regular expression (H11)", () => {
  expect(matches("review.*", "senior-reviewer")).toBe(true);
  expect(matches("^review", "senior-reviewer")).toBe(false);
  expect(matches("review.*", "Reviewer")).toBe(false);
});

test("an empty agent type matches no list and no regular expression (H11)", () => {
  expect(matches("explore,", "")).toBe(false);
  expect(matches(".*", "")).toBe(false);
  expect(matches("^$", "")).toBe(false);
});

test("a regular expression that does not compile is reported, and matches nothing (H11)", () => {
  expect(matchAgentType("(", "explore")).toEqual({
    matches: false,
    problem: expect.stringContaining('"(" cannot be used') as string,
  });
});

test("stops a regular expression that backtracks endlessly (H11)", () => {
  const match = matchAgentType("(a+)+$", `${"a".repeat(40)}!`);
  expect(match).toMatchObject({
    matches: false,
    problem: expect.stringContaining("50 ms") as string,
  });
});

test.each([
  ["Explore", "explore"],
  ["general-purpose|Plan", "exec"],
  ["general-purpose|Plan", "plan"],
])("%j matches %s, which is Mux's name of that agent (H40)", (matcher, agentType) => {
  expect(matches(matcher, agentType)).toBe(true);
});

test("an agent of Mux with another name is not one of Claude Code's (H40)", () => {
  expect(matches("general-purpose", "explore")).toBe(false);
  expect(matches("Explore", "explorer")).toBe(false);
});

test.each([
  ["^Expl", true],
  ["^(?!Explore$)", false],
])("the regular expression %j of the claude dialect sees Claude's name (H40)", (pattern, found) => {
  expect(matchAgentType(pattern, "explore", "claude")).toEqual({ matches: found });
  expect(matchAgentType(pattern, "explore", "mux")).toEqual({ matches: !found });
});
