import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { distinctHosts, hosts } from "@test/host/rig/hosts";
import { shareServer } from "@test/host/rig/shareServer";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, askOnce, continuation, stopHook } from "@test/host/rig/stopHooks";
import { compaction } from "@test/host/scenarios/chat/compaction";
import { delegation } from "@test/host/scenarios/chat/delegation";
import { plans } from "@test/host/scenarios/chat/plans";
import { subagents } from "@test/host/scenarios/chat/subagents";
import { turns } from "@test/host/scenarios/chat/turns";
import { worktrees } from "@test/host/scenarios/chat/worktrees";

beforeAll(ensureBuilt, 120_000);

const replies = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }));

describe.each(hosts)("mux server in $name", (host) => {
  const open = shareServer(host);

  test("sends the agent back once (H18)", async () => {
    const { rig, chat } = await open(replies, askOnce);
    expect(await chat.ask("Say hello")).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
    expect(await chat.ask("Thank you")).toBe("Three.");
    expect(await chat.answer()).toBe("Four.");
    const again = continuation("Create DONE.txt.");
    expect(rig.model.said).toEqual(["Say hello", again, "Thank you", again]);
    // Also of a bundle, each part was found.
    expect(rig.stderr).not.toContain("this bundle of Mux");
  });

  // The bundle has the code of another host.
  if (!distinctHosts.includes(host)) return;
  subagents(host, open);
  compaction(host, open);

  // What follows does not depend on the version of the host.
  if (host !== distinctHosts.at(-1)) return;
  turns(open);
  plans(open);
  worktrees(open);
  if (host.delegates) delegation(open);

  test("runs only the user's hooks in an untrusted project, and prints one line about it (H31)", async () => {
    const [user, hook] = await Promise.all([SteeredHook.create(), SteeredHook.create()]);
    const settings = stopHook(hook.command);
    const userSettings = stopHook(user.command);
    const rig = await HostRig.create(host, { replies, settings, userSettings, trusted: false });
    const chat = await (await HostServer.start(rig)).openChat();
    for (const text of ["One.", "Two."]) {
      await chat.send("Say hello");
      (await user.runs()).answer(agree);
      expect(await chat.answer()).toBe(text);
    }
    expect(hook.count).toBe(0);
    expect(rig.stderr.match(/^\[mux-stop-hooks\].*trust.*$/gm)).toHaveLength(1);
  });
});
