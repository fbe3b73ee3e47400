/** Describes the trial of a check for the user, and in the file of the check. */
import { ownCommand } from "@/common/ownCommand";
import type { Trial } from "@/cli/gauntlet/init/trial/tryChecks";
import { formatDuration } from "@/common/formatDuration";
import * as messages from "@/cli/gauntlet/messages/shared";

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
    case "changesFiles":
      return messages.changesFiles(trial.files);
  }
}

/** Returns a comment, or undefined if the check was not tried. */
export function trialComment(trial: Trial, now: Date): string | undefined {
  const day = now.toISOString().slice(0, 10);
  switch (trial.kind) {
    case "passed":
      return `Passed on ${day} in ${formatDuration(trial.durationMs)}.`;
    case "failed":
      return `Failed on ${day} (${trial.how}).`;
    case "unfinished":
      return `Starts; on ${day} it was not finished in ${formatDuration(trial.limitMs)}.`;
    case "watches":
    case "notTried":
    case "notFound":
    case "changesFiles":
      return undefined;
  }
}
