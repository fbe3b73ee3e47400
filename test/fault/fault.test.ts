/** The short run of `make fault`: once every fault that no other test has. */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FAULTS } from "@test/fault/faults";
import { strike } from "@test/fault/site";
import "@test/helpers/freshBuild";

// /proc is needed, since the processes of a fault are found by their environment.
describe.runIf(existsSync("/proc/self/environ"))("a host survives", () => {
  test.each(FAULTS.filter(({ provedBy }) => provedBy === undefined))(
    "$name (H23a)",
    async (fault) => {
      expect(await strike(fault, 24, { stopsPerSession: 1 })).toMatch(/^(passed|skipped)$/);
    }
  );
});
