import { describe, expect, test } from "vitest";
import { BuiltinHooks } from "@/node/services/hooks/contract/builtinRegistry";
import { completeInput } from "@/node/services/hooks/contract/makeInput";
import { runHttp } from "@/node/services/hooks/execution/handlers/httpHandler";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";
import { answers, HookServer } from "@test/helpers/hooks/hookServer";
import {
  group,
  HookProject,
  stopWith,
  type RanStop,
  type StopRequest,
} from "@test/helpers/hooks/hookProject";

/** Runs one http handler of the user's own settings. */
async function stop(fields: object, request: StopRequest = {}): Promise<RanStop> {
  const project = await HookProject.create();
  await project.configureUser({ hooks: { Stop: [group([{ type: "http", ...fields }])] } });
  return await project.stop(request);
}

/** Runs one http handler of the user against a server that responds so. */
async function stopAt(respond: Parameters<typeof HookServer.start>[0], fields: object = {}) {
  const server = await HookServer.start(respond);
  return { server, result: await stop({ url: server.url(), ...fields }) };
}

const warningOf = ({ warnings = [] }: RanStop): string => warnings.join("\n");

describe("an http handler (H42)", () => {
  test("sends the input by POST, and uses a JSON object like that of exit 0", async () => {
    const block = { decision: "block", reason: "R", systemMessage: "S", suppressOutput: true };
    const { server, result } = await stopAt(answers(block));
    expect(result).toMatchObject({
      shouldStop: false,
      continueReason: "R",
      systemMessages: ["S"],
      runs: [{ name: "user:Stop[0]", type: "http", outcome: "block", title: server.url() }],
    });
    expect(result.runs[0]?.stdout).toBeUndefined();
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", path: "/hook" });
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(request!.body)).toMatchObject({
      session_id: "workspace-1",
      hook_event_name: "Stop",
      last_assistant_message: "All done.",
    });
  });

  test("understands an empty body, and additional context", async () => {
    const { result: none } = await stopAt(answers(""));
    expect(none).toMatchObject({ shouldStop: true, runs: [{ outcome: "pass" }] });
    const hookSpecificOutput = { hookEventName: "Stop", additionalContext: "C" };
    const { result } = await stopAt(answers({ hookSpecificOutput }));
    expect(result).toMatchObject({ continueKind: "feedback", continueReason: "C" });
    expect([none.warnings, result.warnings]).toEqual([undefined, undefined]);
  });

  const block = { decision: "block", reason: "R" };

  test.each<[string, unknown, number, RegExp]>([
    ["status 500", "out of order\nmore", 500, /answered with status 500: out of order$/],
    ["status 403 with a decision", block, 403, /answered with status 403: \{/],
    ["text", "All good.", 200, /is not a JSON object \(Unexpected token/],
    ["a list", [block], 200, /is not a JSON object \(it is JSON of another type\)/],
    ["10 MiB", `{"a": "${"x".repeat(10 * 1024 * 1024)}"}`, 200, /larger than 1 MiB/],
  ])("warns about %s, and the agent stops", async (_, body, status, warning) => {
    const { result } = await stopAt(answers(body, status));
    expect(result).toMatchObject({ shouldStop: true, runs: [{ outcome: "failed" }] });
    expect(warningOf(result)).toMatch(warning);
  });

  test("does not follow a redirect, and names its target", async () => {
    const other = await HookServer.start(answers(block));
    const { result } = await stopAt((response) => {
      response.writeHead(307, { location: other.url("localhost") }).end();
    });
    expect(result.shouldStop).toBe(true);
    expect(warningOf(result)).toContain(
      `status 307, a redirect to ${other.url("localhost")}, which is not followed; set "url"`
    );
    expect(other.requests).toEqual([]);
  });

  test.each<[string, Parameters<typeof HookServer.start>[0]]>([
    ["sends nothing", () => undefined],
    ["never ends its answer", (response) => response.write("{")],
  ])("closes the connection of a server that %s at the time limit", async (_, respond) => {
    const server = await HookServer.start(respond);
    const closed = server.connectionClosed();
    const result = await stop({ url: server.url(), timeout: 0.3 });
    expect(result).toMatchObject({ shouldStop: true, runs: [{ outcome: "failed" }] });
    expect(warningOf(result)).toMatch(/timed out after 0\.3 s; raise its "timeout"/);
    await closed;
  });

  test("closes the connection at an interrupt (H22)", async () => {
    const interrupt = new AbortController();
    const server = await HookServer.start(() => {
      interrupt.abort();
    });
    const closed = server.connectionClosed();
    const result = await stop({ url: server.url() }, { abortSignal: interrupt.signal });
    expect(result).toMatchObject({ shouldStop: true, cancelled: true });
    await closed;
  });

  test.each<[string, Parameters<typeof HookServer.start>[0]]>([
    ["before the answer", (_, request) => request.socket.destroy()],
    [
      "within the answer",
      (response, request) => {
        response.writeHead(200, { "content-length": "100" });
        response.write('{"decision": "block"', () => request.socket.destroy());
      },
    ],
  ])("warns about a connection that is closed %s", async (_, respond) => {
    const { result } = await stopAt(respond);
    expect(result).toMatchObject({ shouldStop: true, runs: [{ outcome: "failed" }] });
    expect(warningOf(result)).toMatch(/closed the connection before the answer was complete/);
  });

  test("warns about a server that does not run", async () => {
    const server = await HookServer.start(answers(""));
    const url = server.url().replace(String(server.port), "1");
    expect(warningOf(await stop({ url }))).toContain("127.0.0.1:1 does not accept connections");
  });

  test("connects by IPv6", async ({ skip }) => {
    const server = await HookServer.start(answers(block), "::1").catch(() => undefined);
    if (server === undefined) return skip("this machine has no IPv6");
    expect((await stop({ url: server.url("[::1]") })).continueReason).toBe("R");
  });

  test("refuses a certificate that signs itself, and explains how to accept it", async () => {
    const server = await HookServer.startTls(answers(block));
    const result = await stop({ url: server.url("127.0.0.1", "https") });
    expect(result.shouldStop).toBe(true);
    expect(warningOf(result)).toMatch(
      /the certificate of 127\.0\.0\.1:\d+ is not accepted \(self-signed certificate\); .*NODE_EXTRA_CA_CERTS=FILE/
    );
    expect(server.requests).toEqual([]);
  });

  test("gets the transcript in Claude's format in the claude dialect (H9)", async () => {
    const { server } = await stopAt(answers(""), { dialect: "claude" });
    const { transcript_path } = JSON.parse(server.requests[0]!.body) as Record<string, string>;
    expect(transcript_path).toMatch(/chat\.claude\.jsonl$/);
  });
});

describe("the addresses of an http handler (H42):", () => {
  test("a handler of the project does not reach this machine", async () => {
    const hosts = "127.0.0.1 localhost 127.1 0x7f000001 [::ffff:127.0.0.1] 0.0.0.0".split(" ");
    const server = await HookServer.start(answers(""));
    const urls = hosts.map((host) => `${server.url(host)}/${encodeURIComponent(host)}`);
    const result = await stopWith(urls.map((url) => ({ type: "http", url })));
    expect(result.runs.map(({ outcome }) => outcome)).toEqual(hosts.map(() => "failed"));
    const refused = /not a public address, .* configure the hook in your user/;
    expect(result.warnings).toEqual(hosts.map(() => expect.stringMatching(refused) as string));
    expect(server.requests).toEqual([]);
  });

  test("a handler of the project does not reach a name with one address that is not public", async () => {
    const server = await HookServer.start(answers(""));
    const warning = await request(server.url("two.test"), ["203.0.114.1", "127.0.0.1"], true);
    expect(warning).toMatch(
      /two\.test has the address 127\.0\.0\.1, which is not a public address/
    );
    expect(server.requests).toEqual([]);
  });

  test("the connection uses the addresses of the only lookup, in turn", async () => {
    const server = await HookServer.start(answers("", 500));
    // Nothing listens on the first address.
    const warning = await request(server.url("two.test"), ["127.0.0.2", "127.0.0.1"], false);
    expect(warning).toMatch(/status 500/);
    expect(server.requests[0]?.headers.host).toBe(`two.test:${server.port}`);
  });

  test("a name without addresses, and one that cannot be resolved", async () => {
    expect(await request("http://none.test/", [], false)).toMatch(
      /the name none\.test could not be resolved \(it has no address\)/
    );
    // No name server is asked for a label of more than 63 characters.
    const long = `${"a".repeat(64)}.test`;
    expect(warningOf(await stop({ url: `http://${long}/` }))).toContain(
      `the name ${long} could not be resolved`
    );
  });
});

/** Sends one request whose host has these addresses at the first lookup and none later. Returns the warnings. */
async function request(url: string, addresses: string[], fromProject: boolean): Promise<string> {
  const project = await HookProject.create();
  const { runtime, dir } = project;
  const input = completeInput(project.input);
  const handler = { type: "http" as const, url };
  const hook: ConfiguredHook = { name: "h", event: "Stop", layer: "user", fromProject, handler };
  let lookups = 0;
  const { verdict } = await runHttp(
    handler,
    { hook, timeoutMs: 5_000, signal: new AbortController().signal },
    {
      ...{ runtime, projectDir: dir, cwd: dir, input, programInput: input, continuation: 0 },
      ...{ passEnv: [], builtins: new BuiltinHooks(), checkout: new Map(), env: {} },
      turn: { turnId: "" },
      requestedContinuation: new Set(),
      keepBeside: () => Promise.resolve(""),
      transcriptOnHost: "",
    },
    () => {
      lookups++;
      const found = lookups === 1 ? addresses : [];
      return Promise.resolve(found.map((address) => ({ address, family: 4 })));
    }
  );
  expect(lookups).toBe(1);
  return verdict.warnings.join("\n");
}

test("sends the password of its URL, which is, like its query, in no title, reason or record (H12, H44)", async () => {
  const server = await HookServer.start(answers("", 500));
  const url = `${server.url("me:secret@127.0.0.1")}?token=secret#secret`;
  const { continueReason, warnings, runs } = await stop({ url, failClosed: true });
  expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa("me:secret")}`);
  expect(continueReason).toContain(`${server.url()}?…`);
  expect(JSON.stringify([continueReason, warnings, runs])).not.toContain("secret");
});

test("an error of TLS is one line (H20)", async () => {
  const server = await HookServer.start(answers(200));
  const result = await stop({ url: server.url("127.0.0.1", "https"), failClosed: true });
  const [warning = ""] = result.warnings ?? [];
  expect(warning).toMatch(/the request to 127\.0\.0\.1:\d+ failed: \S.*/);
  expect(warning).not.toContain("\n");
});

test("a time limit that the project sets for a user's hook names the file of the project (H3)", async () => {
  const project = await HookProject.create();
  const sleeps = { type: "command", command: "sleep 60" };
  await project.configureUser({ hooks: { Stop: [group([sleeps])] } });
  await project.configure({ hooks: { Stop: [group([{ ...sleeps, timeout: 0.1 }])] } });
  const { warnings = [] } = await project.stop();
  expect(warnings.find((text) => text.includes("timed out"))).toContain(
    `raise its "timeout" (in seconds) at ${project.path(".mux", "settings.json")}:`
  );
});
