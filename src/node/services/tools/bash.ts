/** The agent's shell. */
import * as z from "zod/mini";
import { unlessAborted } from "@/common/abort";
import { KIB } from "@/common/limits";
import type { ExecEnd, ExecResult, HookRuntime } from "@/node/runtime/HookRuntime";
import type { Tool } from "@/node/services/session/aiService";
import { defineTool, toolFailure } from "@/node/services/session/tool";

const DEFAULT_TIMEOUT_S = 120;
const MAX_OUTPUT_BYTES = 32 * KIB;

const schema = z.object({
  script: z.string().check(z.minLength(1)),
  /** In seconds. */
  timeout_secs: z.optional(z.number().check(z.positive(), z.maximum(86_400))),
});

/** Creates a tool that runs a script in the project. Its whole process tree ends with the turn. */
export function bashTool(runtime: HookRuntime, projectDir: string): Tool {
  return defineTool("bash", schema, async ({ script, timeout_secs }, { abortSignal }) => {
    const run = runtime.exec({
      command: { script },
      cwd: projectDir,
      timeoutMs: (timeout_secs ?? DEFAULT_TIMEOUT_S) * 1000,
      signal: abortSignal,
      keepBytes: MAX_OUTPUT_BYTES,
    });
    // The turn ends at once, however its processes react to the signal (H22).
    const result = await unlessAborted(run, abortSignal);
    return result === undefined ? toolFailure("interrupted") : describeResult(result);
  });
}

function describeResult({ end, stdout, stderr, durationMs }: ExecResult) {
  const output = [stdout.text, stderr.text].filter((text) => text !== "").join("\n");
  const common = { output, wall_duration_ms: durationMs };
  if (end.kind !== "exited") return { success: false, error: describeEnd(end), ...common };
  return { success: end.code === 0, exitCode: end.code, ...common };
}

function describeEnd(end: Exclude<ExecEnd, { kind: "exited" }>): string {
  switch (end.kind) {
    case "signaled":
      return `ended by ${end.signal}`;
    case "timedOut":
      return "timed out; set a larger timeout_secs to give it more time";
    case "cancelled":
      return "interrupted";
    case "lost":
      return `its end is unknown: ${end.message}`;
    case "notStarted":
      return `could not be started: ${end.message}`;
  }
}
