/** Workspaces over SSH, in hosts with their own connection (H33 to H35). */
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { hasSshd } from "@test/helpers/remote/sshd";
import { isAlive } from "@test/helpers/process/processes";
import { FarMachine } from "@test/host/rig/FarMachine";
import { HostRig, type RigOptions } from "@test/host/rig/HostRig";
import { type Chat, HostServer } from "@test/host/rig/HostServer";
import { hosts, newestHost, type Host } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { expectSoon } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

interface Far {
  readonly rig: HostRig;
  readonly machine: FarMachine;
  readonly chat: Chat;
}

/** Opens a chat in a workspace on another machine, whose checkout has the settings. */
async function open(host: Host, options: Partial<RigOptions>): Promise<Far> {
  const machine = await FarMachine.start();
  const replies = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }));
  const { settings, ...rest } = options;
  const files: Record<string, string> =
    settings === undefined ? {} : { ".mux/settings.json": JSON.stringify(settings, null, 2) };
  const rig = await HostRig.create(host, {
    replies,
    env: machine.env,
    ...rest,
    files: { ...files, ...rest.files },
  });
  const chat = await (await HostServer.start(rig)).openChat(machine.runtimeConfig);
  // A new workspace may be incomplete before its first answer.
  expect(await chat.ask("Are you there?")).toBe("One.");
  return { rig, machine, chat };
}

describe.runIf(hasSshd)("a workspace over SSH", () => {
  describe.each(hosts)("in $name", (host) => {
    test("runs the hooks of its project on the other machine, and continues once (H33)", async () => {
      const hook = await SteeredHook.create();
      const { rig, machine, chat } = await openSteered(host, hook);
      await chat.send("Say hello");
      const first = await hook.runs();
      expect(first.input.cwd.startsWith(join(machine.home, "src"))).toBe(true);
      expect(first.input.transcript_path.startsWith(join(machine.home, ".cache"))).toBe(true);
      first.answer(`grep -q 'Say hello' "$MUX_TRANSCRIPT_PATH" && { ${block("Not yet.")}; }`);
      const second = await hook.runs();
      expect(second.input.stop_hook_active).toBe(true);
      second.answer(agree);
      expect([await chat.answer(), await chat.answer()]).toEqual(["Two.", "Three."]);
      expect(rig.model.said.slice(1)).toEqual(["Say hello", continuation("Not yet.")]);
    });
  });

  describe.each(newestHost)("in $name", (host) => {
    test("ends its hooks at the time limit, on an interrupt, and with a lost connection (H21, H22, H35)", async () => {
      const hook = await SteeredHook.create();
      const slow = "[ -e ~/go ] || exit 0; sleep 300 & echo $! > ~/pids; echo $$ >> ~/pids; wait";
      const late = { type: "command", command: slow, timeout: 1 };
      const { rig, machine, chat } = await openSteered(host, hook, late);
      await writeFile(join(machine.home, "go"), "");
      await chat.send("Say hello");
      (await hook.runs()).answer(agree);
      expect(await chat.answer()).toBe("Two.");
      await machine.haveEnded("pids", 2);
      expect(rig.stderr).toContain("timed out after 1 s");
      await rm(join(machine.home, "go"));

      await chat.send("Thank you");
      const interrupted = await hook.runs();
      await chat.interrupt();
      await interrupted.gone;
      await expectSoon(() => isAlive(interrupted.pid)).toBe(false);
      expect(await chat.answer()).toBe("Three.");

      await chat.send("Good");
      const cut = await hook.runs();
      await machine.sshd.cutConnections();
      expect(await chat.answer()).toBe("Four.");
      await cut.gone;
      expect(rig.model.said).toHaveLength(4);
      expect(rig.stderr).toContain("connection was lost");
    });

    test("is verified by its own gauntlet without settings (H29)", async () => {
      const { rig, machine, chat } = await open(host, { files: GAUNTLET });
      const checkout = await machine.checkoutWith(CHECK);
      await writeFile(join(checkout, "src", "bad"), "bad\n");
      expect(await chat.ask("Say hello")).toBe("Two.");
      await rm(join(checkout, "src", "bad"));
      expect(await chat.answer()).toBe("Three.");
      expect(rig.model.said.at(-1)).toContain("no-bad-file");
    });

    test.runIf(host.runsRemotely)(
      "runs the user's hooks for `mux run`, and leaves no files behind",
      async () => {
        const machine = await FarMachine.start();
        const userSettings = stopHook(
          `[ "$MUX_STOP_HOOK_ACTIVE" = true ] || { echo "Go on in $HOME." >&2; exit 2; }`
        );
        const replies = [{ text: "One." }, { text: "Two." }];
        const rig = await HostRig.create(host, { replies, userSettings, env: machine.env });
        const ended = await rig.run("--runtime", `ssh ${machine.sshd.alias}`);
        expect(rig.model.said).toEqual(["Say hello", continuation(`Go on in ${machine.home}.`)]);
        expect(ended.code).toBe(0);
        expect(await readdir(join(machine.home, ".cache", "mux-stop-hooks"))).toEqual([]);
      }
    );
  });
});

/** Opens a workspace whose hook agreed to the first answer. */
async function openSteered(host: Host, hook: SteeredHook, ...more: object[]): Promise<Far> {
  const hooks = [{ type: "command", command: hook.command }, ...more];
  const opening = open(host, { settings: { hooks: { Stop: [{ hooks }] } } });
  const run = await Promise.race([hook.runs(), opening.then(() => undefined)]);
  run?.answer(agree);
  const far = await opening;
  expect(run?.input).toMatchObject({ hook_event_name: "Stop" });
  await rm(far.rig.path(".mux"), { recursive: true });
  return far;
}

const CHECK = ".gauntlet/checks/no-bad-file.yml";
const GAUNTLET = {
  ".gauntlet/config.yml":
    "base_branch: main\nentry_points:\n  - path: src\n    checks: [no-bad-file]\n",
  [CHECK]: "command: test ! -e bad || { echo a bad file is there; exit 3; }\n",
  "src/good": "good\n",
};
