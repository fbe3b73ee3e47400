/** Runs hooks that are servers: sends the input by POST and interprets the answer (H42). */
import { unlessAborted } from "@/common/abort";
import { isJsonObject, parseJson } from "@/common/json";
import { clip, firstLine, plainText } from "@/common/text";
import type { HttpHandler } from "@/node/services/hooks/contract/handlerTypes";
import { serializeInput } from "@/node/services/hooks/contract/input";
import { postOnce, type HttpAnswer } from "@/node/services/hooks/execution/handlers/httpRequest";
import {
  findAddresses,
  lookupAll,
  type LookupAll,
} from "@/node/services/hooks/execution/handlers/publicAddresses";
import { requestHeaders } from "@/node/services/hooks/execution/handlers/requestHeaders";
import {
  inputOnHost,
  originOf,
  type HandlerResult,
  type HandlerRun,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { readObject } from "@/node/services/hooks/execution/parseOutput";
import {
  describeTimeout,
  emptyVerdict,
  failed,
  judgeReading,
  type HookVerdict,
} from "@/node/services/hooks/execution/verdict";
import type { HookEventName } from "@/node/services/hooks/contract/types";
import {
  answerNotObject,
  NOT_AN_OBJECT,
  redirected,
  statusNotOk,
  urlInvalid,
} from "@/node/services/hooks/messages/requests";

const MAX_SHOWN_CHARS = 300;
const NO_BODY = new Uint8Array();

/** @param lookup resolves the host of the URL; by default as every program on this machine does */
export async function runHttp(
  handler: HttpHandler,
  run: HandlerRun,
  context: StopContext,
  lookup: LookupAll = lookupAll
): Promise<HandlerResult> {
  const { hook, timeoutMs, signal } = run;
  const limit = AbortSignal.timeout(timeoutMs);
  const stopped = AbortSignal.any([signal, limit]);
  const { headers, warnings } = requestHeaders(hook, handler, context);
  const body = serializeInput(inputOnHost(handler, context));
  const sent = { headers: { ...OWN_HEADERS, ...headers }, body, signal: stopped };
  const answer = await unlessAborted(send(handler.url, sent, hook.fromProject, lookup), stopped);
  if (answer === undefined || stopped.aborted) {
    const about = { event: hook.event, name: hook.name, timeoutMs, origin: originOf(hook) };
    return signal.aborted
      ? resultOf(emptyVerdict("cancelled"))
      : resultOf(failed(...warnings, describeTimeout(about)));
  }
  const verdict = judge(answer, hook.event);
  const received = answer.kind === "answer" ? answer.body : NO_BODY;
  return resultOf({ ...verdict, warnings: [...warnings, ...verdict.warnings] }, received);
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
  if (!URL.canParse(text)) return { kind: "failed", message: urlInvalid(text) };
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return { kind: "failed", message: urlInvalid(text) };
  const found = await findAddresses(url, { publicOnly, lookup });
  if (found.isErr()) return { kind: "failed", message: found.error };
  return await postOnce({ ...request, url, addresses: found.value });
}

function judge(answer: HttpAnswer, event: HookEventName): HookVerdict {
  if (answer.kind === "failed") return failed(answer.message);
  const { status, location } = answer;
  const text = new TextDecoder().decode(answer.body).trim();
  if (status >= 300 && status < 400 && location !== "") {
    return failed(redirected(status, shown(location)));
  }
  if (status < 200 || status >= 300) return failed(statusNotOk(status, shown(text)));
  if (text === "") return emptyVerdict("pass");
  const parsed = parseJson(text);
  if (parsed.isErr()) return failed(answerNotObject(shown(parsed.error)));
  if (!isJsonObject(parsed.value)) return failed(answerNotObject(NOT_AN_OBJECT));
  return judgeReading(readObject(parsed.value, event));
}

/** Returns the first line of foreign text, short enough for a message. */
function shown(text: string): string {
  return clip(firstLine(plainText(text.slice(0, 2 * MAX_SHOWN_CHARS))), MAX_SHOWN_CHARS);
}

function resultOf(verdict: HookVerdict, body: Uint8Array = NO_BODY): HandlerResult {
  const stdout = new TextDecoder().decode(body);
  return { verdict, stdout, stderr: "", stdoutBytes: body.length, stderrBytes: 0 };
}
