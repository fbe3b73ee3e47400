import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { HostRig } from "@test/host/rig/HostRig";
import { newestHost } from "@test/host/rig/hosts";
import { continuation, stopHook } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

describe.each(newestHost)("a prompt hook in $name", (host) => {
  test("asks the model of the turn, and sends the agent back with its reason (H43)", async () => {
    const rig = await HostRig.create(host, {
      replies: [
        { text: "I am finished." },
        { text: '{"ok": false, "reason": "Create DONE.txt."}' },
        { text: "Now really finished." },
        { text: '{"ok": true}' },
      ],
      settings: stopHook({ type: "prompt", prompt: "Is DONE.txt there?" }),
    });
    const ended = await rig.run();
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("Now really finished.");
    const [first, question, again] = rig.model.requests;
    expect(first?.said).toBe("Say hello");
    expect(question?.said).toMatch(/Is DONE\.txt there\?\n\n\{.*"I am finished\."/);
    expect((JSON.parse(question!.body) as { model: string }).model).toBe(
      (JSON.parse(first!.body) as { model: string }).model
    );
    expect(again?.said).toBe(continuation("Create DONE.txt."));
    expect(rig.model.requests).toHaveLength(4);
  });
});
