/** Messages about the requests of http and prompt handlers. Like those of `execution.ts` they follow the hook's name. */
// The request of an http handler.

/** @param url without secrets */
export function urlInvalid(url: string): string {
  return `the request was not sent, because ${JSON.stringify(url)} is not an http or https URL; correct its "url"`;
}

/** @param problem of the resolver */
export function nameNotResolved(host: string, problem: string): string {
  return `the request was not sent, because the name ${host} could not be resolved (${problem}); check its "url" and the network`;
}

/** A handler of the project whose server is not on the public internet. */
export function addressNotPublic(host: string, address: string): string {
  const where = host === address ? address : `${host} has the address ${address}, which`;
  return `the request was not sent, because ${where} is not a public address, and a hook of a project can reach public addresses only; to allow it, configure the hook in your user settings`;
}

/** @param problem of Node.js, such as `self-signed certificate` */
export function certificateNotAccepted(host: string, problem: string): string {
  return `the request was not sent, because the certificate of ${host} is not accepted (${problem}); use a certificate that this machine trusts, or start the session with NODE_EXTRA_CA_CERTS=FILE, where FILE contains the certificate of its issuer`;
}

export function connectionRefused(host: string): string {
  return `the request failed, because ${host} does not accept connections; check that the server runs and that the port in "url" is correct`;
}

export function connectionClosed(host: string): string {
  return `the request failed, because ${host} closed the connection before the answer was complete`;
}

export function requestFailed(host: string, problem: string): string {
  return `the request to ${host} failed: ${problem}`;
}

// The answer to it.

/** @param firstLineOfBody may be empty */
export function statusNotOk(status: number, firstLineOfBody: string): string {
  const body = firstLineOfBody === "" ? "" : `: ${firstLineOfBody}`;
  return `the server answered with status ${status}${body}`;
}

/** @param target the header `Location`, which may be empty */
export function redirected(status: number, target: string): string {
  const to = target === "" ? "another address" : target;
  return `the server answered with status ${status}, a redirect to ${to}, which is not followed; set "url" to the final address`;
}

/** @param limit such as `1 MiB` */
export function answerTooLong(limit: string): string {
  return `the answer of the server is larger than ${limit}, so it was not read; let the server send less`;
}

export function answerNotObject(problem: string): string {
  return `the answer of the server is not a JSON object (${problem}); let it send one JSON object or an empty body`;
}

export const NOT_AN_OBJECT = "it is JSON of another type";

// References to environment variables in headers.

/** @param isClaude whether Claude Code's settings may have removed the variable from the list (H39) */
export function variableNotListed(header: string, name: string, isClaude: boolean): string {
  const list = isClaude
    ? `"allowedEnvVars", or "httpHookAllowedEnvVars" in Claude Code's settings,`
    : `"allowedEnvVars"`;
  return `the header ${JSON.stringify(header)} refers to $${name}, which ${list} does not contain, so it was sent without it`;
}

export function variableNotSet(header: string, name: string): string {
  return `the header ${JSON.stringify(header)} refers to $${name}, which is not set for this hook, so it was sent without it`;
}

export function headerInvalid(header: string): string {
  return `the header ${JSON.stringify(header)} is not a valid header and was not sent; correct its name and value`;
}

export function headerReserved(header: string): string {
  return `the header ${JSON.stringify(header)} belongs to the connection and was not sent; remove it from "headers"`;
}

// The question of a prompt handler.

/** @param host the name of the program that runs the hooks, if it gives one */
export function noModelForPrompts(host = "the program that runs the hooks"): string {
  return `there is no model here that could answer its prompt, because ${host} gives hooks none; use a handler of another type`;
}

export function modelFailed(problem: string): string {
  return `the model did not answer: ${problem}`;
}

/** A model of a host that breaks the contract. */
export const ANSWER_OF_OTHER_TYPE =
  "the function of the host returned neither { text } nor { problem }";

/**
 * For the agent, if the answer does not contain `{"ok": true}` or `{"ok": false}`, or is cut off.
 *
 * @param firstLine of the answer; may be empty
 */
export function noClearAnswer(hookName: string, firstLine: string): string {
  const given = firstLine === "" ? "It was empty." : `It began with: ${firstLine}`;
  return `No clear answer: the model that checked the prompt of the hook ${hookName} did not decide whether the work is done. ${given}\nState in your last message what you have done and how you checked it.`;
}

/** For the agent, if the model returned no reason. */
export function blockedByModel(hookName: string): string {
  return `The model that checked the prompt of the hook ${hookName} decided that the work is not done, and gave no reason.`;
}

/** For the user. */
export function conditionImpossible(reason: string): string {
  return `the model decided that the condition of its prompt cannot be met, so the hook does not block: ${reason}`;
}
