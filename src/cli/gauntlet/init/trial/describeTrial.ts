/** Describes the trial of a check for the user, and in the file of the check. */
import type { Trial } from "@/cli/gauntlet/init/trial/tryChecks";
import { formatDuration } from "@/cli/render/formatDuration";
import * as messages from "@/cli/gauntlet/messages/initScreen";

/** Returns the result in a few words. */
export function describeTrial(trial: Trial): string {
  switch (trial.kind) {
    case "passed":
      return messages.passedIn(formatDuration(trial.durationMs));
    case "failed":
      return messages.failsToday(trial.how, formatDuration(trial.durationMs));
    case "unfinished":
      return messages.unfinishedAfter(formatDuration(trial.limitMs));
    case "watches":
      return messages.watches(trial.line);
    case "notTried":
      return messages.SKIPPED;
    case "notFound":
      return messages.cannotRun(trial.how);
    case "changesFiles":
      return messages.changesFiles(trial.files);
  }
}

/** Returns a comment, or undefined if the check was not tried. */
export function trialComment(trial: Trial, now: Date): string | undefined {
  const day = now.toISOString().slice(0, 10);
  switch (trial.kind) {
    case "passed":
      return messages.passedComment(day, formatDuration(trial.durationMs));
    case "failed":
      return messages.failedComment(day, trial.how);
    case "unfinished":
      return messages.unfinishedComment(day, formatDuration(trial.limitMs));
    case "watches":
    case "notTried":
    case "notFound":
    case "changesFiles":
      return undefined;
  }
}
