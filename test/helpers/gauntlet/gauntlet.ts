/** Gates and jobs for tests. */
import type { CheckDefinition } from "@/node/services/gauntlet/domain/gate";
import type { CheckJob } from "@/node/services/gauntlet/gates/runCheck";

/** Returns a check that runs this command in the project's root. Its job is `check:.:NAME`. */
export function checkJob(
  command: string,
  { name = "it", ...more }: Partial<CheckDefinition> = {},
  entryPoint = "."
): CheckJob {
  const gate: CheckDefinition = {
    kind: "check",
    name,
    command,
    parallel: false,
    timeoutS: 60,
    failFast: false,
    env: {},
    runInCi: true,
    runLocally: true,
    source: { file: `.gauntlet/checks/${name}.yml`, line: 1, column: 1 },
    ...more,
  };
  return { id: `check:${entryPoint}:${name}`, entryPoint, gate, logName: `_${name}` };
}
