/**
 * Decides whether an agent may stop: applies the rules before a run, such as those about nested calls, settings that
 * turn the hook off, a second hook, a pause or a removed configuration, lets `runGatesAtStop` run the gates, and builds the
 * answer with the text for the user (G24).
 */
import * as messages from "@/node/services/gauntlet/messages/shared";
import { shownCommand } from "@/common/ownCommandName";
import { describeError } from "@/common/errors";
import { KIB } from "@/common/limits";
import { plural, visible } from "@/common/safeText";
import { CONFIG_FILE, findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import {
  describeDiagnostics,
  formatDiagnostic,
} from "@/node/services/gauntlet/config/source/formatDiagnostic";
import * as hookSettings from "@/node/services/gauntlet/config/stopHookSettings";
import { personMessage } from "@/node/services/gauntlet/domain/stopAudience";
import { isExhausted } from "@/node/services/gauntlet/domain/episode";
import { isInsideGate, RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/runStatus";
import { runGatesAtStop, type CheckedStop } from "@/node/services/gauntlet/hook/runGatesAtStop";
import { forPerson } from "@/node/services/gauntlet/hook/messageForUser";
import { StopClaim } from "@/node/services/gauntlet/hook/StopClaim";
import {
  firstRule,
  type DecisionRequest,
  type GauntletProject,
  type StopDecision,
} from "@/node/services/gauntlet/hook/stopDecision";
import {
  configFailure,
  createResult,
  invalidConfig,
} from "@/node/services/gauntlet/run/createResult";
import type { SkippedGates } from "@/node/services/gauntlet/run/runOptions";
import { describeLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { findGitDir } from "@/node/services/gauntlet/turn/readGitFolder";
import { pauseIn } from "@/node/services/gauntlet/turn/pauseRecord";
import { StopHistory } from "@/node/services/gauntlet/turn/StopHistory";
import { fileWithoutHook } from "@/node/services/gauntlet/turn/recordTurnStart";
import * as turns from "@/node/services/gauntlet/turn/TurnStore";
import { readText } from "@/node/runtime/fileContents";

/** The answer of the first rule that applies. */
interface Decided extends CheckedStop {
  /** Whether the user is shown the outcome once per session, because a variable caused it (G24a). */
  readonly isOnce?: boolean;
  readonly session?: StopHistory;
  /** Whether another call has answered this stop (G40). */
  readonly isSecond?: boolean;
}

/** A caveat of the first stop of a session in which a variable turns the hook off. */
const SESSION_UNVERIFIED = "the changes of this session are not verified";

interface StopPlace {
  project?: GauntletProject;
  gitDir?: string;
  /** Set by {@link decide}. */
  claim?: StopClaim;
  readonly warnings: string[];
  /** Texts about something that weakens the gates. */
  readonly weakened: Set<string>;
}

/**
 * Decides a stop. The result can have every status except `invalid_input`. Never throws: an unexpected failure is an
 * `error`, and the agent may stop.
 */
export async function decideStop(request: DecisionRequest): Promise<StopDecision> {
  const place: StopPlace = { warnings: [], weakened: new Set(request.notices) };
  const { warnings, weakened } = place;
  const discarded = async () => await place.claim?.end(undefined);
  const ends = { answered: discarded, discarded };
  try {
    const project = request.project ?? (await findProject(request));
    const { runtime } = request;
    const gitDir = await (project === undefined
      ? findFrom(request, (dir) => findGitDir(runtime, dir))
      : findGitDir(runtime, project.dir));
    const decided = await decide(request, Object.assign(place, { project, gitDir }));
    const { result, session, settled, record, verifies = false } = decided;
    if (decided.isSecond === true) {
      const repeats = request.stopId && session?.record.answered?.reason;
      return { result, warnings: [], verifies: false, repeats, ...ends };
    }
    const shown = { ...decided, claim: place.claim, weakened, facts: warnings };
    const forUser = await forPerson(
      shown,
      request,
      async () => session ?? (await StopHistory.open(runtime, gitDir, request))
    );
    // The answer of another call for this stop would repeat a text.
    const hasText = isBlockingStatus(result.status) || forUser !== undefined;
    const answered = async (reason?: string): Promise<void> => {
      if (settled !== undefined) await session?.update({ settled });
      await place.claim?.end(hasText ? session : undefined, reason);
    };
    return { result, warnings, personMessage: forUser, verifies, record, answered, discarded };
  } catch (thrown) {
    const result = createResult("error", { errorMessage: describeError(thrown) });
    return { result, warnings, verifies: false, personMessage: personMessage(result), ...ends };
  }
}

/** Applies the rules in order. The first one that applies ends the stop. */
async function decide(request: DecisionRequest, place: StopPlace): Promise<Decided> {
  const { runtime, stopHookActive, env, home, signal, now, limitMs } = request;
  const { project, gitDir, warnings, weakened } = place;
  const wait = { until: performance.now() + limitMs, signal, now };
  const openSession = async () => await StopHistory.open(runtime, gitDir, request);
  const marker = env[RECURSION_MARKER] ?? "";
  const readIn = async (path: string) => await readText(runtime.host, path, { maxBytes: 4 * KIB });
  const isNested = marker !== "" && (project === undefined || (await isInsideGate(marker, readIn)));
  if (marker !== "" && !isNested) {
    const errorMessage = `turned off by ${RECURSION_MARKER}, which is set although no gate of the gauntlet runs this program`;
    const facts = { errorMessage, caveat: SESSION_UNVERIFIED };
    return { result: createResult("stop_hook_active", facts), isOnce: true };
  }
  const isActive = stopHookActive && !request.verify;
  const first = firstRule({ isNested, isActive, hasProject: project !== undefined });
  if (first?.name === "nested") return { result: createResult(first.status) };
  if (first?.name === "active") return notVerified(project, await openSession());
  if (project?.loaded.kind !== "valid") {
    return { result: await withoutConfig(request, project, await openSession()) };
  }

  const { config, problems } = project.loaded;
  warnings.push(...problems.map(formatDiagnostic), ...(request.notices ?? []));
  const store = gitDir === undefined ? undefined : new turns.TurnStore(runtime, gitDir);
  const turn = (await store?.read("turns", turns.sessionKey(request.sessionId))) ?? turns.NO_TURN;
  const weaken = (text: string): void => {
    warnings.push(text);
    weakened.add(text);
  };
  const unhooked =
    turn.hooks.length === 0 ? undefined : await fileWithoutHook(runtime.host, turn.hooks);
  if (unhooked !== undefined) weaken(messages.hookRemoved(visible(unhooked)));
  // A host that gives its turns IDs confirms that it sent the message.
  const isOfHost = request.turnId !== undefined && request.turnId === turn.turn;
  if (turn.reset !== undefined && !isOfHost) {
    const { failed, at } = turn.reset;
    weaken(
      `the number of attempts begins anew after ${plural(failed, "failed attempt")}, because a message was sent at ${visible(at)}; if it was not from you, the agent ran "turn-start" itself`
    );
  }
  const user = { env, home, project: config.stopHook, turnBegan: turn.at };
  const settings = await hookSettings.loadStopHookSettings(runtime.host, user);
  warnings.push(...settings.warnings);
  for (const text of settings.weakened) weakened.add(text);
  if (!settings.enabled) {
    const isOnce = hookSettings.isOffByVariable(settings);
    const errorMessage = messages.turnedOffBy(settings.disabledBy);
    const caveat = isOnce ? SESSION_UNVERIFIED : undefined;
    return { result: createResult("stop_hook_disabled", { errorMessage, caveat }), isOnce };
  }
  if (stopHookActive && !settings.verifyFixes) return notVerified(project, await openSession());

  const identity = await currentProcess(runtime.host);
  const claim = await StopClaim.make(request, { runtime, gitDir, identity, wait });
  if (claim !== undefined && !(claim instanceof StopClaim)) {
    return { result: createResult("lock_exists", { errorMessage: describeLock(claim) }) };
  }
  place.claim = claim;
  // The other call may have changed the record.
  const session = await openSession();
  if (claim?.isAnswered(session) === true) {
    const result = createResult("stop_hook_active", {
      errorMessage:
        "another hook of the gauntlet has answered this stop; the hook is installed more than once",
    });
    return { result, session, isSecond: true };
  }
  const paused = store && (await pausedStop(store, project.dir, session, turn, now()));
  if (paused === "later") weaken(messages.PAUSED_IN_TURN);
  const skip = paused === "later" ? undefined : paused;
  if (skip !== undefined && "status" in skip) return { result: skip, session };
  const found = { dir: project.dir, config, settings, gitDir, turn, identity, wait };
  const checked = await runGatesAtStop({ ...request, ...found, session, skip });
  return { ...checked, session };
}

/** Returns the result of a stop of an agent that already continues because of a stop hook (G27). */
function notVerified(project: GauntletProject | undefined, { record }: StopHistory): Decided {
  const caveat = record.hasOpenFailure
    ? "gates failed in this session, and no stop has verified the agent's changes since then"
    : record.isUnverified
      ? "an earlier stop was postponed, and the changes were not verified since then"
      : undefined;
  return { result: createResult("stop_hook_active", project && { caveat }) };
}

/** Used without a usable configuration, because its `max_retries` is unknown. */
const MAX_RETRIES = 3;

/**
 * Returns the result of a stop without a usable configuration (G24). In the user's turn in which a gate failed, it has the
 * failed gate `config`. Otherwise it is the error of an invalid configuration, or `no_config`, with a caveat if gates
 * failed in an earlier turn.
 */
async function withoutConfig(
  request: DecisionRequest,
  project: GauntletProject | undefined,
  session: StopHistory
): Promise<RunResult> {
  const { runtime, cwd } = request;
  const from = { ...request, cwd: project?.dir ?? cwd };
  const note = await findFrom(from, (dir) => turns.findNote(runtime, dir));
  const { count } = session;
  const isInvalid = project?.loaded.kind === "invalid";
  const ofTurn = note?.session === count.session && note.turn === count.turn;
  if (note === undefined || !ofTurn) {
    if (isInvalid) return invalidConfig(project.loaded.problems);
    if (note === undefined) return createResult("no_config");
    return createResult("no_config", {
      caveat: `gates failed earlier in ${note.projectDir}, and its ${CONFIG_FILE} no longer exists; restore it, or run "${shownCommand()} clean" to discard the failures`,
    });
  }
  if (isExhausted(count.failed, MAX_RETRIES)) return createResult("retry_limit_exceeded");
  const path = `${note.projectDir}/${CONFIG_FILE}`;
  const gate = configFailure(
    isInvalid
      ? `gates failed in this turn, and ${path} is invalid; fix or restore it: ${describeDiagnostics(project.loaded.problems)}`
      : `gates failed in this turn, and ${path} no longer exists; restore it`
  );
  const attempt = count.failed + 1;
  const isHeld = !isExhausted(attempt, MAX_RETRIES);
  const goesOn = isHeld && request.isOnlyTry !== true;
  const written = await session.countFailure({ byLimit: false, isHeld: goesOn });
  if (written.isErr()) {
    const errorMessage = messages.stopsNotCounted(written.error.message);
    return createResult("infrastructure_error", { errorMessage });
  }
  const status = isHeld ? "failed" : "retry_limit_exceeded";
  return createResult(status, { gates: [gate], attempt, maxAttempts: MAX_RETRIES + 1 });
}

/**
 * Returns the result of a stop in a pause, or undefined if there is none (G42). Returns `later` for a pause that was
 * made after the turn began, perhaps by an agent, and the gates of a pause of only some gates. Removes a pause that is
 * over.
 */
async function pausedStop(
  store: turns.TurnStore,
  projectDir: string,
  session: StopHistory,
  { at: began }: turns.TurnRecord,
  now: Date
): Promise<RunResult | SkippedGates | "later" | undefined> {
  const key = turns.hashKey(projectDir);
  const pause = await store.read("pauses", key);
  if (pause === undefined) return undefined;
  // An agent may have made it.
  if (Date.parse(pause.since) >= Date.parse(began ?? "")) return "later";
  const { count } = session;
  const after = pauseIn(pause, `${count.session} ${count.turn}`, now);
  if (after === undefined) {
    await store.remove("pauses", key);
    return undefined;
  }
  if (after.until === undefined) {
    // The next stop of this turn must have the same turn, and a turn that is not recorded would not be counted.
    await session.update({});
    if (after !== pause && (await store.write("pauses", key, after)).isErr()) return undefined;
  }
  if (after.gates !== undefined) return { names: after.gates, why: messages.describePause(after) };
  return createResult("stop_hook_disabled", {
    errorMessage: messages.turnedOffBy(
      `"${shownCommand()} pause" ${messages.describePause(after)}; to end the pause, run "${shownCommand()} resume"`
    ),
    caveat: "the changes were not verified",
  });
}

/** Finds something from `cwd` upward, or else from the folder that the agent host names, if it is absolute (G24). */
async function findFrom<T>(
  { cwd, projectHint }: Pick<DecisionRequest, "cwd" | "projectHint">,
  find: (dir: string) => Promise<T | undefined>
): Promise<T | undefined> {
  return (await find(cwd)) ?? (projectHint?.startsWith("/") ? await find(projectHint) : undefined);
}

async function findProject(request: DecisionRequest): Promise<GauntletProject | undefined> {
  const { runtime, env } = request;
  const dir = await findFrom(request, (from) => findGauntletProject(runtime, from));
  return dir === undefined
    ? undefined
    : { dir, loaded: await loadGauntletConfig(runtime, dir, { env }) };
}
