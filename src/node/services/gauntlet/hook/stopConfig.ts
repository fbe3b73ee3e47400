/** Handles a stop without a usable configuration, where gates may have failed before (G24). */
import { ownCommand } from "@/common/ownCommand";
import type { Files } from "@/node/runtime/HookRuntime";
import type { ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { describeDiagnostics } from "@/node/services/gauntlet/config/source/diagnostic";
import { isExhausted } from "@/node/services/gauntlet/domain/episode";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import * as messages from "@/node/services/gauntlet/messages/stop";
import { configFailure } from "@/node/services/gauntlet/run/createResult";
import { invalidConfig, createResult } from "@/node/services/gauntlet/run/createResult";
import { findNote } from "@/node/services/gauntlet/turn/TurnStore";
import type { StopSession } from "@/node/services/gauntlet/turn/StopSession";

/** Used because the configuration's `max_retries` is unknown. */
const MAX_RETRIES = 3;

interface ConfigPlace {
  readonly runtime: Files;
  readonly cwd: string;
  readonly projectHint?: string;
}

/**
 * Returns the result of a stop without a usable configuration. In the user's turn in which a gate failed, it has the
 * failed gate `config`. Otherwise it is the error of an invalid configuration, or `no_config`, with a caveat if gates
 * failed in an earlier turn.
 */
export async function withoutConfig(
  { runtime, cwd, projectHint }: ConfigPlace,
  project: { readonly dir: string; readonly loaded: ConfigLoad } | undefined,
  session: StopSession
): Promise<RunResult> {
  const note =
    (await findNote(runtime, project?.dir ?? cwd)) ??
    (projectHint?.startsWith("/") === true ? await findNote(runtime, projectHint) : undefined);
  const { count } = session;
  const isInvalid = project?.loaded.kind === "invalid";
  const ofTurn = note?.session === count.session && note.turn === count.turn;
  if (note === undefined || !ofTurn) {
    if (isInvalid) return invalidConfig(project.loaded.problems);
    if (note === undefined) return createResult("no_config");
    return createResult("no_config", {
      caveat: `gates failed earlier in ${note.projectDir}, and its ${CONFIG_FILE} no longer exists; restore it, or run "${ownCommand()} clean" to discard the failures`,
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
  const written = await session.countFailure({ byLimit: false, isHeld });
  if (written.isErr()) {
    const errorMessage = messages.stopsNotCounted(written.error.message);
    return createResult("infrastructure_error", { errorMessage });
  }
  const status = isHeld ? "failed" : "retry_limit_exceeded";
  return createResult(status, { gates: [gate], attempt, maxAttempts: MAX_RETRIES + 1 });
}
