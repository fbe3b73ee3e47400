/** `agent-gauntlet detect`: what has changed, and what a run would do about it. Runs nothing. */
import type { CliContext } from "@/cli/context";
import { scopeOf, type ScopeOptions } from "@/cli/gauntlet/commands/run";
import { complain } from "@/cli/gauntlet/complain";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { inProject, type ConfiguredProject } from "@/cli/gauntlet/project";
import { alignColumns, oneLine } from "@/cli/render/format";
import { definedOnly } from "@/common/definedOnly";
import { clip, plainText, visible } from "@/common/text";
import { commandOf } from "@/node/services/gauntlet/gates/runCheck";
import { detectChanges, type Detection } from "@/node/services/gauntlet/run/changes/detectChanges";

const MOST_COMMAND_CHARS = 100;

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
            context.stderr.write(`Warning: ${plainText(text)}\n`);
          }
          context.stdout.write(
            `${[...changeLines(detection), ...jobLines(detection)].join("\n")}\n`
          );
          return EXIT.ok;
        },
        ({ message }) => complain(context, message)
      );
    });
  return await inProject(context, look, options);
}

function changeLines({ changed }: Detection): string[] {
  if (changed.length === 0) return ["Found 0 changed files"];
  const paths = changed.map((path) => `  - ${visible(path)}`);
  return [`Found ${changed.length} changed files:`, ...paths, ""];
}

function jobLines({ isRerun, jobs, changed, hasChanges }: Detection): string[] {
  if (jobs.length > 0) {
    const rows = jobs.map(({ id, gate }) => [
      `  ${visible(id)}`,
      gate.kind === "check" ? clip(oneLine(commandOf(gate, isRerun)), MOST_COMMAND_CHARS) : "",
    ]);
    return ["Would run:", ...alignColumns(rows)];
  }
  if (changed.length === 0) return ["Nothing would run."];
  return [
    hasChanges
      ? "Nothing would run: no gate matches what has changed."
      : "Nothing would run: every gate has passed on these files.",
  ];
}
