import { expect, test } from "vitest";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { forPerson } from "@/node/services/gauntlet/hook/messageForUser";
import { StopHistory } from "@/node/services/gauntlet/turn/StopHistory";
import { createResult } from "@/node/services/gauntlet/run/createResult";

const slow = { jobId: "check:.:slow", message: "did not end in time", overLimit: true };
const review = { jobId: "review:.:a", message: "no reviewer answers" };

test.each([
  [[slow], false],
  [[slow, review], true],
])("causes that were shown hide no other one: %j (G27c)", async (gates, isShown) => {
  const results = gates.map(
    (gate) => ({ ...gate, gate: "x", outcome: "error", unreachable: true }) as unknown as GateResult
  );
  const errorMessage = "there is no result";
  const result = createResult("infrastructure_error", { gates: results, errorMessage });
  const shown = { result, isChecked: true, facts: [], weakened: [] };
  const session = Object.create(StopHistory.prototype) as StopHistory;
  session.newFacts = () => Promise.resolve([]);
  session.mayNameCauses = () => Promise.resolve(false);
  const text = await forPerson(shown, {}, () => Promise.resolve(session));
  expect(text?.includes(errorMessage) ?? false).toBe(isShown);
});
