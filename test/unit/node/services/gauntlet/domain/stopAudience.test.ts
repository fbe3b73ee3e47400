import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { whoSeesWhatPage } from "@/node/services/gauntlet/stopAudiencePage";
import {
  audienceOf,
  joinMessages,
  personMessage,
} from "@/node/services/gauntlet/domain/stopAudience";
import { GAUNTLET_STATUSES } from "@/node/services/gauntlet/domain/runStatus";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { gateResult } from "@test/helpers/gauntlet/runParts";

const PAGE = new URL("../../../../../../docs/reference/who-sees-what.md", import.meta.url);

test("the table in who-sees-what.md is up to date (make schemas, G25a)", async () => {
  expect(await readFile(PAGE, "utf8")).toBe(whoSeesWhatPage());
});

test("the user gets no message for these outcomes if everything was verified (G25a)", () => {
  const silent = GAUNTLET_STATUSES.filter(
    (status) => personMessage(createResult(status)) === undefined
  );
  expect(silent).toEqual([
    ...["passed", "no_applicable_gates", "no_changes", "failed", "no_config"],
    ...["stop_hook_active", "stop_hook_disabled", "interval_not_elapsed"],
  ]);
});

test("the user gets a message for an approval that did not verify everything (G25a)", () => {
  const caveat = "files changed";
  expect(personMessage(createResult("passed", { caveat }))).toBe("all gates passed: files changed");
  expect(personMessage(createResult("passed"), { facts: ["the base is gone"] })).toBe(
    "the base is gone"
  );
  expect(personMessage(createResult("stop_hook_disabled"), { facts: ["x"] })).toBeUndefined();
});

test("the user gets at most three lines: what was not verified, what weakens the gates, and the rest (G25a)", () => {
  const result = createResult("passed", { caveat: "files changed" });
  const facts = ["the base is gone", "a definition changed", "a script changed"];
  const weakened = new Set(facts.slice(1));
  const first = ["all gates passed: files changed", "a definition changed; a script changed"];
  const lines = (given: readonly string[]): string[] | undefined =>
    personMessage(result, { facts: given, weakened })?.split("\n");
  expect(lines(facts)).toEqual([...first, "the base is gone"]);
  expect(lines([...facts, "x\ny"])).toEqual([...first, "and 3 notes: mux-stop-hooks status"]);
  expect(personMessage(createResult("passed"), { facts: ["1", "2", "3"] })).toBe("1\n2\n3");
});

test("two decisions about one stop have as many lines as one (G25a)", () => {
  const texts = [
    { folder: "/a", text: "1\n2" },
    { folder: "/b", text: "3" },
  ];
  expect(joinMessages(texts)).toBe("/a: 1; /b: 3\n/a: 2");
});

test.each([
  ["lint:types", "lint:types"],
  ["e2e (all)", "'e2e (all)'"],
])("the user gets the command that pauses the gate %s (G19, G42)", (gate, argument) => {
  const jobId = `check:app:${gate}`;
  const openGates = [{ jobId }];
  for (const gates of [[], [gateResult(jobId, "failed", { gate })]])
    expect(createResult("retry_limit_exceeded", { openGates, gates }).message).toContain(
      `run "mux-stop-hooks pause --gate ${argument}" in`
    );
});

test("the agent gets only the reason of a block (G25a)", () => {
  const withReason = GAUNTLET_STATUSES.filter((status) => audienceOf(status).agent);
  expect(withReason).toEqual(["failed"]);
});
