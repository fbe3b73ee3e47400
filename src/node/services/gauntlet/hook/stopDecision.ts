/**
 * Defines the types of a stop's decision: its request, its facts and its answer. Also has the rules that `stop-hook`
 * applies before the configuration is read (G24), and how long a run may take within the time of its caller (G27c).
 */
import type { TurnRecord } from "@/node/services/gauntlet/turn/TurnStore";
import type { StopIdentity, StopHistory } from "@/node/services/gauntlet/turn/StopHistory";
import type { LockWait } from "@/node/services/gauntlet/state/lock/RunLock";
import type { ProcessIdentity } from "@/node/services/gauntlet/state/lock/processIdentity";
import type { RunOptions, SkippedGates } from "@/node/services/gauntlet/run/runOptions";
import type { StopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import type { GauntletConfig, ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";

/** A stop to decide, and the facts about it that the caller knows. */
export interface DecisionRequest
  extends
    StopIdentity,
    Required<Pick<RunOptions, "env" | "now" | "limitMs">>,
    Pick<RunOptions, "runtime" | "signal" | "listener" | "configProblem"> {
  /** Absolute. The project is the nearest folder with a configuration, from this folder upward. */
  readonly cwd: string;
  /** Whether to check the stop although `stopHookActive` is set (G27). `verify_fixes: false` overrides it. */
  readonly verify: boolean;
  /** Whether the host itself began the present part of the user's turn, whose stops are always checked (G19). */
  readonly isHostTurn?: boolean | undefined;
  /** The agent host's variable that names the project, used if none is found from `cwd` (G24). */
  readonly projectHint?: string;
  /** Absolute: the user's home folder. */
  readonly home: string;
  /** Whether the agent may only plan, so that no file may change (G35). */
  readonly isPlanning?: boolean;
  /** The configuration that a user trusted, if it is not the one in the files now (G24a). */
  readonly project?: GauntletProject;
  /** The agent's last message (G38). */
  readonly lastMessage?: string;
  /** Absolute: where the agent host records the session, on this machine (G20e). */
  readonly transcriptPath?: string;
  /** The entries of `background_tasks` (G39). */
  readonly backgroundTasks?: readonly unknown[];
  /** Whether the caller's process is known to end with this stop, so that it waits for no agent (G39). */
  readonly isHeadless?: boolean;
  /** When the call began, in milliseconds since the epoch, if another hook may call for the same stop (G40). */
  readonly startedAt?: number;
  /** The host's ID of this stop, which all hooks get that it runs for it one after the other (G40). */
  readonly stopId?: string;
  /** Gates of `project` that the files define differently now (G24a). */
  readonly old?: OldDefinitions;
  /** Whether the host sends no second stop of a turn. */
  readonly isOnlyTry?: boolean;
  /** Whether the text for the user has the message of a block too, because the host does not show it. */
  readonly withBlock?: boolean;
  /** Lasting facts about the trust in the project, which the user sees once per session (G24a). */
  readonly notices?: readonly string[];
}

/** A stop in a project whose Stop hook is on. */
export interface Stop extends DecisionRequest {
  /** Absolute: the folder with `.gauntlet/`. */
  readonly dir: string;
  readonly config: GauntletConfig;
  readonly settings: StopHookSettings;
  readonly gitDir: string | undefined;
  readonly turn: TurnRecord;
  readonly identity: ProcessIdentity;
  readonly wait: LockWait;
  readonly session: StopHistory;
  readonly skip: SkippedGates | undefined;
}

/** A stop with an open log folder. */
export interface LoggedStop extends Stop {
  /** Absolute. */
  readonly logDir: string;
}

/** Gates that run as they were trusted, although the files define them differently now. */
export interface OldDefinitions {
  /** Names of the changed gates with their kind (`check:test`), or `all` if the change may concern every gate. */
  readonly gates: ReadonlySet<string> | "all";
  /** Whether the agent changed them in this turn. */
  readonly byAgent: boolean;
}

export interface GauntletProject {
  /** Absolute. */
  readonly dir: string;
  readonly loaded: ConfigLoad;
}

export interface StopDecision {
  readonly result: RunResult;
  /** For a log. They do not change the decision. */
  readonly warnings: readonly string[];
  /** One or more lines to show to the user (G25a). Absent if the outcome is silent. */
  readonly personMessage?: string;
  /** Whether the next stop is checked as well, so that the agent can stop only when the gates pass (G27). */
  readonly verifies: boolean;
  /** The reason of the other call that has blocked this stop, which this one repeats (G40). */
  readonly repeats?: string;
  /** To be called after the answer was written, if present. Until then, another call for this stop waits (G40). */
  readonly answered?: (reason?: string) => Promise<void>;
  /** Present if gates ran. To be called with the reason, if there is one. Returns what could not be written (G50). */
  readonly record?: (reason?: string) => Promise<string[]>;
  /** To be called instead if the user interrupted the call. */
  readonly discarded?: () => Promise<void>;
}

/** A rule before the configuration is read. */
interface FirstRule {
  readonly name: "nested" | "active" | "unconfigured";
  /** The status. If git's folder has one of the records, `decideStop` adds its meaning to the result. */
  readonly status: "stop_hook_active" | "no_config";
  /** Folders of `TurnStore`. */
  readonly records: readonly ("sessions" | "failed" | "gates")[];
}

/**
 * Returns the first rule that applies. Without one, the stop depends on the configuration.
 *
 * @param isNested whether the agent is itself a part of a gate
 * @param isActive whether it already continues because of a stop hook, and its fixes are not verified (G27)
 */
export function firstRule({
  isNested,
  isActive,
  hasProject,
}: Readonly<Record<"isNested" | "isActive" | "hasProject", boolean>>): FirstRule | undefined {
  if (isNested) return { name: "nested", status: "stop_hook_active", records: [] };
  const records = hasProject ? (["sessions"] as const) : [];
  if (isActive) return { name: "active", status: "stop_hook_active", records };
  if (hasProject) return undefined;
  return { name: "unconfigured", status: "no_config", records: ["failed", "gates"] };
}

/** The run ends this long before its caller does, so that the result is still reported. */
const SPARE_MS = 10_000;

/** Returns the time that a run may take within the time of its caller, in milliseconds (G27c). */
export function runLimitMs(callerMs: number): number {
  return Math.max(callerMs - SPARE_MS, callerMs / 2);
}
