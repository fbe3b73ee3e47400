import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Editor } from "@test/host/rig/Editor";
import { HostRig } from "@test/host/rig/HostRig";
import { wholeHosts } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import { agree, block, continuation, stopHook } from "@test/host/rig/stopHooks";

const replies = ["One.", "Two.", "Three.", "Four."].map((text) => ({ text }));

test.each(wholeHosts.filter(({ servesEditors }) => servesEditors))(
  "mux acp in $name answers a prompt only after the hooks agree, and at the end of its turn without hooks (H28)",
  async (host) => {
    const hook = await SteeredHook.create();
    const rig = await HostRig.create(host, { replies, settings: stopHook(hook.command) });
    const editor = await Editor.start(rig);
    let isAnswered = false;
    const prompted = editor.prompt("Say hello").finally(() => (isAnswered = true));
    (await hook.runs()).answer(block("More."));
    (await hook.runs()).answer(block("Still more."));
    const last = await hook.runs();
    expect(isAnswered).toBe(false);
    last.answer(agree);
    expect(await prompted).toBe("end_turn");
    expect(editor.text).toBe("One.Two.Three.");
    expect(rig.model.said).toEqual([
      "Say hello",
      continuation("More."),
      continuation("Still more."),
    ]);

    const next = editor.prompt("Thank you");
    const { input, answer } = await hook.runs();
    answer(agree);
    expect(await next).toBe("end_turn");
    // A real host may give the session a worktree of its own.
    await rm(join(input.cwd, ".mux"), { recursive: true });
    expect(await editor.prompt("Good")).toBe("end_turn");
    expect(hook.count).toBe(4);
    // An editor would execute the text of a card.
    expect(editor.called).not.toContain("terminal/create");
  }
);
