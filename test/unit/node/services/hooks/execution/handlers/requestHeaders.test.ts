import { expect, test } from "vitest";
import { requestHeaders } from "@/node/services/hooks/execution/handlers/httpHandler";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";

const env = { TOKEN: "t", OTHER: "o", LINES: "a\r\nX-Evil: b", ANTHROPIC_API_KEY: "k" };

function headersOf(
  headers: Record<string, string>,
  allowedEnvVars: string[] = [],
  { fromProject = false, passEnv = [] as string[] } = {}
) {
  const handler = { type: "http" as const, url: "http://a/", headers, allowedEnvVars };
  const hook = { name: "h", event: "Stop", layer: "user", handler, fromProject } as ConfiguredHook;
  return requestHeaders(hook, handler, { env, passEnv });
}

test("replaces $NAME and ${NAME} if allowedEnvVars has the name, and adds no header by a line break (H42)", () => {
  const { headers, warnings } = headersOf({ A: "Bearer $TOKEN", B: "${TOKEN}-$TOKEN." }, ["TOKEN"]);
  expect(headers).toEqual({ a: "Bearer t", b: "t-t." });
  expect(warnings).toEqual([]);
  expect(headersOf({ A: "$LINES" }, ["LINES"]).headers).toEqual({ a: "aX-Evil: b" });
});

test("replaces other references with the empty string, and warns without the value (H42)", () => {
  const { headers, warnings } = headersOf({ A: "x$OTHER", B: "${MISSING}y" }, ["MISSING"]);
  expect(headers).toEqual({ a: "x", b: "y" });
  expect(warnings).toEqual([
    'the header "A" refers to $OTHER, which "allowedEnvVars" does not contain, so it was sent without it',
    'the header "B" refers to $MISSING, which is not set for this hook, so it was sent without it',
  ]);
});

test("keeps the keys of model providers from a project, unless the user lets them pass (H14)", () => {
  const key = { A: "$ANTHROPIC_API_KEY" };
  const listed = ["ANTHROPIC_API_KEY"];
  const headers = (how: Parameters<typeof headersOf>[2]) => headersOf(key, listed, how).headers;
  expect(headers({ fromProject: true })).toEqual({ a: "" });
  expect(headers({ fromProject: true, passEnv: listed })).toEqual({ a: "k" });
  expect(headers({})).toEqual({ a: "k" });
});

test("drops headers of the connection, and invalid ones, with a warning (H42)", () => {
  const { headers, warnings } = headersOf({
    Host: "b",
    "Content-Length": "1",
    "a b": "c",
    D: "\u2603",
  });
  expect(headers).toEqual({});
  expect(warnings).toEqual([
    expect.stringContaining('"Host" belongs to the connection'),
    expect.stringContaining('"Content-Length" belongs to the connection'),
    expect.stringContaining('"a b" is not a valid header'),
    expect.stringContaining('"D" is not a valid header'),
  ]);
});
