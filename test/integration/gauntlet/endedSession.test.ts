/** `clean` while the agent of a failed gate runs, and after its process has ended (G18a). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { expect, onTestFinished, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { agentGauntletBin } from "@test/helpers/built";
import { tempDir } from "@test/helpers/tempDir";

/** An agent that starts its hooks by a shell, says what the stop was answered, and waits for the end of its input. */
const AGENT = `
const { spawnSync } = require("node:child_process");
const hook = (name) => spawnSync("sh", ["-c", \`"$NODE" "$BIN" \${name}; exit $?\`], {
  input: JSON.stringify({ session_id: "s", prompt: "Do it.", stop_hook_active: false }),
  encoding: "utf8",
}).stdout;
hook("turn-start");
require("node:fs").writeFileSync("src/bad", "x");
console.log(JSON.parse(hook("stop-hook")).status);
process.stdin.resume();
`;

test("clean keeps a gate of a running session, and drops it once the agent has ended (G18a)", async () => {
  const config = "entry_points:\n  - path: src\n    checks: [ok]\n";
  const project = await GauntletProject.create(config, { ok: "command: test ! -e bad\n" });
  const home = await tempDir();
  await trustNow(project.dir, home);
  const env = { ...PROJECT_ENV, HOME: home, NODE: process.execPath, BIN: agentGauntletBin };
  const agent = spawn(process.execPath, ["-e", AGENT], { cwd: project.dir, env });
  onTestFinished(() => void agent.kill("SIGKILL"));
  const [answer] = (await once(createInterface(agent.stdout), "line")) as [string];
  expect(answer).toBe("failed");

  const during = await agentGauntlet(project, ["clean"]);
  expect(during.stdout).toContain("Kept unresolved: check:src:ok");
  agent.stdin.end();
  await once(agent, "exit");
  const after = await agentGauntlet(project, ["clean"]);
  expect(after.stdout).toContain("Dropped: check:src:ok");
});
