/** Tries the selected checks at a terminal or without one, and describes each result. */
import type { CliContext } from "@/cli/context";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import type { InitPlace } from "@/cli/gauntlet/init/place";
import { tryChecks, type Trial } from "@/cli/gauntlet/init/trial/tryChecks";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor, type Style } from "@/cli/render/style";
import { formatDuration } from "@/common/formatDuration";
import { ownCommand } from "@/common/ownCommand";
import { clip, visible } from "@/common/text";

const MAX_LINE = 200;
const MAX_FILES = 5;

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
  const all = checks.length === 1 ? "the check" : `the ${checks.length} checks`;
  live.print(`Trying ${all} once (at most 20 s each, 60 s together):`);
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
  if (kind === "passed") return green("✓");
  if (kind === "failed") return red("✗");
  return kind === "unfinished" || kind === "notTried" ? yellow("-") : red("-");
}

/** Returns the result in a few words. */
export function describeTrial(trial: Trial, command: string): string {
  switch (trial.kind) {
    case "passed":
      return `passed in ${formatDuration(trial.durationMs)}`;
    case "failed":
      return `fails now (${trial.how}, ${formatDuration(trial.durationMs)}); written nevertheless`;
    case "unfinished":
      return `starts; not finished in ${formatDuration(trial.limitMs)}. If all checks together take longer than 290 s, run "${ownCommand()} init --limit 900"`;
    case "watches":
      return `left out, because it does not end (${trial.line}); add it as CI=1 ${command}, or without its watch mode`;
    case "notTried":
      return "not tried";
    case "notFound":
      return `left out, because it cannot run here (${trial.how})`;
    case "changesFiles": {
      const rest = trial.files.length - MAX_FILES;
      const shown = trial.files.slice(0, MAX_FILES).join(", ");
      return `left out, because it changes files that git does not ignore: ${shown}${rest > 0 ? ` and ${rest} more` : ""}`;
    }
  }
}

/** Returns a comment for the file of the check; undefined if it was not tried. */
export function trialComment(trial: Trial, now: Date): string | undefined {
  const day = now.toISOString().slice(0, 10);
  switch (trial.kind) {
    case "passed":
      return `Passed on ${day} in ${formatDuration(trial.durationMs)}.`;
    case "failed":
      return `Failed on ${day} (${trial.how}).`;
    case "unfinished":
      return `Starts; on ${day} it was not finished in ${formatDuration(trial.limitMs)}.`;
    default:
      return undefined;
  }
}
