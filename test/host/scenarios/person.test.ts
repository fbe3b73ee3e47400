/** The user's files that a host keeps: the log of hooks and the record of hints (H46, H47). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { newestHost } from "@test/host/rig/hosts";
import { askOnce, block, stopHook } from "@test/host/rig/stopHooks";
import { eventually, expectSoon } from "@test/helpers/soon";

describe.each(newestHost)("the user's files in $name", (host) => {
  test("are the hint at hooks of Claude Code, once in a project without any hook of Mux, and the log of hooks (H46, H47)", async () => {
    const rig = await HostRig.create(host, {
      replies: ["One.", "Two.", "Three.", "Four."].map((text) => ({ text })),
      files: { ".claude/settings.json": JSON.stringify(stopHook(block("Never."))) },
    });
    const chat = await (await HostServer.start(rig)).openChat();
    expect(await chat.ask("Say hello")).toBe("One.");
    const file = rig.path(".claude/settings.json");
    const hint = `the Stop hooks of Claude Code in ${file} do not run here`;
    await expectSoon(() => rig.stderr).toContain(hint);
    const record = await readFile(join(rig.root, "hook-hints.json"), "utf8");
    expect(JSON.parse(record)).toEqual({ importClaudeHooks: [rig.project] });
    expect(await chat.ask("Again")).toBe("Two.");
    expect(rig.stderr.split("do not run here")).toHaveLength(2);

    await rig.write(rig.path(".mux", "settings.json"), JSON.stringify(askOnce));
    expect(await chat.ask("Thank you")).toBe("Three.");
    expect(await chat.answer()).toBe("Four.");
    const about = { workspace: rig.project, project: rig.project, session: chat.workspaceId };
    await eventually(async () => {
      const lines = (await readFile(join(rig.root, "hook-log.jsonl"), "utf8")).trimEnd();
      expect(lines.split("\n").map((line) => JSON.parse(line) as unknown)).toMatchObject([
        {
          ...about,
          hook: "project:Stop[0]",
          outcome: "block",
          exit: 2,
          reason: "Create DONE.txt.",
        },
        { ...about, hook: "project:Stop[0]", outcome: "pass", exit: 0 },
      ]);
    });
  });
});
