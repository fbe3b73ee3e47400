/** A limit of CPU time for algorithms that must be linear in their input (H20a). */
import { expect } from "vitest";

/** Linear algorithms take less than half a second for the inputs of these tests, and quadratic ones minutes. */
const LINEAR_MS = 10_000;

/** Expects that `work` takes no more CPU time than a linear algorithm takes on a slow machine. */
export async function expectLinear<T>(work: () => T | Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1_000;
  expect(ms).toBeLessThan(LINEAR_MS);
  return result;
}
