/** The messages of the embedded session and of its tools, for the user and for the agent. */

// A message that is not sent

export const SESSION_CLOSED = "the session is closed";

export const SESSION_BUSY =
  "the agent is busy; interrupt it first, or wait for the end of its turn";

export const MESSAGE_EMPTY = "the message is empty";

/** A retry in a session without messages. */
export const NO_MESSAGE_TO_RETRY = "the session has no message to answer";

/** An edit of a message that cannot be replaced. */
export function notUserMessage(messageId: string): string {
  return `${messageId} is not a message of the user`;
}

export function sessionFailed(detail: string): string {
  return `the session failed: ${detail}`;
}

// The history

export function historyNotReadable(path: string, detail: string): string {
  return `${path} could not be read: ${detail}`;
}

export function historyNotWritable(path: string, detail: string): string {
  return `${path} could not be written: ${detail}`;
}

// Messages to the agent

/** The request to compact the history. */
export const SUMMARIZE =
  "Summarize this conversation for yourself: the task, the decisions, the completed work, and the remaining work.";

/** @param report the report of the task, or the reason why there is none */
export function backgroundTaskEnded(id: string, report: string): string {
  return `[Background task ${id} ended]\n${report}`;
}

export function backgroundTaskFailed(detail: string): string {
  return `The task failed: ${detail}`;
}

// Tools

/** @param detail the errors of the input, one a line */
export function toolInputInvalid(tool: string, detail: string): string {
  return `${tool}: ${detail}`;
}

export function toolFailed(tool: string, detail: string): string {
  return `${tool} failed: ${detail}`;
}

export function toolUnknown(tool: string): string {
  return `this session has no tool ${tool}`;
}

// The shell tool

export const INTERRUPTED = "interrupted";

export function endedBySignal(signal: string): string {
  return `ended by ${signal}`;
}

export const TIMED_OUT = "timed out; set a larger timeout_secs to give it more time";

export function endUnknown(detail: string): string {
  return `its end is unknown: ${detail}`;
}

export function notStarted(detail: string): string {
  return `could not be started: ${detail}`;
}

// The file tools

export function notEditable(path: string): string {
  return `${path} is not a file that can be edited`;
}

/** @param limit in MiB */
export function tooLargeToEdit(path: string, limit: number): string {
  return `${path} is too large to edit; the limit is ${limit} MiB`;
}

export function notText(path: string): string {
  return `${path} is not UTF-8 text`;
}

export function notUnique(path: string, count: number): string {
  return `old_string occurs ${count} times in ${path}; it must occur exactly once`;
}

export function isLink(path: string): string {
  return `${path} is a symbolic link; give the path of the file that it points to`;
}

export function isOutsideProject(path: string): string {
  return `${path} is outside the project; only files of the project may be changed`;
}

export function locationUnknown(path: string, detail: string): string {
  return `${path} could not be located: ${detail}`;
}

// Sub-agents without a report

export function subagentNotStarted(detail: string): string {
  return `the sub-agent could not be started: ${detail}`;
}

export function subagentFailed(detail = "the cause is unknown"): string {
  return `the sub-agent failed: ${detail}`;
}

export const SUBAGENT_CUT_OFF = "the sub-agent was cut off at the model's length limit";

export const SUBAGENT_REFUSED = "the model of the sub-agent refused the request";

export const SUBAGENT_QUESTION =
  "the sub-agent ended with a question to the user, which sub-agents cannot ask";

export const SUBAGENT_TOOL_CALL = "the sub-agent stopped before a tool call had ended";

export const SUBAGENT_INTERRUPTED = "the sub-agent was interrupted";

// A scripted agent

/** The answer after the last turn of the script. */
export const SCRIPT_ENDED = "There is nothing left to do.";

export function streamRunning(workspaceId: string): string {
  return `the agent in the workspace ${workspaceId} is busy; wait for the end of its turn`;
}

/** A step of a script with no action, or with several. */
export function notOneAction(actions: readonly string[]): string {
  return `expected exactly one of ${actions.join(", ")} in this step of the script`;
}

const NOT_A_FILE = {
  missing: "it does not exist",
  directory: "it is a folder",
  other: "it is a FIFO, a socket or a device",
} as const;

export function scriptNotFile(kind: keyof typeof NOT_A_FILE): string {
  return scriptNotReadable(NOT_A_FILE[kind]);
}

export function scriptNotReadable(detail: string): string {
  return `the script cannot be read: ${detail}`;
}

/** @param limit in MiB */
export function scriptTooLarge(limit: number): string {
  return `the script is larger than ${limit} MiB`;
}

// Questions of prompt handlers

/** @param finishReason of the model, such as `length` */
export function answerCut(finishReason: string): string {
  return `the answer is incomplete (${finishReason})`;
}

export const QUESTION_INTERRUPTED = "interrupted";
