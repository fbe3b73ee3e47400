/**
 * Runs hooks of the type `http`: sends the input to a server by POST, with headers that may contain permitted
 * environment variables, and interprets the answer: a JSON object decides, and a redirect or an error status is a
 * failure (H42). A hook of the checkout reaches only public addresses.
 */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { tryOr } from "@/common/errors";
import { isJsonObject, parseJson } from "@/common/json";
import type * as contract from "@/node/services/hooks/contract/types";
import { withoutSecrets } from "@/node/services/hooks/contract/hookFacts";
import { serializeInput } from "@/node/services/hooks/contract/makeInput";
import { isWithheld } from "@/node/services/hooks/execution/environment";
import * as http from "@/node/services/hooks/execution/handlers/httpRequest";
import * as handlers from "@/node/services/hooks/execution/handlers/handlerRun";
import { readObject, shortLine } from "@/node/services/hooks/execution/parseOutput";
import * as verdicts from "@/node/services/hooks/execution/verdict";

/** @param lookup resolves the host of the URL; by default as every program on this machine does */
export async function runHttp(
  handler: contract.HttpHandler,
  run: handlers.HandlerRun,
  context: handlers.StopContext,
  lookup: http.LookupAll = http.lookupAll
): Promise<handlers.HandlerResult> {
  const { hook } = run;
  const { headers, warnings } = requestHeaders(hook, handler, context);
  const body = serializeInput(handlers.inputOnHost(handler, context));
  const sent = { headers: { ...OWN_HEADERS, ...headers }, body };
  const { verdict, ...result } = await handlers.runLimited(run, async (signal) => {
    const answer = await send(handler.url, { ...sent, signal }, hook.fromProject, lookup);
    const received = answer.kind === "answer" ? answer.body : "";
    return handlers.resultOf(judge(answer, hook.event), received);
  });
  return { ...result, verdict: { ...verdict, warnings: [...warnings, ...verdict.warnings] } };
}

const OWN_HEADERS = {
  "content-type": "application/json",
  accept: "application/json",
  "user-agent": "mux-stop-hooks",
};

async function send(
  text: string,
  request: Omit<Parameters<typeof http.postOnce>[0], "url" | "addresses">,
  publicOnly: boolean,
  lookup: http.LookupAll
): Promise<http.HttpAnswer> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const message = `the request was not sent, because ${JSON.stringify(withoutSecrets(text))} is not an http or https URL; correct its "url"`;
    return { kind: "failed", message };
  }
  const found = await http.findAddresses(url, { publicOnly, lookup });
  if (found.isErr()) return { kind: "failed", message: found.error };
  return await http.postOnce({ ...request, url, addresses: found.value });
}

function judge(answer: http.HttpAnswer, event: contract.HookEventName): verdicts.HookVerdict {
  if (answer.kind === "failed") return verdicts.failed(answer.message);
  const { status, location } = answer;
  const text = new TextDecoder().decode(answer.body).trim();
  if (status >= 300 && status < 400 && location !== "") {
    const to = withoutSecrets(shortLine(location)) || "another address";
    return verdicts.failed(
      `the server answered with status ${status}, a redirect to ${to}, which is not followed; set "url" to the final address`
    );
  }
  if (status < 200 || status >= 300) {
    const line = shortLine(text);
    return verdicts.failed(`the server answered with status ${status}${line && `: ${line}`}`);
  }
  if (text === "") return verdicts.emptyVerdict("pass");
  const parsed = parseJson(text);
  if (parsed.isErr()) return verdicts.failed(answerNotObject(shortLine(parsed.error)));
  if (!isJsonObject(parsed.value))
    return verdicts.failed(answerNotObject("it is JSON of another type"));
  return verdicts.judgeReading(readObject(parsed.value, event));
}

function answerNotObject(problem: string): string {
  return `the answer of the server is not a JSON object (${problem}); let it send one JSON object or an empty body`;
}

/** Headers that describe the connection or the body, which belong to the HTTP client. */
const RESERVED = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const REFERENCE = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** Returns the headers to send. A reference to a variable that the hook may not read becomes the empty string. */
export function requestHeaders(
  hook: contract.ConfiguredHook,
  { headers = {}, allowedEnvVars = [], dialect }: contract.HttpHandler,
  { env, passEnv }: Pick<handlers.StopContext, "env" | "passEnv">
) {
  const allowed = new Set(allowedEnvVars);
  const sent: Record<string, string> = {};
  const warnings: string[] = [];
  const valueOf = (header: string, name: string): string => {
    const value = isWithheld(name, hook, passEnv) ? undefined : env[name];
    if (allowed.has(name) && value !== undefined) return value;
    warnings.push(
      allowed.has(name)
        ? `the header ${JSON.stringify(header)} refers to $${name}, which is not set for this hook, so it was sent without it`
        : variableNotListed(header, name, dialect === "claude")
    );
    return "";
  };
  for (const [name, template] of Object.entries(headers)) {
    const header = name.toLowerCase();
    if (RESERVED.has(header)) {
      warnings.push(
        `the header ${JSON.stringify(name)} belongs to the connection and was not sent; remove it from "headers"`
      );
      continue;
    }
    const value = template
      .replaceAll(REFERENCE, (_, braced?: string, bare?: string) =>
        valueOf(name, braced ?? bare ?? "")
      )
      .replaceAll(/[\r\n\0]/g, "");
    if (isValid(name, value)) sent[header] = value;
    else
      warnings.push(
        `the header ${JSON.stringify(name)} is not a valid header and was not sent; correct its name and value`
      );
  }
  return { headers: sent, warnings };
}

function isValid(name: string, value: string): boolean {
  return tryOr(() => {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  }, false);
}

/** @param isClaude whether Claude Code's settings may have removed the variable from the list (H39) */
function variableNotListed(header: string, name: string, isClaude: boolean): string {
  const list = isClaude
    ? `"allowedEnvVars", or "httpHookAllowedEnvVars" in Claude Code's settings,`
    : `"allowedEnvVars"`;
  return `the header ${JSON.stringify(header)} refers to $${name}, which ${list} does not contain, so it was sent without it`;
}
