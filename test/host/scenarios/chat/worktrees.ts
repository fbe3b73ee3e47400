/** Workspaces that are worktrees of the project. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";
import type { OpenChat } from "@test/host/rig/shareServer";
import { agree, block, continuation } from "@test/host/rig/stopHooks";

export function worktrees(open: OpenChat): void {
  test("runs hooks in the new folder of a renamed worktree, and ends them if it is removed (H13, H22)", async () => {
    const replies = ["One.", "Two.", "Three.", "Four.", "Five."].map((text) => ({ text }));
    const { rig, server, chat: next, hook } = await open(replies);
    await rig.commit();
    const chat = await server.openChat({ type: "worktree", srcBaseDir: join(rig.root, "src") });
    await chat.send("Say hello");
    const first = await hook.runs();
    expect(first.input.cwd).toBe(join(rig.root, "src", "project", "topic"));
    first.answer(agree);
    await chat.answer();

    const { workspaceId } = chat;
    const renamed = await server.call("workspace/rename", { workspaceId, newName: "other" });
    expect(renamed).toMatchObject({ success: true });
    await chat.send("Thank you");
    const second = await hook.runs();
    expect(second.input.cwd).toBe(join(rig.root, "src", "project", "other"));
    second.answer(block("More."));
    const third = await hook.runs();
    expect(third.input).toMatchObject({ cwd: second.input.cwd, stop_hook_active: true });
    third.answer(agree);
    expect([await chat.answer(), await chat.answer()]).toEqual(["Two.", "Three."]);

    await chat.send("Good");
    const run = await hook.runs();
    const options = { force: true };
    const removed = await server.call("workspace/remove", { workspaceId, options });
    expect(removed).toMatchObject({ success: true });
    await run.gone;
    await expectSoon(() => isAlive(run.pid)).toBe(false);
    await expect(stat(run.input.cwd)).rejects.toThrow("ENOENT");

    await next.send("Say more");
    (await hook.runs()).answer(agree);
    expect(await next.answer()).toBe("Five.");
    const again = continuation("More.");
    expect(rig.model.said).toEqual(["Say hello", "Thank you", again, "Good", "Say more"]);
    expect(server.process.exitCode).toBeNull();
  });
}
