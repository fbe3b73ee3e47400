/**
 * Selects the gates that a stop may run (G24a): those of the nearest trusted project, as a person trusted them before
 * this turn even if its files changed since, or those in the files if no trust is required. Without any, returns why,
 * and notes that the project waits for trust. Trusts gates that ran before they needed trust.
 */
import * as messages from "@/cli/gauntlet/messages/gateTrust";
import { posix } from "node:path";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import {
  areSame,
  loadRecorded,
  ranBefore,
  readGates,
  readTrust,
  type FoundGates,
  type ReadTrust,
} from "@/cli/gauntlet/trust/gateTrust";
import { shownCommand } from "@/common/ownCommandName";
import { visible } from "@/common/safeText";
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import type * as stopRules from "@/node/services/gauntlet/hook/stopDecision";
import * as untrustedChanges from "@/node/services/gauntlet/hook/untrustedChanges";
import { findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";
import * as turns from "@/node/services/gauntlet/turn/TurnStore";
import type { TurnGates } from "@/node/services/gauntlet/turn/gatesAtTurnStart";
// Not from the index of the engine: a stop loads as little as possible.
import { listFiles } from "@/node/services/hooks/settings/hookDefinitions";
import {
  noteWaiting,
  trustGates,
  type GateFiles,
  type TrustedGates,
} from "@/node/services/hooks/trust/trustDecisions";
import { refuseVariable, skipsTrust } from "@/node/services/hooks/trust/trustVariable";
import { findTrustStore, trustedAs } from "@/node/services/hooks/trust/userTrust";
import type { UserPlace } from "@/wiring";

export type TrustedStop = UserPlace &
  Pick<stopRules.DecisionRequest, "runtime" | "cwd" | "projectHint" | "sessionId" | "now">;

/** The gates that a stop may run. */
export type StopTrust =
  | {
      readonly kind: "trusted";
      readonly project: stopRules.GauntletProject;
      readonly notices: readonly string[];
      readonly old?: stopRules.OldDefinitions;
      /** Why the files cannot be used, if the agent broke them. */
      readonly configProblem?: string;
    }
  /** The gates in the files run, because no trust is required or there is no project. */
  | { readonly kind: "open"; readonly notices: readonly string[] }
  | {
      readonly kind: "untrusted";
      readonly why: string;
      /** The next step, if files changed in the turn. */
      readonly caveat?: string;
    };

/** A stop, with the record of its turn. */
interface StopPlace extends TrustedStop {
  readonly gitDir: string | undefined;
  readonly turn: turns.TurnRecord;
  /** The gates of a project when the turn began. */
  readonly gatesThen: TurnGates | undefined;
  /** The nearest folder with a configuration. */
  readonly nearest: string;
}

export async function gatesForStop(stop: TrustedStop): Promise<StopTrust> {
  const { runtime, cwd, projectHint, env } = stop;
  const around = await projectsAround(runtime, cwd);
  const isHinted = around.length === 0 && projectHint !== undefined;
  const dirs = isHinted ? await projectsAround(runtime, projectHint) : around;
  const gitDir = await findGitDir(runtime, dirs[0] ?? cwd);
  const key = turns.sessionKey(stop.sessionId);
  const store = gitDir === undefined ? undefined : new turns.TurnStore(runtime, gitDir);
  const gatesThen = await store?.read("gates", key);
  const recorded = gatesThen?.projectDir;
  if (recorded !== undefined && !dirs.includes(recorded)) dirs.push(recorded);
  const [nearest] = dirs;
  if (nearest === undefined) return { kind: "open", notices: [] };
  const notices: string[] = [];
  if (skipsTrust(env)) {
    const refusal = await refuseVariable(runtime, nearest);
    if (refusal === undefined)
      return {
        kind: "open",
        notices: [
          "MUX_HOOKS_TRUST=always is set, so gates run without your trust, and changes of them count at once",
        ],
      };
    notices.push(refusal);
  }
  const turn = (await store?.read("turns", key)) ?? turns.NO_TURN;
  return await trustIn({ ...stop, gitDir, turn, gatesThen, nearest }, dirs, notices);
}

/** Returns the folders with a configuration, the nearest first. */
async function projectsAround(runtime: HookRuntime, folder: string): Promise<string[]> {
  const dir = await findGauntletProject(runtime, folder);
  if (dir === undefined) return [];
  const [git] = await runtime.stat([posix.join(dir, ".git")]);
  const isTop = git?.kind !== "missing" || posix.dirname(dir) === dir;
  return [dir, ...(isTop ? [] : await projectsAround(runtime, posix.dirname(dir)))];
}

/** Selects the nearest project that is trusted. An agent could put one that is not trusted into it. */
async function trustIn(
  stop: StopPlace,
  dirs: readonly string[],
  notices: string[]
): Promise<StopTrust> {
  const { runtime, nearest } = stop;
  const store = await findTrustStore(runtime, stop);
  if (store === undefined) return await untrusted(stop, messages.NO_RECORD);
  let ofNearest: ReadTrust | undefined;
  for (const dir of dirs) {
    const trust = await readTrust(store, runtime, dir);
    if (trust.isErr()) return await untrusted(stop, trust.error);
    ofNearest ??= trust.value;
    const { sets, isRefused } = trust.value;
    if (dir === nearest && isRefused) return { kind: "untrusted", why: messages.NEVER_TRUSTED };
    if (sets.length === 0 || isRefused) continue;
    if (dir !== nearest) {
      notices.push(
        `${visible(nearest)}/.gauntlet is not trusted, so the gates of ${visible(dir)} run; to use it, run "${shownCommand()} trust" in ${visible(nearest)}`
      );
    }
    return await trusted(stop, dir, sets, notices);
  }
  const now = stop.now();
  if (ofNearest === undefined || !(await ranBefore(runtime, nearest, ofNearest, now))) {
    await noteWaiting(store, trustedAs(runtime, nearest), now);
    return await untrusted(stop, messages.NOT_TRUSTED);
  }
  const { loaded, files } = await readGates(runtime, nearest);
  const recorded = await trustGates(store, trustedAs(runtime, nearest), files, now);
  if (recorded.isErr()) return await untrusted(stop, recorded.error);
  notices.push(messages.trustedByEarlierUse(visible(nearest)));
  return { kind: "trusted", project: { dir: nearest, loaded }, notices };
}

/** Returns the trusted gates of a project. Only trust from before this turn counts. */
async function trusted(
  stop: StopPlace,
  dir: string,
  sets: readonly TrustedGates[],
  notices: readonly string[]
): Promise<StopTrust> {
  const { runtime, gitDir, turn, gatesThen } = stop;
  const began = Date.parse(turn.at ?? "");
  const trustedBefore = sets.filter(
    ({ trustedAt }) => Number.isNaN(began) || Date.parse(trustedAt) <= began
  );
  const wasThen = ({ files }: { files: GateFiles }): boolean =>
    gatesThen?.files !== undefined &&
    gatesThen.projectDir === dir &&
    areSame(gatesThen.files, files);
  // The set that was trusted last may be that of another branch.
  const last = trustedBefore.findLast(wasThen) ?? trustedBefore.at(-1);
  if (last === undefined)
    return await untrusted(
      stop,
      "the gates of this project were trusted during this turn, and count from your next message"
    );
  const found = await readGates(runtime, dir);
  if (trustedBefore.some(({ files }) => areSame(files, found.files))) {
    return { kind: "trusted", project: { dir, loaded: found.loaded }, notices };
  }
  const loaded = await loadRecorded(last.files, dir);
  const gates = untrustedChanges.changedDefinitions(loaded, found.loaded);
  // Whether the files changed in this turn, and not by commits from elsewhere.
  const byAgent =
    gitDir === undefined ||
    !(wasThen(found) || (await untrustedChanges.cameByCommit({ runtime, dir, gitDir })));
  const isBroken = byAgent && loaded.kind === "valid" && found.loaded.kind === "invalid";
  return {
    kind: "trusted",
    project: { dir, loaded },
    notices: [...notices, describeChange(last, found, dir)],
    old: { gates, byAgent },
    configProblem: isBroken ? describeDiagnostics(found.loaded.problems) : undefined,
  };
}

/** Returns the reason, with the next step if files have changed. */
async function untrusted(
  { runtime, gitDir, turn, nearest: dir }: StopPlace,
  why: string
): Promise<StopTrust> {
  const hasChanged =
    gitDir === undefined ||
    (await untrustedChanges.hasChangedFiles({ runtime, dir, gitDir }, turn));
  if (!hasChanged) return { kind: "untrusted", why };
  const caveat =
    why === messages.NOT_TRUSTED
      ? `the changes were not verified; run "${shownCommand()} trust" in ${visible(dir)} to see and allow its commands, or "${shownCommand()} trust --never"`
      : "the changes were not verified";
  return { kind: "untrusted", why, caveat };
}

function describeChange(trusted: TrustedGates, found: FoundGates, dir: string): string {
  const names = [...new Set([...Object.keys(trusted.files), ...Object.keys(found.files)])]
    .filter((name) => !areSame({ "": trusted.files[name] ?? "" }, { "": found.files[name] ?? "" }))
    .sort();
  return found.loaded.kind === "none"
    ? `${visible(dir)}/.gauntlet was removed in this turn; its gates run as you trusted them; restore it`
    : messages.changedSinceTrusted(visible(listFiles(names)), visible(dir));
}
