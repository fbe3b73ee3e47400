/**
 * Records the start of a user's turn: HEAD, the project's gates, and which files had the Stop hook (G27a). Returns a
 * text for the user if the last stop was postponed or its process was ended, or if the Stop hook was removed, and finds
 * such removed hooks for other callers. The command `turn-start` loads this and little else.
 */
import type { Files } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import { MIB } from "@/common/limits";
import { visible } from "@/common/safeText";
import { ENDED_BEFORE, hookRemoved, isReason } from "@/node/services/gauntlet/messages/shared";
import { findGitDir, headCommit, turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { gatesAt } from "@/node/services/gauntlet/turn/gatesAtTurnStart";
import * as turns from "@/node/services/gauntlet/turn/TurnStore";
import { workPoint, workPointAt } from "@/node/services/gauntlet/turn/headMoves";

/** The facts about a turn that begins, and functions that find more of them. */
export interface TurnStart {
  /** `LocalFiles` is sufficient: no process is started. */
  readonly runtime: Files;
  /** Absolute. */
  readonly cwd: string;
  readonly sessionId?: string;
  readonly turnId?: string;
  /** The message that the agent gets, if the host passes it on. */
  readonly prompt?: string;
  /** The agent host's variable that names the project, which has the records of the session itself (G24). */
  readonly projectHint?: string;
  /** Returns whether the process of a session's last stop ended before it had answered (G40). */
  readonly wasEnded?: (gitDir: string, sessionId: string | undefined) => Promise<boolean>;
  /** Returns the files with the Stop hook of the agent host, on the machine of this program. */
  readonly hookFiles?: (projectDir: string) => Promise<readonly string[]>;
  /** Returns the process of the agent, by which a later program recognizes the end of the session (G18). */
  readonly agent?: () => Promise<object | undefined>;
  /** Called at most once in a session: informs the agent that a pass of its own run counts at a stop (G7a). */
  readonly mayTell?: () => void;
  readonly now: () => Date;
  /** Whether the turn began at `now`, and this call is for one of its stops. */
  readonly isLate?: boolean;
}

/** A project in which a turn begins, with its session there and the record of that. */
interface TurnPlace {
  readonly project: string;
  readonly gitDir: string;
  readonly sessionId: string | undefined;
  readonly before: turns.SessionRecord | undefined;
}

/** File with the HEAD of the first turn, until a run stores it as a ref (G20b). */
export const FIRST_TURN_FILE = "first-turn";

/**
 * Records the turn. Returns a text for the user, if the last stop of the session was postponed (G39), if its process
 * was ended (G40), or if the Stop hook was removed. Never throws or prints: a turn that cannot be recorded must not
 * delay the agent.
 */
export async function recordTurnStart(start: TurnStart): Promise<string | undefined> {
  const { runtime, cwd, projectHint, sessionId } = start;
  // As at a stop, the project that the host names has the records of the session itself.
  const folders = [...(projectHint?.startsWith("/") === true ? [projectHint] : []), cwd];
  let unchecked: Awaited<ReturnType<typeof recordIn>>;
  try {
    const projects = await Promise.all(folders.map((dir) => findGauntletProject(runtime, dir)));
    const places: TurnPlace[] = [];
    for (const project of new Set(projects.filter((dir) => dir !== undefined))) {
      const gitDir = await findGitDir(runtime, project);
      if (gitDir === undefined) continue;
      const isSecond = places.some((other) => other.gitDir === gitDir);
      const own = isSecond ? turns.secondSession(sessionId, project) : sessionId;
      const store = new turns.TurnStore(runtime, gitDir);
      const before = await store.read("sessions", turns.sessionKey(own));
      places.push({ project, gitDir, sessionId: own, before });
    }
    // The reason of one of these projects is no new message for any of them.
    const hasOpenFailure = places.some(({ before }) => before?.hasOpenFailure === true);
    const isWithinTurn = isOfSameTurn(hasOpenFailure, start.prompt);
    for (const place of places) {
      const found = await recordIn(place, start, isWithinTurn);
      unchecked ??= found;
    }
  } catch {
    // Without a record, the stops of this turn rely on the data that their host sends.
  }
  return unchecked;
}

async function recordIn(
  { project, gitDir, sessionId, before }: TurnPlace,
  { runtime, turnId, now, isLate = false, ...start }: TurnStart,
  isWithinTurn: boolean
): Promise<string | undefined> {
  const key = turns.sessionKey(sessionId);
  const store = new turns.TurnStore(runtime, gitDir);
  const lastTurn = await store.read("turns", key);
  // A host that sends a message within a turn keeps the ID of the turn.
  const hasOtherId =
    turnId !== undefined && lastTurn?.turn !== undefined && lastTurn.turn !== turnId;
  const isSame = !hasOtherId && isWithinTurn;
  const isRecorded = lastTurn !== undefined && (lastTurn.turn ?? "") === (turnId ?? "");
  if (isLate ? isRecorded : isSame) return undefined;
  const point = await (isLate ? workPointAt : workPoint)(runtime, gitDir, now());
  const head = isLate ? point?.head : await headCommit(runtime, gitDir);
  const isFirst = lastTurn === undefined && before === undefined;
  const lastHooks = (lastTurn ?? (await store.newest("turns")))?.hooks ?? [];
  const hooks = (await start.hookFiles?.(project)) ?? lastHooks;
  const isSameTurn = before?.turn === lastTurn?.id;
  const isReset = before?.isHeld === true && isSameTurn && !isLate;
  const at = now().toISOString();
  const isUninformed = lastTurn?.hasTold !== true && !isLate;
  // Without trust, no gate runs at a stop that gives a verdict.
  const mayTell = isUninformed && (await store.newest("sessions"))?.settled?.tree !== undefined;
  const written = await store.write("turns", key, {
    // Two messages may arrive with one ID, and each begins a turn. A host that knows its turns sends no message.
    id: isLate && turnId !== undefined ? `id ${turnId}` : crypto.randomUUID(),
    hooks: hooks.length === 0 ? lastHooks : hooks,
    reset: isReset ? { at, failed: before.failed } : isSameTurn ? undefined : lastTurn?.reset,
    turn: turnId,
    head,
    at,
    first: isFirst ? point : lastTurn?.first,
    hasTold: mayTell || lastTurn?.hasTold === true,
    agent: await start.agent?.(),
  });
  if (mayTell && written.isOk()) start.mayTell?.();
  if (!isLate) await store.write("gates", key, await gatesAt(runtime, project));
  if (head !== undefined) await runtime.createFile(turnPath(gitDir, FIRST_TURN_FILE), head);
  if ((await start.wasEnded?.(gitDir, sessionId)) === true) return ENDED_BEFORE;
  if (before?.isUnverified === true)
    return "the last stop was postponed, and no stop followed; its changes were not verified";
  // Those files may be of another host, which still has its hook.
  const removed = hooks.length === 0 ? await fileWithoutHook(runtime, lastHooks) : undefined;
  return removed === undefined ? undefined : hookRemoved(visible(removed));
}

/** Forgets which files had a Stop hook when the last turn began. */
export async function forgetHooks(store: turns.TurnStore): Promise<void> {
  const [newest = ""] = await store.keys("turns");
  const turn = await store.read("turns", newest);
  if (turn !== undefined) await store.write("turns", newest, { ...turn, hooks: [] });
}

const MAX_HOOK_FILES = 20;
/** Matches every command of a Stop hook that `init` writes, also as a list of arguments. */
const RUNS_STOP_HOOK =
  /(?:agent-gauntlet|mux-stop-hooks)\S{0,40}?(?:\s{1,40}["']?|,["'])stop-hook(?![\w.-])/;

/** Returns those of the settings files of a host that have a Stop hook of ours. */
export async function filesWithHook(
  files: Pick<Files, "readFile">,
  paths: readonly string[]
): Promise<string[]> {
  const reads = await Promise.all(
    paths.slice(0, MAX_HOOK_FILES).map(async (path) => {
      const read = await files.readFile(path, { maxBytes: MIB });
      // A file that cannot be read now may have the hook.
      if (read.isErr()) return !["ENOENT", "ENOTDIR"].includes(read.error.code);
      return RUNS_STOP_HOOK.test(Buffer.from(read.value).toString());
    })
  );
  return paths.filter((_, i) => reads[i] === true);
}

/** Returns the first of the files from which the Stop hook was removed, if no other file has it. */
export async function fileWithoutHook(
  files: Pick<Files, "readFile">,
  hooks: readonly string[]
): Promise<string | undefined> {
  return (await filesWithHook(files, hooks)).length === 0 ? hooks[0] : undefined;
}

/**
 * Returns whether the agent gets this message within a turn: the reason of a failed stop, or the result of a tool,
 * which has no text. Gemini CLI and Qwen Code run the hooks of a new message for the first, and Qwen Code also for the
 * second. If they began a turn, the retries would never end.
 */
function isOfSameTurn(hasOpenFailure: boolean, prompt: string | undefined): boolean {
  if (prompt?.trim() === "") return true;
  return prompt !== undefined && isReason(prompt) && hasOpenFailure;
}
