import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { MessagePart } from "@/common/chatMessage";
import { STATUS_FOLDER } from "@/host/HostStatusFile";
import type { HostInternal, HostSendOptions, HostStreamEnd } from "@/host/muxTypes";
import {
  type AttachedHost,
  brokenEngine,
  END,
  endTurn,
  inTurn,
  makeHost,
  pidOf,
  type Setup,
  trustProject,
  userSays,
  wholeTurn,
  writeHook,
} from "@test/helpers/host/attachedHost";
import { HOST_STATUS } from "@test/helpers/host/hostStatus";
import { readJsonLines } from "@test/helpers/hooks/session";
import { makeGate } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";
import { putFile } from "@test/helpers/tempDir";

const text = (words: string): MessagePart => ({ type: "text", text: words });
const call = (toolName: string, output: unknown = { success: true }): MessagePart => ({
  type: "dynamic-tool",
  toolCallId: "1",
  toolName,
  input: {},
  state: "output-available",
  output,
});

const BLOCK = "echo 'Not yet.' >&2; exit 2";
const delegated = { muxMetadata: { type: "workspace-turn-task", ownerWorkspaceId: "w2" } };

describe("passes the end of a turn on in the same call:", () => {
  const now = (host: AttachedHost, end: Partial<HostStreamEnd> = {}): HostStreamEnd[] => {
    host.service.emit("stream-end", { ...END, ...end });
    return host.ended;
  };

  test.each([
    ["if no hook is configured", { hook: undefined }, {}],
    ["in a turn of a sub-agent", { metadata: { parentWorkspaceId: "p" } }, {}],
    ["in a turn whose start was not observed", {}, { workspaceId: "other" }],
  ])("%s", async (_, setup: Setup, end: Partial<HostStreamEnd>) => {
    const host = await inTurn({ hook: BLOCK, ...setup });
    expect(now(host, end)).toHaveLength(1);
    expect(host.session.queue).toEqual([]);
  });

  test("if the host gives no access to the workspace's machine, which is logged once", async () => {
    const host = await inTurn({ hook: BLOCK, metadata: { runtimeConfig: { type: "ssh" } } });
    expect(now(host)).toHaveLength(1);
    await userSays(host);
    expect(host.lines).toEqual([
      "hooks do not run in ssh workspaces, because this version of Mux provides no connection to their machines",
    ]);
  });

  test("if the turn was cut off, and shows that it was not verified (H26)", async () => {
    const host = await inTurn({ hook: BLOCK });
    expect(now(host, { metadata: { finishReason: "length" } })).toHaveLength(1);
    expect(JSON.stringify(host.session.chat)).toContain("did not end by itself (length)");
  });

  test.each([
    { what: "text", parts: [text("Done.")], asks: false },
    { what: "a question", parts: [call("ask_user_question"), text(" ")], asks: true },
    { what: "an answer", parts: [call("ask_user_question"), text("Red it is.")], asks: false },
    { what: "a plan", parts: [call("propose_plan")], asks: true },
    { what: "a plan and closing words", parts: [call("propose_plan"), text("Here.")], asks: true },
    { what: "a plan that failed", parts: [call("propose_plan", { success: false })], asks: false },
    { what: "a plan and more work", parts: [call("propose_plan"), call("bash")], asks: false },
  ])(
    "if $what ends it early, shown unless it asks the user: $asks (H28)",
    async ({ parts, asks }) => {
      const host = await inTurn({ hook: BLOCK });
      const cut = { parts, metadata: { finishReason: "tool-calls" } };
      expect(now(host, cut)).toHaveLength(1);
      expect(JSON.stringify(host.session.chat).includes("(tool-calls)")).toBe(!asks);
      host.session.chat.length = 0;
      // Older hosts have no such reason.
      expect(now(host, asks ? { parts } : cut)).toHaveLength(2);
      host.session.chat.length = 0;
      host.session.queueMessage("and this");
      expect(now(host, cut)).toHaveLength(3);
      expect(host.session.chat).toEqual([]);
    }
  );

  test("in a compaction", async () => {
    const host = await inTurn({ hook: BLOCK }, { agentId: "compact" });
    expect(now(host)).toHaveLength(1);
    await userSays(host);
    Object.assign(host.session, { activeCompactionRequest: {} });
    expect(now(host)).toHaveLength(2);
  });
});

test("trusts the hooks of a worktree if they were trusted in its project (H31)", async () => {
  const host = await inTurn({ hook: BLOCK, isWorktree: true });
  await endTurn(host);
  expect(host.lines).toEqual([expect.stringContaining("the project is not trusted")]);
  expect(host.session.queue).toEqual([]);

  await trustProject(host);
  await wholeTurn(host);
  expect(host.session.queue).toHaveLength(1);
});

describe("holds the end of a turn while hooks run:", () => {
  test("reports the agent as streaming until its continuation has begun or was removed", async () => {
    const host = await inTurn({ hook: BLOCK });
    await endTurn(host);
    expect(host.service.isStreaming("w1")).toBe(true);
    host.session.queue.length = 0;
    const sent = host.session.sendMessage("the continuation");
    expect(host.service.isStreaming("w1")).toBe(true);
    await sent;
    expect(host.service.isStreaming("w1")).toBe(false);

    await endTurn(host);
    expect(host.service.isStreaming("w1")).toBe(true);
    host.session.queue.length = 0;
    expect(host.service.isStreaming("w1")).toBe(false);
  });

  test("continues after a compaction, and no more after an interrupt (H25)", async () => {
    const host = await inTurn({ hook: BLOCK });
    await endTurn(host);
    Object.assign(host.session, { activeCompactionRequest: {} });
    host.service.emit("stream-end", END);
    expect(host.gate.continues("w1")).toBe(true);
    await host.service.stopStream("w1", { abortReason: "system" });
    expect(host.gate.continues("w1")).toBe(true);
    await host.service.stopStream("w1");
    expect(host.gate.continues("w1")).toBe(false);
  });

  test("reports the agent as streaming, and then continues with the turn's own options (H28)", async () => {
    const host = await inTurn(
      { hook: BLOCK },
      { agentId: "exec", editMessageId: "m0", fileParts: [] }
    );
    const ends = endTurn(host);
    expect(host.service.isStreaming("w1")).toBe(true);
    expect(host.ended).toEqual([]);
    await ends;
    expect(host.gate.continues("w1")).toBe(true);
    expect(host.session.queue).toEqual([
      {
        message: "[Stop hook requested continuation]\nNot yet.",
        options: { agentId: "exec", model: "claude", muxMetadata: { stopHookActive: true } },
        internal: { synthetic: true, agentInitiated: true },
      },
    ]);
  });

  test.each<[string, HostSendOptions | undefined, HostInternal | undefined]>([
    ["a goal", undefined, { synthetic: true }],
    ["a tool", undefined, { agentInitiated: true }],
    ["another agent", delegated, undefined],
  ])(
    "lets a message of %s wait for the hooks, and drops their verdict (H28)",
    async (_, ...sent) => {
      const hook = `echo $$ > "$MUX_PROJECT_DIR/pid"; read -r _ < "$MUX_PROJECT_DIR/go"; ${BLOCK}`;
      const host = await makeHost({ hook });
      const gate = await makeGate(host.dir, "go");
      await userSays(host);
      const ends = endTurn(host);
      await pidOf(join(host.dir, "pid"));
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      host.session.queueMessage("Go on.", ...sent);
      vi.advanceTimersByTime(60_000);
      vi.useRealTimers();
      expect(host.ended).toEqual([]);
      await gate.open();
      await ends;
      expect(host.session.queue.map(({ message }) => message)).toEqual(["Go on."]);
    }
  );

  describe("in a turn that the host begins", () => {
    const GOAL = { synthetic: true };
    const COUNTING = 'cat >> "$MUX_PROJECT_DIR/in"; echo >> "$MUX_PROJECT_DIR/in"; ';
    const inputsOf = ({ dir }: AttachedHost) => readJsonLines(join(dir, "in"));
    /** Ends a turn, and the turns after it for which the hooks send the agent back. @returns their number */
    const endTurns = async (host: AttachedHost): Promise<number> => {
      for (let count = 0; ; count++) {
        await endTurn(host);
        const [next] = host.session.queue.splice(0);
        if (next === undefined) return count;
        await host.session.sendMessage(next.message, next.options, GOAL);
      }
    };

    test("counts anew after a stop that the hooks allowed, with the plan and the ID of the user's turn (H25)", async () => {
      const hook = `${COUNTING}[ "$MUX_STOP_HOOK_ACTIVE" = true ] || { ${BLOCK}; }`;
      const host = await inTurn({ hook });
      expect(await endTurns(host)).toBe(1);
      await writeHook(host.dir, "exit 0");
      for (let turn = 0; turn < 4; turn++) {
        await host.session.sendMessage("Work on the goal.", {}, GOAL);
        expect(await endTurns(host)).toBe(1);
      }
      const inputs = await inputsOf(host);
      const active = inputs.map(({ stop_hook_active }) => stop_hook_active);
      expect(active).toEqual([0, 1, 2, 3, 4].flatMap(() => [false, true]));
      expect(new Set(inputs.map(({ prompt_id }) => prompt_id)).size).toBe(1);
    });

    test("looks once at each turn after the limit, until the hooks allow a stop or the user writes (H25, H26)", async () => {
      const hook = `${COUNTING}[ -e "$MUX_PROJECT_DIR/ok" ] || { ${BLOCK}; }`;
      const host = await makeHost({ hook });
      const ok = join(host.dir, "ok");
      await userSays(host);
      expect(await endTurns(host)).toBe(3);
      // Once, despite four stops.
      expect(host.variables).toEqual([expect.stringContaining("MUX_HOOKS_TRUST=always is set")]);
      expect(host.gate.unverified).toContain("after 3 continuations");
      for (const turn of [1, 2]) {
        await host.session.sendMessage("Work on the goal.", {}, GOAL);
        expect(host.lines.at(-1)).toContain("the last stop was not verified");
        expect(await endTurns(host)).toBe(0);
        expect(await inputsOf(host)).toHaveLength(4 + turn);
        expect(host.lines.at(-1)).toContain("after 3 continuations");
      }
      await writeFile(ok, "");
      await host.session.sendMessage("Work on the goal.", {}, GOAL);
      expect(await endTurns(host)).toBe(0);
      expect(host.gate.unverified).toBeUndefined();
      await rm(ok);
      await host.session.sendMessage("Work on the goal.", {}, GOAL);
      expect(await endTurns(host)).toBe(3);
      await userSays(host);
      expect(await endTurns(host)).toBe(3);
    });
  });

  test('notifies an editor\'s user once whose "mux acp" runs without hooks (H28)', async () => {
    for (const [seams, notices] of [
      [{}, 1],
      [{ MuxAgent: "attached" }, 0],
    ] as const) {
      const host = await makeHost({ hook: BLOCK });
      const status = join(host.home, ".mux", STATUS_FOLDER, `${process.pid}.json`);
      await putFile(status, JSON.stringify({ ...HOST_STATUS, seams }));
      for (const acpPromptId of ["p1", "p2"]) {
        await wholeTurn(host, { acpPromptId });
        host.session.queue.length = 0;
      }
      const told = host.lines.filter((line) => line.includes("`mux acp` runs without hooks"));
      expect(told).toHaveLength(notices);
    }
  });

  test("shows each stop that is not verified, but logs its reason once (H26, H31)", async () => {
    const host = await makeHost({ hook: "exit 0", isWorktree: true });
    for (const said of ["the project is not trusted", "script:Stop[0] did not run"]) {
      await userSays(host);
      host.session.chat.length = 0;
      await endTurn(host);
      expect(JSON.stringify(host.session.chat)).toContain(said);
      expect(host.gate.unverified).toContain("script:Stop[0] did not run");
    }
    expect(host.lines).toHaveLength(1);
  });

  test.each([
    ["a syntax error", "{", "could not be read completely"],
    [
      "an unsupported handler",
      '{"hooks": {"Stop": [{"hooks": [{"type": "agent"}]}]}}',
      "did not run",
    ],
  ])("is not verified with %s in a settings file (H26)", async (_, settings, said) => {
    const host = await makeHost({ hook: "exit 0" });
    await writeFile(join(host.dir, ".mux", "settings.json"), settings);
    await wholeTurn(host);
    expect(host.gate.unverified).toContain(said);
    expect(JSON.stringify(host.session.chat)).toContain("mux-stop-hooks");
  });

  test("releases the end if the session is disposed of meanwhile", async () => {
    const host = await inTurn({ hook: 'touch "$MUX_PROJECT_DIR/pid"; exec sleep 60' });
    const ends = endTurn(host);
    host.session.dispose();
    await ends;
    expect(host.session.queue).toEqual([]);
  });

  test("logs an internal error, ends the turn, and tries again in the next one", async () => {
    const { engine, mend } = brokenEngine("no engine");
    const host = await inTurn({ hook: BLOCK, parts: { engine } });
    await endTurn(host);
    expect(host.lines).toContainEqual(expect.stringContaining("no engine"));
    expect(host.session.queue).toEqual([]);
    mend();
    await wholeTurn(host);
    expect(host.session.queue).toHaveLength(1);
  });

  test("logs the error of a host's listener", async () => {
    const host = await inTurn({ hook: "exit 0" });
    host.service.on("stream-end", () => {
      throw new Error("cannot show it");
    });
    host.service.emit("stream-end", END);
    await expectSoon(() => host.lines).toEqual([expect.stringContaining("cannot show it")]);
  });

  test("runs a hook that the agent has added in this turn only after the next user message (H7)", async () => {
    const host = await inTurn({});
    await writeHook(host.dir, BLOCK);
    await endTurn(host);
    expect(host.session.queue).toEqual([]);
    await wholeTurn(host);
    expect(host.session.queue).toHaveLength(1);
  });
});
