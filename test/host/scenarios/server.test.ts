import { describe, expect, test } from "vitest";
import { distinctHosts, hosts } from "@test/host/rig/hosts";
import { shareServer } from "@test/host/rig/shareServer";
import { askOnce, continuation } from "@test/host/rig/stopHooks";
import { compaction } from "@test/host/scenarios/chat/compaction";
import { delegation, subagents } from "@test/host/scenarios/chat/subagents";
import { turns } from "@test/host/scenarios/chat/turns";

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
  if (host.delegates) delegation(open);
});
