/** Workspaces over SSH, in hosts with their own connection (H33 to H35). */
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSshd } from "@test/helpers/remote/sshd";
import { isAlive, readPids } from "@test/helpers/process/processes";
import { FarMachine } from "@test/host/rig/FarMachine";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { distinctHosts } from "@test/host/rig/hosts";
import { share } from "@test/host/rig/shareServer";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";
import { expectSoon, latch } from "@test/helpers/soon";
import { putFile } from "@test/helpers/tempDir";

const hosts = distinctHosts.slice(-1);

describe.runIf(hasSshd).each(hosts)("a workspace over SSH in $name", (host) => {
  const machineOf = share(FarMachine.start.bind(FarMachine));

  test.runIf(host.runsRemotely && !host.isBundle)(
    "runs the user's hooks for `mux run`, and leaves no files behind",
    async () => {
      const machine = machineOf();
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

  test("runs the hooks of its project, and then its gauntlet, and ends hooks at the time limit, on an interrupt, and with a lost connection (H21, H22, H29, H33, H35)", async () => {
    const machine = machineOf();
    const hook = await SteeredHook.create();
    const slow = "[ -e ~/go ] || exit 0; sleep 300 & echo $! > ~/pids; echo $$ >> ~/pids; wait";
    const settings = stopHook(hook.command, { command: slow, timeout: 5 });
    const { opened: until, open: finish } = latch();
    const texts = ["One.", "Two.", "Three.", "Four.", "Five.", "Six.", "Seven."];
    const replies = [...texts.map((text) => ({ text })), { text: "Eight now.", until }];
    const rig = await HostRig.create(host, {
      replies,
      env: machine.env,
      files: { ...SOURCES, ".mux/settings.json": JSON.stringify(settings) },
    });
    const chat = await (await HostServer.start(rig)).openChat(machine.runtimeConfig);
    // A new workspace may be incomplete before its first answer.
    await chat.send("Are you there?");
    (await hook.runs()).answer(agree);
    expect(await chat.answer()).toBe("One.");
    // The hooks are those of the checkout on the other machine.
    await rm(rig.path(".mux"), { recursive: true });

    await writeFile(join(machine.home, "go"), "");
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
    const pids = await readPids(join(machine.home, "pids"));
    expect(pids).toHaveLength(2);
    await expectSoon(() => pids.filter(isAlive)).toEqual([]);
    await expectSoon(() => rig.stderr).toContain("timed out after 5 s");
    await rm(join(machine.home, "go"));

    await chat.send("Thank you");
    const interrupted = await hook.runs();
    await chat.interrupt();
    await interrupted.gone;
    await expectSoon(() => isAlive(interrupted.pid)).toBe(false);
    expect(await chat.answer()).toBe("Four.");

    await chat.send("Good");
    const cut = await hook.runs();
    await machine.sshd.cutConnections();
    expect(await chat.answer()).toBe("Five.");
    await cut.gone;
    expect(rig.model.said).toHaveLength(5);
    await expectSoon(() => rig.stderr).toContain("connection was lost");

    // Without settings, the checkout is verified by its own gauntlet.
    const checkout = await machine.checkoutWith("src/good");
    await rm(join(checkout, ".mux"), { recursive: true });
    await putFile(join(checkout, ".gauntlet/config.yml"), CONFIG);
    await chat.send("Begin");
    expect(await chat.answer()).toBe("Six.");
    await writeFile(join(checkout, "src", "bad"), "bad\n");
    expect(await chat.ask("Say more")).toBe("Seven.");
    await rm(join(checkout, "src", "bad"));
    finish();
    expect(await chat.answer()).toBe("Eight now.");
    expect(rig.model.said.at(-1)).toContain("no-bad-file");
  });
});

const SOURCES = { "src/good": "good\n" };
const CONFIG = `base_branch: main
entry_points:
  - path: src
    checks:
      - no-bad-file: { command: "test ! -e bad || { echo a bad file is there; exit 3; }" }
`;
