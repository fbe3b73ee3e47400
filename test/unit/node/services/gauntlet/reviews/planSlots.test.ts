import { expect, test } from "vitest";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { ReviewDefinition } from "@/node/services/gauntlet/domain/gate";
import { ReviewerPool } from "@/node/services/gauntlet/reviews/ReviewerPool";
import type { SlotState, TrackedViolation } from "@/node/services/gauntlet/domain/reviewViolations";
import { planSlots, slotStates, type SlotFacts } from "@/node/services/gauntlet/reviews/planSlots";
import { newRuntime } from "@test/helpers/localRuntime";

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
const MOVED = { changed: true };
const CHANGED = { violations: OPEN, ...MOVED };
const BROKEN = { violations: OPEN, intact: false };
const FIXED = [{ ...VIOLATION, status: "fixed" as const }];
const UNEXPLAINED = [{ ...VIOLATION, status: "skipped" as const }];
const SKIPPED = [{ ...VIOLATION, status: "skipped" as const, result: "it is meant" }];

test.each<[string, string[], string[]]>([
  ["a first run reviews everything in all slots", plan(2), ["ask whole", "ask whole"]],
  ["a slot without an answer", plan(1, { snapshot: null }), ["ask whole"]],
  ["a broken file, and files changed", plan(1, { ...BROKEN, ...MOVED }), ["ask whole"]],
  ["a broken file, and nothing changed", plan(1, BROKEN), ["keep"]],
  ["unresolved, and nothing changed", plan(1, { violations: OPEN }), ["keep"]],
  ["unresolved, and files changed", plan(1, CHANGED), ["ask since"]],
  ["marked as fixed, and nothing changed", plan(1, { violations: FIXED }), ["ask since"]],
  ["passed; another reviews", plan(2, MOVED, CHANGED), ["prior_pass", "ask since"]],
  ["passed; another is kept", plan(2, MOVED, { violations: OPEN }), ["prior_pass", "keep"]],
  ["all passed: the first reviews", plan(2, MOVED, {}), ["ask since", "prior_pass"]],
  ["all have passed and nothing changed", plan(2, {}, {}), ["prior_pass", "prior_pass"]],
  ["skipped with a reason counts as passed", plan(1, { violations: SKIPPED }), ["prior_pass"]],
  ["skipped without a reason is kept", plan(1, { violations: UNEXPLAINED }), ["keep"]],
  ["more slots than before", plan(2, {}), ["prior_pass", "ask whole"]],
  ["fewer slots, another is open", plan(1, {}, { violations: OPEN }), ["prior_pass", "keep"]],
  ["fewer slots, and none of the others is unresolved", plan(1, {}, {}), ["prior_pass"]],
])("planSlots: %s (G14, G14a)", (_, planned, expected) => {
  expect(planned).toEqual(expected);
});

test.each<[number, readonly string[], string]>([
  [1, [], "one two three"],
  [2, [], "two three one"],
  [5, [], "two three one"],
  [2, ["one"], "three two one"],
  [2, ["two"], "three one two"],
  [2, ["one", "two", "three"], "one two three"],
])("slot %i, with the cooldown of %j, tries %s (G13)", async (slot, resting, expected) => {
  const commands = { one: "1", two: "2", three: "3" };
  const cli = { commands, defaultPreference: Object.keys(commands) };
  const config = { cli, entryPoints: [] } as unknown as GauntletConfig;
  const place = { runtime: newRuntime(), projectDir: "/", config, now: () => new Date(0) };
  const soon = new Date(60_000).toISOString();
  const pool = new ReviewerPool(place, Object.fromEntries(resting.map((name) => [name, soon])));
  const found = await pool.candidates({} as ReviewDefinition, slot);
  expect(found.map(({ name }) => name).join(" ")).toBe(expected);
});

test("slotStates matches slots by number, and ignores other keys (G14)", () => {
  const { state } = facts({});
  expect([...slotStates({ 1: state, 10: state, x: state, 0: state, "-1": state }).keys()]).toEqual([
    1, 10,
  ]);
});
