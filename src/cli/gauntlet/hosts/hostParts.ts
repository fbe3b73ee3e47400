/**
 * Functions and defaults from which each agent host is defined: recognizing and reading its input, its hook entries
 * and its settings files. Every stop loads this file, so it imports no library.
 */
import { jsonLine } from "@/cli/gauntlet/hosts/answers";
import type * as hosts from "@/cli/gauntlet/hosts/types";
import { definedOnly } from "@/common/definedOnly";
import type { JsonObject } from "@/common/json";

/** The maximum length of an ID, because it is stored in a file. */
const MAX_ID_CHARS = 256;

/** Reads the fields that most hosts send under the same names (G22). A field of the wrong type counts as missing. */
export function readCommonFields(input: JsonObject): hosts.StopInput {
  const { stop_hook_active: active, prompt, background_tasks: tasks } = input;
  // Gemini CLI has its own name for the last message.
  const { last_assistant_message: message = input.prompt_response } = input;
  const isAborted = [input.status, input.reason, input.stop_reason, input.stopReason].some(
    (value) => typeof value === "string" && ABORT.test(value)
  );
  return definedOnly({
    stopHookActive: typeof active === "boolean" ? active : undefined,
    cwd: readPath(input.cwd),
    sessionId: readId(input.session_id) ?? readId(input.sessionId),
    turnId: readId(input.prompt_id) ?? readId(input.turn_id),
    transcriptPath: readPath(input.transcript_path),
    isAborted: isAborted || undefined,
    isPlanning: input.permission_mode === "plan" || undefined,
    prompt: typeof prompt === "string" ? prompt : undefined,
    lastMessage: typeof message === "string" ? message : undefined,
    backgroundTasks: Array.isArray(tasks) ? (tasks as unknown[]) : undefined,
  });
}

/** Returns the text of a message, which some hosts send as a list of parts. */
export function textOf(message: unknown): string {
  if (!Array.isArray(message)) return typeof message === "string" ? message : "";
  const texts = message.map((part: unknown) => (part as { text?: unknown } | null)?.text);
  return texts.filter((text) => typeof text === "string").join("");
}

/** Matches how hosts name an end by the user or by an error. */
const ABORT =
  /^(?:user[_-]?)?(?:abort|aborted|cancel|cancelled|canceled|interrupt|interrupted|error|failed|failure)$/i;

function readPath(value: unknown): string | undefined {
  const isPath = typeof value === "string" && value !== "" && !value.includes("\0");
  return isPath ? value : undefined;
}

function readId(value: unknown): string | undefined {
  const isId = typeof value === "string" && value !== "" && value.length <= MAX_ID_CHARS;
  return isId ? value : undefined;
}

/**
 * Returns the function `fit` of a host that imitates Claude Code, which recognizes its inputs (G27b).
 *
 * @param marks.folder the host's folder in the user's home, in which it keeps transcripts, such as `.codex`
 * @param marks.own lists of fields, separated by spaces; only this host sends all fields of one list together
 * @param marks.foreign fields of other hosts, which this host does not send, separated by spaces
 */
export function stopFit(
  marks: Readonly<Record<"folder" | "foreign", string> & { own: readonly string[] }>
): (input: JsonObject) => hosts.InputFit {
  return (input) => {
    const has = (name: string): boolean => name in input;
    const { hook_event_name: event = "Stop", transcript_path: path = input.transcriptPath } = input;
    // The hosts that imitate Claude Code use its names of both events.
    const isKnown = event === "Stop" || event === "UserPromptSubmit";
    if (!isKnown || marks.foreign.split(" ").some(has)) return "foreign";
    const isInFolder = typeof path === "string" && path.includes(`/${marks.folder}/`);
    return isInFolder || marks.own.some((names) => names.split(" ").every(has))
      ? "certain"
      : "possible";
  };
}

/** The properties that most hosts have in common. */
export const USUAL = {
  ownVariables: [],
  readInput: readCommonFields,
  beginsTurnWhenInactive: true,
  showsAtTurnStart: true,
  limits: { reasonChars: 8_000 },
  answer: jsonLine,
} as const;

/** The time limit of the hook, in seconds. The default of some hosts is less than a run takes (G27c). */
export const HOOK_LIMIT_S = 300;

/**
 * Returns the entry of the Stop hook, and the one that records the start of a user's turn (G29).
 *
 * @param events their names
 * @param given the host's time limit; without a field it is `timeout`, in seconds
 * @param more fields of the Stop hook besides its command and its time limit
 */
export function hookEntries(
  host: string,
  [stop, turnStart]: readonly [string, string],
  given: Partial<hosts.HostLimit> & Pick<hosts.HostLimit, "defaultS">,
  more: JsonObject = {},
  earlierArgs: readonly string[] = []
): { stop: hosts.HostHookEntry; turnStart: hosts.HostHookEntry } {
  const limit: hosts.HostLimit = { field: "timeout", perSecond: 1, ...given };
  const withLimit = (wantedS: number): hosts.HostHookEntry => {
    const limitS = Math.min(wantedS, limit.maxS ?? Infinity);
    const perSecond = limitS >= (limit.millisecondsFrom ?? Infinity) ? 1_000 : limit.perSecond;
    const args = `stop-hook --verify --host ${host} --limit ${limitS}`;
    const fields = { [limit.field]: limitS * perSecond, ...more };
    return { event: stop, args, earlierArgs, fields, limit, withLimit };
  };
  return {
    stop: withLimit(HOOK_LIMIT_S),
    turnStart: { event: turnStart, args: "turn-start", earlierArgs: [], fields: {} },
  };
}

/**
 * Returns files of the user and of the project, for a host without a personal file in the project.
 *
 * @param names separated by spaces; `init` writes only the first one
 * @param variable an environment variable with a path that replaces the first part of `inHome`
 * @param inHome the folder in the user's home, if it is not that of the project
 */
export function userAndProject(
  folder: string,
  names: string,
  variable = "",
  inHome = folder
): hosts.HookInstallation["files"] {
  return (place) =>
    names.split(" ").flatMap((name, i): hosts.HostFile[] => {
      const user = `${userFolder(place, inHome, variable)}/${name}`;
      const project = `${place.projectDir}/${folder}/${name}`;
      const isToml = i > 0 && name.endsWith(".toml");
      return [
        { path: user, isShared: false, targetOf: i > 0 ? [] : ["personal"], isToml },
        { path: project, isShared: true, targetOf: i > 0 ? [] : ["shared"], isToml },
      ];
    });
}

/** Returns a folder in the user's home. Its first part is elsewhere if the variable has an absolute path. */
export function userFolder(
  { home, env }: hosts.HostPlace,
  folder: string,
  variable: string
): string {
  const moved = env[variable];
  return moved?.startsWith("/") === true
    ? folder.replace(/^[^/]+/, () => moved)
    : `${home}/${folder}`;
}
