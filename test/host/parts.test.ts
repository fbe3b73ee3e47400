import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { buildBed } from "@test/host/rig/buildBed";
import { bed } from "@test/host/rig/hosts";
import { HostRig, NO_TRUST_VARIABLE, preload } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { askOnce, continuation, stopHook } from "@test/host/rig/stopHooks";

const host = bed("0.28");
const replies = [{ text: "One." }, { text: "Two." }];

test("turns Stop hooks off and prints one line for each file of the host that lacks a method", async () => {
  const rig = await HostRig.create(host, { replies, settings: askOnce });
  const lines = [];
  for (const [file, name, method] of [
    ["node/services/aiService.js", "AIService", "getWorkspaceMetadata"],
    ["node/services/agentSession.js", "AgentSession", "queueMessage"],
  ] as const) {
    await withoutMethod(join(rig.dist, file), name, method);
    lines.push(`Stop hooks are off: this version of Mux has no ${name}.${method} of ${file}`);
  }
  const ended = await rig.run();
  expect(ended).toMatchObject({ code: 0, stdout: "One.\n" });
  expect(rig.model.said).toEqual(["Say hello"]);
  const printed = ended.stderr.trimEnd().split("\n");
  expect(printed.toSorted()).toEqual(lines.map((line) => `[mux-stop-hooks] ${line}`).toSorted());
});

test("keeps Stop hooks if a method for SubagentStop hooks is missing", async () => {
  const how = { replies, userSettings: askOnce, env: NO_TRUST_VARIABLE };
  const rig = await HostRig.create(host, how);
  const file = join(rig.dist, "node/services/taskService.js");
  await withoutMethod(file, "TaskService", "finalizeAgentTaskReport");
  const chat = await (await HostServer.start(rig)).openChat();
  expect(await chat.ask("Say hello")).toBe("One.");
  expect(await chat.answer()).toBe("Two.");
  expect(rig.model.said[1]).toBe(continuation("Create DONE.txt."));
  expect(rig.stderr).toBe(
    "[mux-stop-hooks] SubagentStop hooks are off: this version of Mux has no TaskService.finalizeAgentTaskReport of node/services/taskService.js\n"
  );
});

test("skips prompt hooks with one notice if the host cannot create models (H43)", async () => {
  const settings = stopHook({ type: "prompt", prompt: "Done?" });
  const rig = await HostRig.create(host, { replies, settings });
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
