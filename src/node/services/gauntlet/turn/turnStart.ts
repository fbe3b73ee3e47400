/** Records that a user's turn began (G27a). The command `turn-start` loads this and little else. */
import { randomUUID } from "node:crypto";
import type { Files } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import { findGitDir, headCommit } from "@/node/services/gauntlet/turn/gitFolder";
import { recordTurnGates } from "@/node/services/gauntlet/turn/turnGates";
import { sessionKey, turnPath, writeTurnFile } from "@/node/services/gauntlet/turn/turnFiles";

export interface TurnStart {
  /** `LocalFiles` suffices: no process is started. */
  readonly runtime: Files;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly sessionId?: string;
  readonly turnId?: string;
  /** The agent host's variable that names the project, used where none is found from `cwd` (G24). */
  readonly projectHint?: string;
  readonly now: () => Date;
}

/** The commit of the first turn, until a run makes a ref of it (G20b). */
export const FIRST_TURN_FILE = "first-turn";

/** Never throws and never prints: a turn that cannot be recorded must not hold up the agent. */
export async function recordTurnStart(start: TurnStart): Promise<void> {
  const { runtime, cwd, sessionId, turnId, projectHint, now } = start;
  try {
    const project =
      (await findGauntletProject(runtime, cwd)) ??
      (projectHint?.startsWith("/") === true
        ? await findGauntletProject(runtime, projectHint)
        : undefined);
    const gitDir = project === undefined ? undefined : await findGitDir(runtime, project);
    if (project === undefined || gitDir === undefined) return;
    const head = await headCommit(runtime, gitDir);
    await writeTurnFile(runtime, gitDir, "turns", sessionKey(sessionId), {
      // A message may come twice with one id; each begins a turn of its own.
      id: randomUUID(),
      turn: turnId ?? null,
      head: head ?? null,
      at: now().toISOString(),
    });
    await recordTurnGates(runtime, gitDir, sessionKey(sessionId), project);
    if (head !== undefined) await runtime.createFile(turnPath(gitDir, FIRST_TURN_FILE), head);
  } catch {
    // Without a record the stops of this turn go by what their host sends along.
  }
}
