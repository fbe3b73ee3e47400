import { expect, test } from "vitest";
import { CheckHistory } from "@/node/services/gauntlet/gates/CheckCache";
import { startOrder } from "@/node/services/gauntlet/gates/runJobs";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";

const TREE = "0123456789abcdef";
const job = (name: string, parallel = true) => ({
  ...checkJob("true", { name, parallel }),
  id: `check:.:${name}`,
});

function ran(history: CheckHistory, name: string, outcome: "passed" | "failed", ms: number): void {
  const of = { jobId: `check:.:${name}`, kind: "check", gate: name, entryPoint: "." } as const;
  history.add({ ...of, outcome, durationMs: ms }, TREE);
}

test("failed checks start first, then the shortest, then the unknown (G41)", () => {
  const history = new CheckHistory();
  ran(history, "slow", "passed", 900);
  ran(history, "quick", "passed", 10);
  ran(history, "broken", "failed", 5_000);
  const jobs = ["new", "slow", "other", "quick", "broken"].map((name) => job(name));
  expect(startOrder(jobs, history).map(({ gate }) => gate.name)).toEqual([
    "broken",
    "quick",
    "slow",
    "new",
    "other",
  ]);
});

test("gates that are not parallel keep the order of the configuration (G41)", () => {
  const history = new CheckHistory();
  ran(history, "b", "failed", 1);
  ran(history, "c", "passed", 1);
  const jobs = [job("a", false), job("b", false), job("c"), job("d", false)];
  const sequential = startOrder(jobs, history).filter(({ gate }) => !gate.parallel);
  expect(sequential.map(({ gate }) => gate.name)).toEqual(["a", "b", "d"]);
});
