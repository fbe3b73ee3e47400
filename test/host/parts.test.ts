import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { buildBed, MUX_VERSIONS } from "@test/host/rig/buildBed";
import { bed } from "@test/host/rig/hosts";
import { HostRig, NO_TRUST_VARIABLE, preload } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { askOnce, continuation, stopHook } from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const replies = [{ text: "One." }, { text: "Two." }];

describe.each(MUX_VERSIONS)("a host like Mux %s", (version) => {
  test.each([
    ["node/services/aiService.js", "AIService", "getWorkspaceMetadata"],
    ["node/services/agentSession.js", "AgentSession", "queueMessage"],
  ])(
    "turns Stop hooks off and prints one line if a method of %s is missing",
    async (file, ...lacks) => {
      const rig = await HostRig.create(bed(version), { replies, settings: askOnce });
      const [name, method] = lacks;
      await withoutMethod(join(rig.dist, file), name, method);
      const ended = await rig.run();
      expect(ended.code).toBe(0);
      expect(ended.stdout).toBe("One.\n");
      expect(rig.model.said).toEqual(["Say hello"]);
      expect(ended.stderr).toBe(
        `[mux-stop-hooks] Stop hooks are off: this version of Mux has no ${name}.${method} of ${file}\n`
      );
    }
  );

  test("keeps Stop hooks if a method for SubagentStop hooks is missing", async () => {
    const how = { replies, userSettings: askOnce, env: NO_TRUST_VARIABLE };
    const rig = await HostRig.create(bed(version), how);
    const file = join(rig.dist, "node/services/taskService.js");
    await withoutMethod(file, "TaskService", "finalizeAgentTaskReport");
    const server = await HostServer.start(rig);
    const chat = await server.openChat();
    expect(await chat.ask("Say hello")).toBe("One.");
    expect(await chat.answer()).toBe("Two.");
    expect(rig.model.said[1]).toBe(continuation("Create DONE.txt."));
    expect(rig.stderr).toBe(
      "[mux-stop-hooks] SubagentStop hooks are off: this version of Mux has no TaskService.finalizeAgentTaskReport of node/services/taskService.js\n"
    );
  });
});

test("skips prompt hooks with one notice if the host cannot create models (H43)", async () => {
  const settings = stopHook({ type: "prompt", prompt: "Done?" });
  const rig = await HostRig.create(bed("0.28"), { replies, settings });
  await withoutMethod(join(rig.dist, "node/services/aiService.js"), "AIService", "createModel");
  const ended = await rig.run();
  expect(rig.model.said).toEqual(["Say hello"]);
  expect(ended.stderr.match(/there is no model here/g)).toHaveLength(1);
});

test("attaches to the host's main thread, but to none of its workers", async () => {
  const folder = await tempDir();
  await buildBed(folder, "0.28");
  const service = JSON.stringify(join(folder, "dist/node/services/aiService.js"));
  const look = `const { AIService } = require(${service}); console.log(isMainThread, Object.hasOwn(AIService.prototype, "emit"));`;
  const code = `const { isMainThread, Worker } = require("node:worker_threads"); ${look}
    new Worker(${JSON.stringify(`const { isMainThread } = require("node:worker_threads"); ${look}`)}, { eval: true });`;
  const { stdout } = await execFileAsync(process.execPath, ["--require", preload, "-e", code]);
  expect(stdout).toBe("true true\nfalse false\n");
});

/** Removes a method, as in a host that has renamed it. */
async function withoutMethod(file: string, name: string, method: string): Promise<void> {
  await appendFile(
    file,
    `for (let at = exports.${name}.prototype; at; at = Object.getPrototypeOf(at)) delete at.${method};\n`
  );
}
