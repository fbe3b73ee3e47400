/**
 * Runs `make soak`: 10,000 stops in one process (`SOAK_STOPS`). Fails if the number of file descriptors grows after the
 * first tenth of the stops, or memory by more than 10 %.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childScript } from "@test/helpers/process/childScript";

interface Held {
  readonly descriptors: number;
  readonly rssMiB: number;
}

const MAX_GROWTH = 1.1;
const root = mkdtempSync(join(tmpdir(), "mux-soak-"));
try {
  const stops = process.env.SOAK_STOPS ?? "10000";
  const printed = execFileSync(
    process.execPath,
    ["--expose-gc", await childScript("soakingHost"), root, stops],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }
  );
  console.log(printed.trim());
  const { early, late } = JSON.parse(printed) as { early: Held; late: Held };
  const isFlat = late.descriptors <= early.descriptors && late.rssMiB <= early.rssMiB * MAX_GROWTH;
  process.exitCode = isFlat ? 0 : 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
