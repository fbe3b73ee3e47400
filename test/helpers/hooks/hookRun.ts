import type { HookRun } from "@/node/services/hooks/contract/types";

/** Returns the record of a hook that has passed, with these differences. */
export function hookRun(fields: Partial<HookRun> = {}): HookRun {
  return {
    ...{ name: "project:Stop[0]", title: "check.sh", event: "Stop", type: "command" },
    ...{ layer: "project", startedAt: "2026-01-01T00:00:00.000Z", durationMs: 1, outcome: "pass" },
    ...{ warnings: [], notes: [], stdoutBytes: 0, stderrBytes: 0 },
    ...fields,
  };
}
