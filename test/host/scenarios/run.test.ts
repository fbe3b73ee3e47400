import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { type Ended, HostRig, NO_TRUST_VARIABLE } from "@test/host/rig/HostRig";
import { newestHost, wholeHosts } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, alwaysBlock, askOnce, continuation, stopHook } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const replies = [{ text: "I am finished." }, { text: "Now really finished." }];
const again = continuation("Create DONE.txt.");

describe.each(wholeHosts)("mux run in $name", (host) => {
  test("sends the agent back once, and prints the text of the last turn (H18)", async () => {
    const env = { MUX_HOOKS_UNVERIFIED_EXIT: "9" };
    const rig = await HostRig.create(host, { replies, settings: askOnce, env });
    const ended = await rig.run();
    expect(rig.model.said).toEqual(["Say hello", again]);
    expect(ended.stdout).toContain("Now really finished.");
    expect(ended.code).toBe(0);
  });
});

describe.each(newestHost)("mux run in $name", (host) => {
  test("--quiet prints only the last turn", async () => {
    const rig = await HostRig.create(host, { replies, settings: askOnce });
    const ended = await rig.run("--quiet");
    expect(rig.model.said).toEqual(["Say hello", again]);
    // Older hosts print every word on a separate line.
    expect(ended.stdout.trim().split(/\s+/).join(" ")).toBe("Now really finished.");
    expect(ended.code).toBe(0);
  });

  test("--json prints both turns as events", async () => {
    const rig = await HostRig.create(host, { replies, settings: askOnce });
    const ended = await rig.run("--json");
    const lines = ended.stdout.trim().split("\n");
    const types = lines.map((line) => (JSON.parse(line) as { payload?: { type: string } }).payload);
    expect(types.filter((payload) => payload?.type === "stream-end")).toHaveLength(2);
    expect(ended.code).toBe(0);
  });

  test("stops after three blocks of a hook that always blocks, with an exit code of its own if wanted (H26)", async () => {
    const rig = await HostRig.create(host, {
      replies: [{ text: "Done.", times: 10 }],
      settings: alwaysBlock,
      env: { MUX_HOOKS_UNVERIFIED_EXIT: "9" },
    });
    const ended = await rig.run();
    const never = continuation("Never enough.");
    expect(rig.model.said).toEqual(["Say hello", never, never, never]);
    expect(ended.code).toBe(9);
    expect(ended.stderr).toContain(
      "not verified, so the exit code is 9: the agent stops now, after 3"
    );
  });

  test("runs no hooks if the first turn fails, and fails as without the plugin (H28)", async () => {
    const [bare, attached] = await Promise.all(
      [false, true].map(async (plugin) => {
        const failing = [{ status: 400, times: 10 }];
        const options = { replies: failing, settings: askOnce, env: NO_TRUST_VARIABLE };
        const rig = await HostRig.create(host, { ...options, plugin });
        const { code, stdout } = await rig.run();
        return { code, stdout, said: rig.model.said };
      })
    );
    expect(attached).toEqual(bare);
    expect(attached?.code).not.toBe(0);
  });

  test("prints the card of a hook that agrees, and otherwise the same output as without hooks or the plugin (H24)", async () => {
    const hook = await SteeredHook.create();
    const userSettings = stopHook(hook.command);
    const rig = await HostRig.create(host, { replies, userSettings, env: NO_TRUST_VARIABLE });
    const bare = await HostRig.create(host, { replies, settings: askOnce, plugin: false });
    const idle = await HostRig.create(host, { replies });
    const running = rig.run();
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ cwd: rig.project, last_assistant_message: "I am finished." });
    answer(agree);
    const [attached, alone] = [await running, await bare.run()];
    const isCard = /Stop hook: |^exit:0 /;
    const lines = ({ stdout }: Ended): string[] => stdout.split("\n").filter((line) => line !== "");
    // The imitated hosts print no tool calls.
    const isReal = process.env.MUX_DIST !== undefined;
    expect(lines(attached).some((line) => isCard.test(line))).toBe(isReal);
    expect(lines(attached).filter((line) => !isCard.test(line))).toEqual(lines(alone));
    expect(attached).toMatchObject({ code: alone.code, stderr: alone.stderr });
    expect(hook.count).toBe(1);
    expect(bare.model.said).toEqual(["Say hello"]);
    expect(await idle.run()).toEqual(alone);
    expect(idle.model.said).toEqual(bare.model.said);
  });
});

describe.each(wholeHosts)("mux run in $name", (host) => {
  test("runs no hooks of an untrusted project, and prints one line (H31)", async () => {
    const rig = await HostRig.create(host, { replies, settings: askOnce, trusted: false });
    const ended = await rig.run();
    expect(rig.model.said).toEqual(["Say hello"]);
    expect(ended.stderr.match(/^\[mux-stop-hooks\].*trust.*$/gm)).toHaveLength(1);
    expect(ended.code).toBe(0);
  });

  if (host.knowsTrust) {
    test("runs no hooks of a project that the host does not trust, despite MUX_HOOKS_TRUST=always (H31)", async () => {
      const env = { MUX_HOOKS_TRUST: "always" };
      const rig = await HostRig.create(host, { replies, settings: askOnce, trusted: false, env });
      await rig.run();
      expect(rig.model.said).toEqual(["Say hello"]);
    });
  }
});
