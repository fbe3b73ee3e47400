/**
 * The answers that a few files give (G24): they disable the hook, or another run is active. In doubt there is no
 * answer, and the full decision follows. A stop loads this before the full decision, so it contains little more than
 * the YAML parser. The interval needs git, which knows whether the files are those that passed (G25a).
 */
import type { HookAnswer } from "@/cli/gauntlet/stopHook/answer";
import { readPassedDigest } from "@/cli/gauntlet/stopHook/lastRunState";
import { readGlobalStopHook, readProjectSettings } from "@/cli/gauntlet/stopHook/plainSettings";
import { LocalReads } from "@/node/runtime/local/LocalReads";
import { digestOf, readConfigFiles } from "@/node/services/gauntlet/config/configFiles";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import { readVariables, settingsOf } from "@/node/services/gauntlet/config/stopHookRules";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { inspectLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { alreadyRunning, turnedOff } from "@/node/services/gauntlet/hook/earlyResults";

export interface SettledPlace {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The user's home folder, absolute. */
  readonly home: string;
  readonly now: Date;
}

class HostReads extends LocalReads {
  readonly host = this;
  readonly isRemote = false;
}

export async function settledStop(
  projectDir: string,
  { env, home, now }: SettledPlace
): Promise<HookAnswer | undefined> {
  const files = new HostReads();
  const problems = new DiagnosticList(false);
  const read = await readConfigFiles(files, projectDir, problems);
  const project = read.config && readProjectSettings(read.config, projectDir, problems);
  const global = await readGlobalStopHook(files, { env, home, problems });
  if (project === undefined || global === undefined || problems.hasErrors) return undefined;

  const { stopHook, logDir } = project;
  const settings = settingsOf({ variables: readVariables(env), project: stopHook, global });
  const { warnings } = settings;
  if (!settings.enabled) return { result: turnedOff(settings), warnings };

  // Only a configuration with which a run has passed is known to have no other errors.
  if ((await readPassedDigest(files, logDir)) !== digestOf(read)) return undefined;
  const lock = await inspectLock(files, logDir, await currentProcess(files), now);
  if (lock.kind !== "held") return undefined;
  return { result: alreadyRunning(describeLock(lock.holder)), warnings };
}
