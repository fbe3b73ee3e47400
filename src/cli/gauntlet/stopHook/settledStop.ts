/**
 * The answers that a few files give (G24): turned off there, another run is alive, the last one is too recent. Says
 * nothing where anything is in doubt: then the whole decision is made, and has the last word. What this imports is
 * loaded before that, so it is little more than the parser of YAML.
 */
import type { Answer } from "@/cli/gauntlet/stopHook/answer";
import { readLastRun } from "@/cli/gauntlet/stopHook/lastRun";
import { readGlobalStopHook, readProjectSettings } from "@/cli/gauntlet/stopHook/plainSettings";
import { LocalReads } from "@/node/runtime/LocalReads";
import { digestOf, readConfigFiles } from "@/node/services/gauntlet/config/configFiles";
import { ProblemList } from "@/node/services/gauntlet/config/problemList";
import { readVariables, settingsOf } from "@/node/services/gauntlet/config/stopHookRules";
import { describeLock } from "@/node/services/gauntlet/state/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/RunLock";
import { alreadyRunning, tooRecent, turnedOff } from "@/node/services/gauntlet/stopAnswers";
import { currentBranch, nextEligible } from "@/node/services/gauntlet/stopInterval";

export interface SettledPlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The person's home folder, absolute. */
  readonly home: string;
  readonly now: Date;
}

class HostReads extends LocalReads {
  readonly host = this;
}

export async function settledStop(
  projectDir: string,
  { env, home, now }: SettledPlace
): Promise<Answer | undefined> {
  const files = new HostReads();
  const problems = new ProblemList(false);
  const read = await readConfigFiles(files, projectDir, problems);
  const project = read.config && readProjectSettings(read.config, projectDir, problems);
  const global = await readGlobalStopHook(files, { env, home, problems });
  if (project === undefined || global === undefined || problems.hasErrors) return undefined;

  const { stopHook, logDir } = project;
  const settings = settingsOf({ variables: readVariables(env), project: stopHook, global });
  const { warnings, intervalMinutes } = settings;
  if (!settings.enabled) return { result: turnedOff(settings), warnings };

  // That nothing else is wrong with a configuration is known only of one by which a run has passed.
  const last = await readLastRun(files, logDir);
  if (last?.passedBy !== digestOf(read)) return undefined;
  const lock = await inspectLock(files, logDir, await currentProcess(files), now);
  if (lock.kind === "held") return { result: alreadyRunning(describeLock(lock.holder)), warnings };
  if (lock.kind === "failed" || intervalMinutes === 0) return undefined;

  const branch = await currentBranch(files, projectDir);
  if (branch === undefined) return undefined;
  const due = nextEligible(last.run, { intervalMinutes, branch, now });
  return due && { result: tooRecent(due, now), warnings };
}
