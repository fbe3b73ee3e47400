/** The messages of the hooks in Mux: log lines, errors, and texts that Mux shows to its users and agents. */

// Attaching

const FEATURES_OFF = {
  stop: "Stop hooks are off",
  "subagent-stop": "SubagentStop hooks are off",
  run: "`mux run` does not wait for hooks",
  editor: "`mux acp` does not wait for hooks",
  trust:
    'the trust that Mux itself records is not checked; "mux-stop-hooks hooks trust" alone decides',
  remote: "hooks in remote workspaces are off",
} as const;

/** The host lacks members that a feature needs. @param missing see {@link missingExport} */
export function featureOff(feature: keyof typeof FEATURES_OFF, missing: readonly string[]): string {
  return `${FEATURES_OFF[feature]}: this version of Mux has ${listMissing(missing)}`;
}

/** @param methods the missing methods of AgentSession */
export function runDoesNotWait(methods: readonly string[]): string {
  const missing = methods.map((method) => `AgentSession.${method}`);
  return `\`mux run\` does not wait for hooks: this version of Mux has ${listMissing(missing)}`;
}

/** Also the state of an integration point in the report of `mux-stop-hooks hooks doctor`. */
export function listMissing(missing: readonly string[]): string {
  return `no ${missing.join(", no ")}`;
}

export function missingExport(name: string, file: string): string {
  return `${name} of ${file}`;
}

export function missingMethod(name: string, method: string, file: string): string {
  return `${name}.${method} of ${file}`;
}

/** @param target the module, with the name of its export if it is known */
export function attachFailed(target: string, detail: string): string {
  return `hooks could not be attached to ${target}: ${detail}`;
}

/** @param names the exports that were not found in the bundle */
export function bundleIncomplete(file: string, names: readonly string[]): string {
  return `this bundle of Mux (${file}) has no ${names.join(" and no ")}; hooks that need this are off`;
}

// Workspaces

export function workspaceUnknown(workspaceId: string): string {
  return `Mux returned no metadata of the workspace ${workspaceId}`;
}

export const PATH_UNKNOWN = "this version of Mux does not report the paths of its workspaces";

export const NO_CONNECTION =
  "this version of Mux provides no connection to the machine of the workspace";

/** @param kind the type of the workspaces' runtime: `ssh`, `docker` */
export function remoteHooksOff(kind: string): string {
  return `hooks do not run in ${kind} workspaces, because this version of Mux provides no connection to their machines`;
}

export function containerNotReady(detail: string): string {
  return `the dev container is not ready: ${detail}`;
}

export function projectNotTrusted(projectPath: string): string {
  return `the hooks of this project do not run, because ${projectPath} is not trusted in Mux; trust it in the settings of Mux or with "mux trust" (this is not "mux-stop-hooks hooks trust")`;
}

// The connection to a remote workspace

export function machineUnreachable(detail: string): string {
  return `the machine could not be reached: ${detail}`;
}

export const CONNECTION_LOST = "the connection was lost";

/** The host did not open a session in time. */
export function connectTimedOut(seconds: number): string {
  return `no connection within ${seconds} s`;
}

/** The client printed no message. */
export function clientExited(code: number): string {
  return `the program with which Mux connects to the machine ended with exit code ${code}`;
}

/** @param limit in MiB */
export function tooMuchErrorOutput(limit: number): string {
  return `the connection was closed because more than ${limit} MiB were written to standard error; let the hook print less`;
}

// Turns

/** The title of a hook's card in the chat. */
export function hookProgress(event: string, index: number, total: number, label: string): string {
  return `${event} hook${total === 1 ? "" : ` ${index} of ${total}`}: ${label}`;
}

export const SENT_BACK = "the agent was sent back to work";

export const RUNS_IN_BACKGROUND = "runs in the background";

/** @param event `Stop` or `SubagentStop` */
export function hooksNotPrepared(event: string, detail: string): string {
  return `the ${event} hooks of this turn could not be prepared when it began, so they are read at its end: ${detail}`;
}

export function stopHooksFailed(detail: string): string {
  return `the Stop hooks could not be run: ${detail}`;
}

/** A listener of the host threw. */
export function hostFailed(detail: string): string {
  return `an error in Mux after the hooks of a turn ended: ${detail}`;
}

// Questions of prompt hooks to a model

export const MODEL_UNKNOWN = "Mux did not report the model of this turn";

export function modelNotCreated(model: string, detail: string): string {
  return `Mux cannot use the model ${model}: ${detail}`;
}

export function modelNotUsable(model: string): string {
  return `this version of Mux returned a model for ${model} that has no doStream`;
}

export function modelAnswerTooLong(maxChars: number): string {
  return `the answer has more than ${maxChars} characters`;
}

// Reports of sub-agents

/** The result of the host's own method, for the sub-agent. */
export const REPORT_HELD =
  "A SubagentStop hook requested a continuation, so this report is not delivered to the parent agent. Continue the work, then report again.";

export function reportDelivered(detail: string): string {
  return `the report of a sub-agent was delivered because its SubagentStop hooks failed: ${detail}`;
}

export const MESSAGES_UNSUPPORTED = "this version of Mux cannot send messages to sub-agents";

/** @param error the error of the host, as JSON */
export function messageRejected(error: string): string {
  return `Mux rejected the message to the sub-agent: ${error}`;
}

/** A plain `mux acp` gets its turns from this server. */
export const EDITOR_NOT_ATTACHED =
  'your editor gets an answer before the hooks allow the stop, because its `mux acp` runs without hooks; set its agent command to "mux-stop-hooks hooks attach -- mux acp" and start it again';

/** A person has typed a message while hooks ran. */
export const MESSAGE_GOES_FIRST =
  "the hooks were ended because your message goes first; the changes are checked at the next stop";

/** A stop after which the user has seen no notice. @param reason why the hooks let the turn end */
export function turnUnverified(reason: string): string {
  return `this turn ended, but it was not verified: ${reason}`;
}

/** A turn that the host begins by itself, as for a goal. */
export function lastStopUnverified(reason: string): string {
  return `Mux continues by itself, but the last stop was not verified: ${reason}`;
}

/** Why a stop was not verified. @param finish why the model stopped, if it is known */
export function turnCutOff(finish: string | undefined): string {
  return finish === undefined || finish === "stop"
    ? "another message was sent first"
    : `the turn did not end by itself (${finish})`;
}

export const NOT_STOPPED_SINCE = "the hooks sent the agent back, and it has not stopped since";

export const HOOKS_OFF = "Stop hooks are off in this version of Mux";

// `mux run`

/** @param variable the name of the environment variable */
export function unverifiedExitInvalid(variable: string): string {
  return `${variable} has no effect, because it is not a number from 1 to 255`;
}

export function unverifiedExit(reason: string, code: number): string {
  return `the last stop was not verified, so the exit code is ${code}: ${reason}`;
}

export function continuationFailed(reason: string): string {
  return `the continuation that the Stop hooks requested failed: ${reason}`;
}

export const MODEL_FAILED = "the model failed";

export const TURN_INTERRUPTED = "the turn was interrupted";

export function continuationNotSent(seconds: number): string {
  return `Mux did not send it within ${seconds} s`;
}
