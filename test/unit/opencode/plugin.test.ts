/** The module that opencode loads. */
import { expect, test, vi } from "vitest";
import * as plugin from "@/opencode/plugin";
import { FakeOpencode } from "@test/unit/opencode/fakeOpencode";

test("has one export, because opencode calls all of them as plugins", () => {
  expect(Object.keys(plugin)).toEqual(["default"]);
});

test("returns no handlers in an opencode that a hook started", async () => {
  const { client, project: directory } = await FakeOpencode.start();
  expect(Object.keys(await plugin.default({ client, directory }))).toContain("event");
  vi.stubEnv("MUX_HOOK_EVENT", "Stop");
  expect(await plugin.default({ client, directory })).toEqual({});
});
