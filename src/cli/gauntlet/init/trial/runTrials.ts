/** Tries the selected checks at a terminal or without one, and prints each result. */
import type { CliContext } from "@/cli/context";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import type { InitPlace } from "@/cli/gauntlet/init/place";
import { describeTrial } from "@/cli/gauntlet/init/trial/describeTrial";
import { tryChecks, type Trial } from "@/cli/gauntlet/init/trial/tryChecks";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor, type Style } from "@/cli/render/style";
import { clip, visible } from "@/common/text";

const MAX_LINE = 200;

/** At a terminal, Enter skips the check that is running. */
export async function runTrials(
  checks: readonly CheckProposal[],
  place: InitPlace,
  signal: AbortSignal,
  context: CliContext
): Promise<ReadonlyMap<string, Trial>> {
  if (checks.length === 0) return new Map();
  const { stdin, stdout, env } = context;
  const style = styleFor(stdout, env);
  const live = new LiveLines(stdout, isLive(stdout, env));
  const canSkip = stdin.isTTY === true && live.live;
  let skip = new AbortController();
  const onKey = (): void => {
    skip.abort();
  };
  live.print(trying(checks.length));
  if (canSkip) stdin.on("data", onKey).resume();
  try {
    return await tryChecks(checks, place, {
      signal,
      beginCheck: ({ name, command }) => {
        skip = new AbortController();
        live.show([visible(`  ${name}: ${command} (Enter skips this trial)`)]);
        return skip.signal;
      },
      onTried: ({ name, command }, trial) => {
        live.print(`${mark(trial, style)} ${name}: ${visible(describeTrial(trial, command))}`, []);
        for (const line of trial.kind === "failed" ? trial.lines : []) {
          live.print(`    | ${visible(clip(line, MAX_LINE))}`, []);
        }
      },
    });
  } finally {
    if (canSkip) stdin.off("data", onKey).pause();
  }
}

function mark({ kind }: Trial, { green, red, yellow }: Style): string {
  switch (kind) {
    case "passed":
      return green("✓");
    case "failed":
      return red("✗");
    case "unfinished":
    case "notTried":
      return yellow("-");
    case "watches":
    case "notFound":
    case "changesFiles":
      return red("-");
  }
}

/** Precedes the results of the trial. @param count the number of checks */
function trying(count: number): string {
  const checks = count === 1 ? "the check" : `the ${count} checks`;
  return `Trying ${checks} once (at most 20 s each, 60 s together):`;
}
