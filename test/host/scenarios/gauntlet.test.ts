import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { distinctHosts } from "@test/host/rig/hosts";
import { eventually, latch } from "@test/helpers/soon";

const FILES = {
  ".gauntlet/config.yml":
    "base_branch: main\nentry_points:\n  - path: src\n    checks: [no-bad-file]\n",
  ".gauntlet/checks/no-bad-file.yml": `command: |
  test ! -e "$TMPDIR/slow" || { echo > "$TMPDIR/ran"; sleep 600; }
  test ! -e bad || { echo a bad file is there; exit 3; }
`,
  "src/good": "good\n",
};

describe.each(distinctHosts.slice(-1))("a project with a gauntlet in $name", (host) => {
  test("is verified at every stop without settings, also after a message that ended its gates (G20a, H24, H28, H29)", async () => {
    // The agent works until the file is removed.
    const [first, last] = [latch(), latch()];
    const replies = [
      ...[{ text: "Hello." }, { text: "One." }, { text: "Two now.", until: first.opened }],
      ...[{ text: "Three." }, { text: "Four." }, { text: "Five now.", until: last.opened }],
    ];
    const rig = await HostRig.create(host, { replies, files: FILES });
    const [ran, slow] = ["ran", "slow"].map((name) => join(String(rig.env.TMPDIR), name));
    const bad = rig.path("src", "bad");
    const chat = await (await HostServer.start(rig)).openChat();
    expect(await chat.ask("Hello")).toBe("Hello.");
    await writeFile(bad, "bad\n");
    expect(await chat.ask("Say hello")).toBe("One.");
    await rm(bad);
    first.open();
    expect(await chat.answer()).toBe("Two now.");
    const again = rig.model.said[2] ?? "";
    expect(again).toMatch(/^\[Stop hook requested continuation\]\n/);
    expect(again).toContain("no-bad-file");
    const shown = chat.events.filter(({ type }) => type === "bash-output");
    expect(shown.map(({ text }) => text).join("")).toMatch(/^\[FAIL\]\s+check:src:no-bad-file/);

    await writeFile(slow!, "");
    await writeFile(bad, "worse\n");
    await chat.send("Say more");
    await eventually(() => access(ran!));
    await rm(slow!);
    await chat.send("What is two plus two?");
    expect(await chat.answer()).toBe("Three.");
    expect(await chat.answer()).toBe("Four.");
    await rm(bad);
    last.open();
    expect(await chat.answer()).toBe("Five now.");
    const [question, reason = ""] = rig.model.said.slice(4);
    expect(question).toBe("What is two plus two?");
    expect(reason).toContain("no-bad-file");
  });
});
