import { expect, test } from "vitest";
import { settleOld } from "@/node/services/gauntlet/hook/untrustedChanges";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { gateResult } from "@test/helpers/gauntlet/runParts";
import { newRuntime } from "@test/helpers/localRuntime";

test("an old form that fails beside a gate that the agent broke is shown to the user only (G24a)", async () => {
  const gates = ["unit", "lint"].map((name) => gateResult(`check:.:${name}`, "failed"));
  const result = createResult("failed", { gates, attempt: 1, maxAttempts: 4 });
  const settled = settleOld(result, { gates: new Set(["check:lint"]), byAgent: false });
  const failed = "1 of 2 gates failed: check:.:unit, attempt 1 of 4";
  expect(settled).toMatchObject({
    status: "failed",
    message: `${failed}; no verdict: check:.:lint`,
  });
  expect(settled.caveat).toMatch(/^check:\.:lint failed as you trusted it.*trust"/);
  const reason = await stopReason(newRuntime(), settled);
  expect(reason).toContain(`${failed}.`);
  expect(reason).not.toContain("lint");
});
