/** Runs hooks that are servers: sends the input by POST and interprets the answer (H42). */
import { isJsonObject, parseJson } from "@/common/json";
import type { HttpHandler } from "@/node/services/hooks/contract/handlerTypes";
import { withoutSecrets } from "@/node/services/hooks/contract/hookTitle";
import { serializeInput } from "@/node/services/hooks/contract/input";
import { postOnce, type HttpAnswer } from "@/node/services/hooks/execution/handlers/httpRequest";
import { resultOf, runLimited } from "@/node/services/hooks/execution/handlers/limitedRun";
import {
  findAddresses,
  lookupAll,
  type LookupAll,
} from "@/node/services/hooks/execution/handlers/publicAddresses";
import { requestHeaders } from "@/node/services/hooks/execution/handlers/requestHeaders";
import {
  inputOnHost,
  type HandlerResult,
  type HandlerRun,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { readObject, shortLine } from "@/node/services/hooks/execution/parseOutput";
import {
  emptyVerdict,
  failed,
  judgeReading,
  type HookVerdict,
} from "@/node/services/hooks/execution/verdict";
import type { HookEventName } from "@/node/services/hooks/contract/types";

/** @param lookup resolves the host of the URL; by default as every program on this machine does */
export async function runHttp(
  handler: HttpHandler,
  run: HandlerRun,
  context: StopContext,
  lookup: LookupAll = lookupAll
): Promise<HandlerResult> {
  const { hook } = run;
  const { headers, warnings } = requestHeaders(hook, handler, context);
  const body = serializeInput(inputOnHost(handler, context));
  const sent = { headers: { ...OWN_HEADERS, ...headers }, body };
  const { verdict, ...result } = await runLimited(run, async (signal) => {
    const answer = await send(handler.url, { ...sent, signal }, hook.fromProject, lookup);
    const received = answer.kind === "answer" ? answer.body : "";
    return resultOf(judge(answer, hook.event), received);
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
  request: Omit<Parameters<typeof postOnce>[0], "url" | "addresses">,
  publicOnly: boolean,
  lookup: LookupAll
): Promise<HttpAnswer> {
  if (!URL.canParse(text)) return { kind: "failed", message: urlInvalid(withoutSecrets(text)) };
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol))
    return { kind: "failed", message: urlInvalid(withoutSecrets(text)) };
  const found = await findAddresses(url, { publicOnly, lookup });
  if (found.isErr()) return { kind: "failed", message: found.error };
  return await postOnce({ ...request, url, addresses: found.value });
}

function judge(answer: HttpAnswer, event: HookEventName): HookVerdict {
  if (answer.kind === "failed") return failed(answer.message);
  const { status, location } = answer;
  const text = new TextDecoder().decode(answer.body).trim();
  if (status >= 300 && status < 400 && location !== "") {
    return failed(redirected(status, withoutSecrets(shortLine(location))));
  }
  if (status < 200 || status >= 300) return failed(statusNotOk(status, shortLine(text)));
  if (text === "") return emptyVerdict("pass");
  const parsed = parseJson(text);
  if (parsed.isErr()) return failed(answerNotObject(shortLine(parsed.error)));
  if (!isJsonObject(parsed.value)) return failed(answerNotObject("it is JSON of another type"));
  return judgeReading(readObject(parsed.value, event));
}

/** @param url without secrets */
function urlInvalid(url: string): string {
  return `the request was not sent, because ${JSON.stringify(url)} is not an http or https URL; correct its "url"`;
}

/** @param firstLineOfBody may be empty */
function statusNotOk(status: number, firstLineOfBody: string): string {
  const body = firstLineOfBody === "" ? "" : `: ${firstLineOfBody}`;
  return `the server answered with status ${status}${body}`;
}

/** @param target the header `Location`, which may be empty */
function redirected(status: number, target: string): string {
  const to = target === "" ? "another address" : target;
  return `the server answered with status ${status}, a redirect to ${to}, which is not followed; set "url" to the final address`;
}

function answerNotObject(problem: string): string {
  return `the answer of the server is not a JSON object (${problem}); let it send one JSON object or an empty body`;
}
