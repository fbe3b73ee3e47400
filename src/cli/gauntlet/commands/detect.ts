/** `mux-stop-hooks detect`: shows what has changed, and which gates a run would start. Runs no gates. */
import { NO_GATES_MATCH } from "@/node/services/gauntlet/messages/status";
import type { CliContext } from "@/cli/context";
import { scopeOf, type ScopeOptions } from "@/cli/gauntlet/commands/run";
import { printError } from "@/cli/render/printError";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { inProject, type ConfiguredProject } from "@/cli/gauntlet/project";
import { alignColumns, oneLine } from "@/cli/render/format";
import { definedOnly } from "@/common/definedOnly";
import { clip, plainText, visible } from "@/common/text";
import { commandOf } from "@/node/services/gauntlet/gates/runCheck";
import { detectChanges, type Detection } from "@/node/services/gauntlet/run/plan/detectChanges";
import { warning } from "@/cli/gauntlet/messages/shared";

// clean
// detect
const NO_GATE_WOULD_RUN = "No gate would run";

const NONE_WOULD_RUN = `${NO_GATE_WOULD_RUN}.`;

const NONE_MATCHES = `${NO_GATE_WOULD_RUN}: ${NO_GATES_MATCH}.`;

const ALL_HAVE_PASSED = `${NO_GATE_WOULD_RUN}: every gate has passed on these files.`;

const MAX_COMMAND_CHARS = 100;

export async function detect(options: ScopeOptions, context: CliContext): Promise<ExitCode> {
  const look = ({ runtime, dir, config }: ConfiguredProject): Promise<ExitCode> =>
    interruptible(context, async (signal) => {
      const { baseBranch } = options;
      const scope = scopeOf(options);
      const detected = await detectChanges(
        {
          ...{ runtime, projectDir: dir, env: context.env, signal },
          ...definedOnly({ baseBranch, scope }),
        },
        config
      );
      return detected.match(
        (detection) => {
          for (const text of detection.warnings) {
            context.stderr.write(`${warning(plainText(text))}\n`);
          }
          context.stdout.write(
            `${[...changeLines(detection), ...jobLines(detection)].join("\n")}\n`
          );
          return EXIT.ok;
        },
        ({ message }) => printError(context, message)
      );
    });
  return await inProject(context, look, options);
}

function changeLines({ changed }: Detection): string[] {
  if (changed.length === 0) return [foundFiles(0)];
  const paths = changed.map((path) => `  - ${visible(path)}`);
  return [`${foundFiles(changed.length)}:`, ...paths, ""];
}

function jobLines({ isRerun, jobs, changed, hasChanges }: Detection): string[] {
  if (jobs.length > 0) {
    const rows = jobs.map(({ id, gate }) => [
      `  ${visible(id)}`,
      gate.kind === "check" ? clip(oneLine(commandOf(gate, isRerun)), MAX_COMMAND_CHARS) : "",
    ]);
    return ["Would run:", ...alignColumns(rows)];
  }
  if (changed.length === 0) return [NONE_WOULD_RUN];
  return [hasChanges ? NONE_MATCHES : ALL_HAVE_PASSED];
}

/** Scripts match this line. */
function foundFiles(count: number): string {
  return `Found ${count} changed files`;
}
