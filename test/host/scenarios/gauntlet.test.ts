import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { distinctHosts, newestHost } from "@test/host/rig/hosts";
import { eventually } from "@test/helpers/soon";

beforeAll(ensureBuilt, 120_000);

const FILES = {
  ".gauntlet/config.yml":
    "base_branch: main\nentry_points:\n  - path: src\n    checks: [no-bad-file]\n",
  ".gauntlet/checks/no-bad-file.yml":
    "command: test ! -e bad || { echo a bad file is there; exit 3; }\n",
  "src/good": "good\n",
};

describe.each(distinctHosts)("a project with a gauntlet in $name", (host) => {
  test("is verified at every stop without settings, and shows each gate in the chat (H24, H29)", async () => {
    const rig = await HostRig.create(host, {
      replies: [{ text: "Hello." }, { text: "One." }, { text: "Two." }],
      files: FILES,
    });
    const chat = await (await HostServer.start(rig)).openChat();
    expect(await chat.ask("Hello")).toBe("Hello.");
    await writeFile(rig.path("src", "bad"), "bad\n");
    expect(await chat.ask("Say hello")).toBe("One.");
    await rm(rig.path("src", "bad"));
    expect(await chat.answer()).toBe("Two.");
    const [, , again = ""] = rig.model.said;
    expect(again).toMatch(/^\[Stop hook requested continuation\]\n/);
    expect(again).toContain("no-bad-file");
    const shown = chat.events.filter(({ type }) => type === "bash-output");
    expect(shown.map(({ text }) => text).join("")).toMatch(/^\[FAIL\]\s+check:src:no-bad-file/);
  });
});

describe.each(newestHost)("a project with a gauntlet in $name", (host) => {
  test("is verified at the next stop if the user's message ended the gates of this one (G20a, H28)", async () => {
    const rig = await HostRig.create(host, {
      replies: ["Zero.", "One.", "Two.", "Three."].map((text) => ({ text })),
      files: {
        ...FILES,
        ".gauntlet/checks/no-bad-file.yml": `command: |
  echo > "$TMPDIR/ran"
  test -e "$TMPDIR/fast" || sleep 600
  test ! -e bad || { echo a bad file is there; exit 3; }
`,
      },
    });
    const tmp = String(rig.env.TMPDIR);
    const chat = await (await HostServer.start(rig)).openChat();
    expect(await chat.ask("Begin")).toBe("Zero.");
    await rm(join(tmp, "ran"), { force: true });
    await writeFile(rig.path("src", "bad"), "bad\n");
    await chat.send("Say hello");
    await eventually(() => access(join(tmp, "ran")));
    await writeFile(join(tmp, "fast"), "");
    await chat.send("What is two plus two?");
    expect(await chat.answer()).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
    await rm(rig.path("src", "bad"));
    expect(await chat.answer()).toBe("Three.");
    const [, , question, again = ""] = rig.model.said;
    expect(question).toBe("What is two plus two?");
    expect(again).toContain("no-bad-file");
  });
});
