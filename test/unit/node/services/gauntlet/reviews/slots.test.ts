import { describe, expect, test } from "vitest";
import type { SlotState, TrackedViolation } from "@/node/services/gauntlet/domain/review";
import {
  planSlots,
  reviewersFor,
  slotStates,
  type SlotFacts,
} from "@/node/services/gauntlet/reviews/slots";

const VIOLATION: TrackedViolation = {
  id: "00000001",
  file: "a",
  line: 1,
  issue: "x",
  priority: "high",
  status: "new",
};

interface Facts {
  readonly violations?: readonly TrackedViolation[];
  readonly changed?: boolean;
  readonly intact?: boolean;
  readonly snapshot?: string | null;
}

function facts({
  violations = [],
  changed = false,
  intact = true,
  snapshot = "s",
}: Facts): SlotFacts {
  const state: SlotState = {
    reviewer: "one",
    outcome: violations.length > 0 ? "failed" : "passed",
    violations,
    fixed: [],
    ...(snapshot === null ? {} : { snapshot }),
  };
  return { state, violations, isIntact: intact, hasChanged: changed };
}

function plan(numReviews: number, ...slots: readonly Facts[]): string[] {
  const known = new Map(slots.map((slot, i) => [i + 1, facts(slot)]));
  return planSlots(numReviews, known).map((of) =>
    of.kind === "ask" ? `ask ${of.whole ? "whole" : "since"}` : of.kind
  );
}

const OPEN = [VIOLATION];
const FIXED = [{ ...VIOLATION, status: "fixed" as const }];
const SKIPPED = [{ ...VIOLATION, status: "skipped" as const, result: "meant" }];

describe("which slots are asked (G14, G14a)", () => {
  test.each<[string, string[], string[]]>([
    ["a first run asks all of them about everything", plan(2), ["ask whole", "ask whole"]],
    ["one that has not answered yet", plan(1, { snapshot: null }), ["ask whole"]],
    [
      "one whose file is broken, changed or not",
      plan(1, { violations: OPEN, intact: false }),
      ["ask whole"],
    ],
    ["open, and nothing changed", plan(1, { violations: OPEN }), ["stand"]],
    ["open, and something changed", plan(1, { violations: OPEN, changed: true }), ["ask since"]],
    ["said to be fixed, and nothing changed", plan(1, { violations: FIXED }), ["ask since"]],
    [
      "passed, while another has to be asked",
      plan(2, { changed: true }, { violations: OPEN, changed: true }),
      ["prior_pass", "ask since"],
    ],
    [
      "passed, while another stands",
      plan(2, { changed: true }, { violations: OPEN }),
      ["prior_pass", "stand"],
    ],
    [
      "all have passed: the first one looks",
      plan(2, { changed: true }, {}),
      ["ask since", "prior_pass"],
    ],
    ["all have passed and nothing changed", plan(2, {}, {}), ["prior_pass", "prior_pass"]],
    [
      "skipped with a reason is as good as passed",
      plan(1, { violations: SKIPPED }),
      ["prior_pass"],
    ],
    [
      "skipped without one is not",
      plan(1, { violations: [{ ...VIOLATION, status: "skipped" }] }),
      ["stand"],
    ],
    ["more are asked for than before", plan(2, {}), ["prior_pass", "ask whole"]],
    [
      "fewer are, and one of the others is open",
      plan(1, {}, { violations: OPEN }),
      ["prior_pass", "stand"],
    ],
    ["fewer are, and nothing is open of the others", plan(1, {}, {}), ["prior_pass"]],
  ])("%s", (_, planned, expected) => {
    expect(planned).toEqual(expected);
  });
});

test("round robin: each slot begins with another reviewer, and knows whom to ask next (G13)", () => {
  const names = ["one", "two", "three"];
  expect(reviewersFor(1, names)).toEqual(["one", "two", "three"]);
  expect(reviewersFor(2, names)).toEqual(["two", "three", "one"]);
  expect(reviewersFor(5, names)).toEqual(["two", "three", "one"]);
  expect(reviewersFor(1, [])).toEqual([]);
});

test("slots are matched by number, and what is no number is none (G14)", () => {
  const { state } = facts({});
  expect([...slotStates({ 1: state, 10: state, x: state, 0: state, "-1": state }).keys()]).toEqual([
    1, 10,
  ]);
  expect(slotStates(undefined).size).toBe(0);
});
