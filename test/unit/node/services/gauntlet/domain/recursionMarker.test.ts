import { expect, test } from "vitest";
import { isInsideGate } from "@/node/services/gauntlet/domain/recursionMarker";

test.each([
  ["1", true],
  [String(process.ppid), true],
  ["99", false],
])("recognizes the ancestor %s: %s (G24)", async (marker, isInside) => {
  // In a container, the process that runs the gates may be the first one.
  const stats: Readonly<Record<string, string>> = {
    [`/proc/${process.pid}/stat`]: `${process.pid} (a) b) S ${process.ppid} 0`,
    [`/proc/${process.ppid}/stat`]: `${process.ppid} (sh) S 1 0`,
    "/proc/1/stat": "1 (node) S 0 0",
  };
  expect(await isInsideGate(marker, (path) => Promise.resolve(stats[path]))).toBe(isInside);
});
