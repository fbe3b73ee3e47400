/** Fields that most agent hosts send under the same names (G22). */
import type { StopInput } from "@/cli/gauntlet/hosts/types";
import { definedOnly } from "@/common/definedOnly";
import type { JsonObject } from "@/common/json";

/** Limits an ID, which is stored in a file. */
const MAX_ID_CHARS = 256;

/** Reads every known field. A field of the wrong type counts as missing. */
export function readCommonFields(input: JsonObject): StopInput {
  const { stop_hook_active: active, prompt, background_tasks: tasks } = input;
  // Gemini CLI has its own name for it.
  const { last_assistant_message: said = input.prompt_response } = input;
  return definedOnly({
    stopHookActive: typeof active === "boolean" ? active : undefined,
    cwd: readPath(input.cwd),
    sessionId: readId(input.session_id) ?? readId(input.sessionId),
    turnId: readId(input.prompt_id) ?? readId(input.turn_id),
    transcriptPath: readPath(input.transcript_path),
    isAborted: [input.status, input.reason, input.stop_reason, input.stopReason].some(isAbort)
      ? true
      : undefined,
    isPlanning: input.permission_mode === "plan" ? true : undefined,
    prompt: typeof prompt === "string" ? prompt : undefined,
    lastMessage: typeof said === "string" ? said : undefined,
    backgroundTasks: Array.isArray(tasks) ? (tasks as unknown[]) : undefined,
  });
}

/** Recognizes how hosts name an end by the user or by an error. */
function isAbort(value: unknown): boolean {
  return (
    typeof value === "string" &&
    /^(?:user[_-]?)?(?:abort|aborted|cancel|cancelled|canceled|interrupt|interrupted|error|failed|failure)$/i.test(
      value
    )
  );
}

function readPath(value: unknown): string | undefined {
  const isPath = typeof value === "string" && value !== "" && !value.includes("\0");
  return isPath ? value : undefined;
}

function readId(value: unknown): string | undefined {
  const isId = typeof value === "string" && value !== "" && value.length <= MAX_ID_CHARS;
  return isId ? value : undefined;
}
