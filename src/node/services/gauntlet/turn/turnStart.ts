/** Records the start of a user's turn (G27a). The command `turn-start` loads this and little else. */
import type { Files } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import { isReason } from "@/node/services/gauntlet/messages/reason";
import { findGitDir, headCommit } from "@/node/services/gauntlet/turn/gitFolder";
import { recordTurnGates } from "@/node/services/gauntlet/turn/turnGates";
import { readRecord, type SessionRecord } from "@/node/services/gauntlet/turn/sessionRecord";
import {
  readTurnFile,
  secondSession,
  sessionKey,
  turnPath,
  writeTurnFile,
} from "@/node/services/gauntlet/turn/turnFiles";
import { workPoint, workPointAt } from "@/node/services/gauntlet/turn/workPoint";

export interface TurnStart {
  /** `LocalFiles` is sufficient: no process is started. */
  readonly runtime: Files;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly sessionId?: string;
  readonly turnId?: string;
  /** The message that the agent gets, if the host tells it. */
  readonly prompt?: string;
  /** The agent host's variable that names the project, used if none is found from `cwd` (G24). */
  readonly projectHint?: string;
  /** Returns whether the process of the session's last stop ended before it had answered (G40). */
  readonly wasEnded?: (gitDir: string) => Promise<boolean>;
  readonly now: () => Date;
  /** Whether the turn began at `now`, and this call is for one of its stops. */
  readonly isLate?: boolean;
}

/** File with the HEAD of the first turn, until a run stores it as a ref (G20b). */
export const FIRST_TURN_FILE = "first-turn";

/**
 * Records the turn. Returns why the last stop of the session was not checked: it was postponed (G39), or its process was
 * ended (G40). Never throws or prints: a turn that cannot be recorded must not delay the agent.
 */
export async function recordTurnStart(
  start: TurnStart
): Promise<"postponed" | "ended" | undefined> {
  const { runtime, cwd, projectHint } = start;
  const folders = [cwd, ...(projectHint?.startsWith("/") === true ? [projectHint] : [])];
  let unchecked: Awaited<ReturnType<typeof recordIn>>;
  try {
    const projects = await Promise.all(folders.map((dir) => findGauntletProject(runtime, dir)));
    const recorded = new Set<string>();
    for (const project of new Set(projects.filter((dir) => dir !== undefined))) {
      const gitDir = await findGitDir(runtime, project);
      if (gitDir === undefined) continue;
      const { sessionId } = start;
      const session = recorded.has(gitDir) ? secondSession(sessionId) : sessionId;
      recorded.add(gitDir);
      const found = await recordIn(project, gitDir, { ...start, sessionId: session });
      unchecked ??= found;
    }
  } catch {
    // Without a record, the stops of this turn rely on the data that their host sends.
  }
  return unchecked;
}

async function recordIn(
  project: string,
  gitDir: string,
  { runtime, sessionId, turnId, now, isLate = false, ...start }: TurnStart
): Promise<"postponed" | "ended" | undefined> {
  const key = sessionKey(sessionId);
  const before = await readRecord(runtime, gitDir, key);
  const lastTurn = await readTurnFile(runtime, gitDir, "turns", key);
  const recorded = lastTurn?.turn;
  // A host that sends a message within a turn keeps the ID of the turn.
  const hasOtherId = turnId !== undefined && typeof recorded === "string" && recorded !== turnId;
  const isSame = !hasOtherId && isOfSameTurn(before, start.prompt);
  if (isLate ? recorded === turnId : isSame) return undefined;
  const point = await (isLate ? workPointAt : workPoint)(runtime, gitDir, now());
  const head = isLate ? point?.head : await headCommit(runtime, gitDir);
  const isFirst = lastTurn === undefined && before === undefined;
  const first = isFirst ? point : lastTurn?.first;
  await writeTurnFile(runtime, gitDir, "turns", key, {
    // A message may arrive twice with one ID. Each begins a turn of its own.
    id: crypto.randomUUID(),
    turn: turnId ?? null,
    head: head ?? null,
    at: now().toISOString(),
    first: first ?? null,
  });
  if (!isLate) await recordTurnGates(runtime, gitDir, key, project);
  if (head !== undefined) await runtime.createFile(turnPath(gitDir, FIRST_TURN_FILE), head);
  if ((await start.wasEnded?.(gitDir)) === true) return "ended";
  return before?.isUnverified === true ? "postponed" : undefined;
}

/**
 * Returns whether the agent gets this message within a turn: the reason of a failed stop, or the result of a tool, which
 * has no text. Gemini CLI and Qwen Code run the hooks of a new message for the first, and Qwen Code also for the second.
 * If they began a turn, the retries would never end.
 */
function isOfSameTurn(before: SessionRecord | undefined, prompt: string | undefined): boolean {
  if (prompt === undefined) return false;
  if (prompt.trim() === "") return true;
  if (!isReason(prompt)) return false;
  return before?.hasOpenFailure === true;
}
