/** Decides a stop: the steps before a run, each of which may already return a result, and the run (G24). */
import { definedOnly } from "@/common/definedOnly";
import { describeError } from "@/common/errors";
import { KIB } from "@/common/limits";
import { visible } from "@/common/text";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import {
  isOffByVariable,
  loadStopHookSettings,
  type StopHookSettings,
} from "@/node/services/gauntlet/config/stopHookSettings";
import { personMessage } from "@/node/services/gauntlet/domain/audience";
import { isExhausted } from "@/node/services/gauntlet/domain/episode";
import { isInsideGate, RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import type { RunListener } from "@/node/services/gauntlet/domain/events";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import {
  attemptsReset,
  hookRemoved,
  markedWithoutGate,
  ANSWERED_BY_OTHER_HOOK,
  POSTPONED_AND_UNVERIFIED,
  SESSION_UNVERIFIED,
  postponedFor,
  UNVERIFIED_FIX,
} from "@/node/services/gauntlet/messages/stop";
import { turnedOffBy } from "@/node/services/gauntlet/messages/status";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { openLogDir } from "@/node/services/gauntlet/run/logs/logDir";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { describeLock } from "@/node/services/gauntlet/state/lock/lockFile";
import {
  currentProcess,
  type ProcessIdentity,
} from "@/node/services/gauntlet/state/lock/processIdentity";
import type { LockWait } from "@/node/services/gauntlet/state/lock/waitForLock";
import { backgroundAgents } from "@/node/services/gauntlet/hook/backgroundAgents";
import { counted, exhausted, isAtLimit } from "@/node/services/gauntlet/hook/countStop";
import { settleOld, type OldDefinitions } from "@/node/services/gauntlet/hook/oldDefinitions";
import { forPerson, type ShownStop } from "@/node/services/gauntlet/hook/forPerson";
import { PAUSED_IN_TURN } from "@/node/services/gauntlet/messages/shared";
import { debtOf, letGo } from "@/node/services/gauntlet/hook/owedVerdict";
import { pausedStop } from "@/node/services/gauntlet/hook/pausedStop";
import { recordStop, type StopRecord } from "@/node/services/gauntlet/hook/recordStop";
import { runInTime } from "@/node/services/gauntlet/hook/runInTime";
import { StopClaim } from "@/node/services/gauntlet/hook/StopClaim";
import { settledBy, withElsewhere } from "@/node/services/gauntlet/hook/workElsewhere";
import { withoutConfig } from "@/node/services/gauntlet/hook/stopConfig";
import { hasNothingToCheck, waitForInterval } from "@/node/services/gauntlet/hook/stopWait";
import { findGitDir } from "@/node/services/gauntlet/turn/gitFolder";
import { haveGatesChanged } from "@/node/services/gauntlet/turn/turnGates";
import { fileWithoutHook } from "@/node/services/gauntlet/turn/turnStart";
import {
  NO_TURN,
  sessionKey,
  TurnStore,
  type TurnRecord,
} from "@/node/services/gauntlet/turn/TurnStore";
import { StopSession } from "@/node/services/gauntlet/turn/StopSession";
import type { SettledPoint } from "@/node/services/gauntlet/turn/workPoint";

export interface DecisionRequest {
  readonly runtime: HookRuntime;
  /** Absolute. The project is the nearest folder with a configuration, from this folder upward. */
  readonly cwd: string;
  /** Whether the agent already continues because of a stop hook. */
  readonly stopHookActive: boolean;
  /** Whether to check the stop although `stopHookActive` is set (G27). `verify_fixes: false` overrides it. */
  readonly verify: boolean;
  /** The agent host's session, by which failed stops are counted (G19). Callers without one share a count. */
  readonly sessionId?: string;
  /** The user's turn, if the caller knows it (G27a). */
  readonly turnId?: string;
  /** Whether `stop_hook_active: false` from this caller means that a new user turn began (G27a). */
  readonly beginsTurn: boolean;
  /** Whether the host itself began the present part of the user's turn, whose stops are always checked (G19). */
  readonly isHostTurn?: boolean | undefined;
  /** The agent host's variable that names the project, used if none is found from `cwd` (G24). */
  readonly projectHint?: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Absolute: the user's home folder. */
  readonly home: string;
  readonly now: () => Date;
  /** Whether the agent may only plan, so that no file may change (G35). */
  readonly isPlanning?: boolean;
  /** The user's interrupt (G28). */
  readonly signal?: AbortSignal;
  /** Time limit of the run in milliseconds. */
  readonly limitMs: number;
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
  /** Called with the events of the run. */
  readonly listener?: RunListener;
  /** When the call began, in milliseconds since the epoch, if another hook may call for the same stop (G40). */
  readonly startedAt?: number;
  /** The host's ID of this stop, which all hooks get that it runs for it one after the other (G40). */
  readonly stopId?: string;
  /** Why the configuration in the files cannot be used now, if it could when the turn began (G20a). */
  readonly configProblem?: string;
  /** Gates of `project` that the files define differently now (G24a). */
  readonly old?: OldDefinitions;
  /** Whether the host shows the user the message of a block. */
  readonly showsBlock?: boolean;
  /** Lasting facts about the trust in the project, which the user sees once per session (G24a). */
  readonly notices?: readonly string[];
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

/**
 * Decides a stop. The result can have every status except `invalid_input`. Never throws: an unexpected failure is an
 * `error`, and the agent may stop.
 */
export async function decideStop(request: DecisionRequest): Promise<StopDecision> {
  const warnings: string[] = [];
  try {
    const project = request.project ?? (await findProject(request));
    const gitDir = await gitDirOf(request, project?.dir);
    const place = { ...definedOnly({ project, gitDir }), weakened: new Set(request.notices) };
    const decided = await decide(request, place, warnings);
    const { result, isOnce, session, claimed, settled, recorded, verifies = false } = decided;
    if (claimed?.isSecond === true) {
      const repeats = request.stopId && claimed.session.record.answered?.reason;
      return { result, warnings: [], verifies: false, repeats, ...ending(claimed, false) };
    }
    const shown: ShownStop = {
      ...{ result, isChecked: session !== undefined, isOnce, facts: warnings },
      ...{ weakened: place.weakened, wasEnded: claimed?.claim.wasEnded === true },
      ...{ lastMessage: request.lastMessage, showsBlock: request.showsBlock },
    };
    const personMessage = await forPerson(
      shown,
      async () =>
        session ?? claimed?.session ?? (await StopSession.open(request.runtime, gitDir, request))
    );
    const decision = { result, warnings, ...definedOnly({ personMessage }) };
    const hasText = isBlockingStatus(result.status) || decision.personMessage !== undefined;
    const ended = ending(
      claimed,
      hasText,
      session && settled && (async () => void (await session.update({ settled })))
    );
    return { ...decision, verifies, ...(recorded && recordStop(recorded, result)), ...ended };
  } catch (thrown) {
    const result = createResult("error", { errorMessage: describeError(thrown) });
    return { result, warnings, verifies: false, personMessage: personMessage(result) };
  }
}

/** @param hasText whether the answer of another call for this stop would repeat a text */
function ending(
  claimed: ClaimedStop | undefined,
  hasText: boolean,
  settle?: () => Promise<void>
): Pick<StopDecision, "answered" | "discarded"> {
  return {
    answered: async (reason) => {
      await settle?.();
      await claimed?.claim.end(hasText ? claimed.session : undefined, reason);
    },
    discarded: async () => await claimed?.claim.end(undefined),
  };
}

interface Decided {
  readonly result: RunResult;
  /** Whether the user is shown the outcome once per session, because a variable caused it (G24a). */
  readonly isOnce?: boolean;
  /** Present if the gates were checked. It ensures that lasting facts are shown once. */
  readonly session?: StopSession;
  readonly verifies?: boolean;
  readonly claimed?: ClaimedStop;
  readonly recorded?: StopRecord;
  /** Present if the answer, once it is written, settles the changes until then (G20a). */
  readonly settled?: SettledPoint;
}

interface ClaimedStop {
  readonly claim: StopClaim;
  readonly session: StopSession;
  /** Whether another call has answered this stop (G40). */
  readonly isSecond: boolean;
}

interface DecisionPlace {
  readonly project?: GauntletProject;
  readonly gitDir?: string;
  /** Texts about something that weakens the gates. */
  readonly weakened: Set<string>;
}

async function decide(
  request: DecisionRequest,
  { project, gitDir, weakened }: DecisionPlace,
  warnings: string[]
): Promise<Decided> {
  const { runtime, stopHookActive, verify, env, home, signal, now, limitMs } = request;
  const wait = { until: performance.now() + limitMs, signal, now };
  const marker = env[RECURSION_MARKER] ?? "";
  if (marker !== "") {
    if (
      project === undefined ||
      (await isInsideGate(marker, async (path) => {
        const read = await runtime.host.readFile(path, { maxBytes: 4 * KIB });
        return read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr(undefined);
      }))
    ) {
      return { result: createResult("stop_hook_active") };
    }
    const told = { errorMessage: markedWithoutGate(RECURSION_MARKER), caveat: SESSION_UNVERIFIED };
    return { result: createResult("stop_hook_active", told), isOnce: true };
  }
  const openSession = () => StopSession.open(runtime, gitDir, request);
  const active = async (): Promise<Decided> => {
    const session = await openSession();
    const caveat = session.record.hasOpenFailure
      ? { caveat: UNVERIFIED_FIX }
      : session.record.isUnverified
        ? { caveat: POSTPONED_AND_UNVERIFIED }
        : {};
    return { result: createResult("stop_hook_active", project === undefined ? {} : caveat) };
  };
  if (stopHookActive && !verify) return await active();
  if (project?.loaded.kind !== "valid") {
    return { result: await withoutConfig(request, project, await openSession()) };
  }
  const { config, problems } = project.loaded;
  warnings.push(...problems.map(formatDiagnostic), ...(request.notices ?? []));
  const store = gitDir === undefined ? undefined : new TurnStore(runtime, gitDir);
  const turn = (await store?.read("turns", sessionKey(request.sessionId))) ?? NO_TURN;
  const { at: began, hooks, reset } = turn;
  const unhooked = hooks.length === 0 ? undefined : await fileWithoutHook(runtime.host, hooks);
  // A host that gives its turns IDs confirms that it sent the message.
  const isOfHost = request.turnId !== undefined && request.turnId === turn.turn;
  const weaken = (text: string): void => {
    warnings.push(text);
    weakened.add(text);
  };
  if (unhooked !== undefined) weaken(hookRemoved(visible(unhooked)));
  if (reset !== undefined && !isOfHost) weaken(attemptsReset(reset.failed, reset.at));
  const settings = await loadStopHookSettings(runtime.host, {
    ...{ env, home, project: config.stopHook },
    turnBegan: began,
  });
  warnings.push(...settings.warnings);
  for (const text of settings.weakened) weakened.add(text);
  if (!settings.enabled) {
    const isOnce = isOffByVariable(settings);
    const errorMessage = turnedOffBy(settings.disabledBy);
    const caveat = isOnce ? SESSION_UNVERIFIED : undefined;
    return { result: createResult("stop_hook_disabled", { errorMessage, caveat }), isOnce };
  }
  if (stopHookActive && !settings.verifyFixes) return await active();

  const identity = await currentProcess(runtime.host);
  const claim = await StopClaim.make(request, { runtime, gitDir, identity }, wait);
  if (claim !== undefined && !(claim instanceof StopClaim)) {
    return { result: createResult("lock_exists", { errorMessage: describeLock(claim) }) };
  }
  // The other call may have changed the record.
  const session = await openSession();
  const claimed = claim && { claim, session, isSecond: claim.isAnswered(session) };
  if (claimed?.isSecond === true) {
    const result = createResult("stop_hook_active", { errorMessage: ANSWERED_BY_OTHER_HOOK });
    return { result, claimed };
  }
  const paused = store && (await pausedStop(store, project.dir, session, { now: now(), began }));
  if (paused === "later") weaken(PAUSED_IN_TURN);
  const skip = paused === "later" ? undefined : paused;
  if (skip !== undefined && "status" in skip) return { result: skip, ...definedOnly({ claimed }) };
  const place = { skip, config, settings, ...project, gitDir, turn, identity, wait };
  return { ...(await decideOpenStop(request, place, session)), ...definedOnly({ claimed }) };
}

interface StopPlace extends GauntletProject, Pick<RunOptions, "skip"> {
  readonly config: GauntletConfig;
  readonly settings: StopHookSettings;
  readonly gitDir: string | undefined;
  readonly turn: TurnRecord;
  readonly identity: ProcessIdentity;
  readonly wait: LockWait;
}

/** Decides a stop in a project whose Stop hook is on. */
async function decideOpenStop(
  request: DecisionRequest,
  { gitDir, turn, identity, wait, ...place }: StopPlace,
  session: StopSession
): Promise<Decided> {
  const { runtime, verify, now, env, transcriptPath } = request;
  const { dir: projectDir, config, settings, skip } = place;
  const logDir = await openLogDir(runtime, projectDir, config);
  if (isExhausted(session.count.failed, config.maxRetries) && request.isHostTurn !== true) {
    return { result: await exhausted({ runtime, logDir }) };
  }
  const agents = request.isHeadless === true ? [] : backgroundAgents(request.backgroundTasks ?? []);
  const isIdle = () => hasNothingToCheck(request, { dir: projectDir, logDir, config });
  if (await session.postpone(agents, isIdle)) {
    return { result: createResult("postponed", { errorMessage: postponedFor(agents.length) }) };
  }
  // A configuration that is broken now is a failure, however recent the last run is.
  const mayWait = request.configProblem === undefined && (!verify || settings.hasOwnInterval);
  const debt = await debtOf(request, { gitDir, turn }, session);
  const isByAgent = request.old?.byAgent === true || request.configProblem !== undefined;
  const began = turn.at === undefined ? Infinity : Date.parse(turn.at);
  const haveChanged = await haveGatesChanged(runtime, projectDir, began);
  const options: RunOptions = {
    ...{ runtime, projectDir, logDir, config, listener: request.listener, env: request.env, now },
    limitMs: request.limitMs,
    stop: { ...session.count, mayRelease: !(isByAgent || haveChanged) },
    ...{ skip, fix: settings.fix && request.isPlanning !== true },
    isTrusted: request.project !== undefined,
    signal: request.signal,
    configProblem: request.configProblem,
  };
  const { result: ran, hasRun } = await runInTime(options, {
    ...{ logDir, identity, wait, isPatient: verify },
    mayEnd: async () =>
      mayWait
        ? await waitForInterval(request, { dir: projectDir, config, logDir, settings })
        : undefined,
  });
  const result = request.old === undefined ? ran : settleOld(ran, request.old);
  if (!hasRun) return { result };
  const beganMs = wait.until - request.limitMs;
  const recorded = { runtime, projectDir, logDir, config, env, now, beganMs };
  const at = { runtime, dir: projectDir, logDir, key: session.count.session, transcriptPath };
  const free =
    debt === undefined || isByAgent
      ? undefined
      : await letGo(result, session.count, { ...at, ...debt });
  if (free !== undefined) {
    await session.noteChecked();
    const ended = { ...free, ...definedOnly({ trees: result.trees }) };
    const told = await withElsewhere(ended, debt, at);
    const settled = debt && settledBy(debt, { tree: result.tree, status: "failed" }, told.named);
    return { result: told.result, session, recorded, ...definedOnly({ settled }) };
  }
  const verifies = verify && settings.verifyFixes;
  const all = await counted(session, result, { runtime, logDir });
  const { result: told, named } = await withElsewhere(all, debt, at);
  const isSettled = isSuccessStatus(told.status) || isAtLimit(told);
  const settled = isSettled ? debt && settledBy(debt, told, named) : undefined;
  return { result: told, session, verifies, recorded, ...definedOnly({ settled }) };
}

/** Finds git's folder of the project. Without a project, that of `cwd` or of the folder that the agent host names. */
async function gitDirOf(
  { runtime, cwd, projectHint }: DecisionRequest,
  projectDir: string | undefined
): Promise<string | undefined> {
  const found = await findGitDir(runtime, projectDir ?? cwd);
  if (found !== undefined || projectDir !== undefined) return found;
  return projectHint?.startsWith("/") === true ? await findGitDir(runtime, projectHint) : undefined;
}

/** Finds the project from `cwd` upward, or else from the folder that the agent host names (G24). */
async function findProject(request: DecisionRequest): Promise<GauntletProject | undefined> {
  const { runtime, cwd, projectHint, env } = request;
  const found = await findGauntletProject(runtime, cwd);
  const isHint = found === undefined && projectHint?.startsWith("/") === true;
  const dir = isHint ? await findGauntletProject(runtime, projectHint) : found;
  if (dir === undefined) return undefined;
  return { dir, loaded: await loadGauntletConfig(runtime, dir, { env }) };
}
