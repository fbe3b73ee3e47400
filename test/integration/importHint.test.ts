/** The hint about hooks of Claude Code at the first stop of a session (H46). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPersonFiles } from "@/wiring";
import { createProject, group, type HookProject } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { putFile } from "@test/helpers/tempDir";

const CLAUDE = JSON.stringify({ hooks: { Stop: [group(["true"])] } });

/** Returns the notices of a new session with two stops. */
async function notices(project: HookProject): Promise<string[]> {
  const person = await findPersonFiles(
    project.runtime,
    { env: {}, home: project.home },
    project.dir
  );
  const watched = new WatchedController(project, { person });
  for (let stop = 0; stop < 2; stop++) {
    await watched.controller.beginTurn();
    await watched.turnEnds();
  }
  await watched.controller.dispose();
  return watched.notices;
}

test("is shown once for a project, over all its sessions", async () => {
  const project = await createProject();
  const file = await project.write(".claude/settings.json", CLAUDE);
  const [hint, ...others] = await notices(project);
  expect(hint).toContain(`the Stop hooks of Claude Code in ${file} do not run here`);
  expect(hint).toContain('run "mux-stop-hooks hooks import"');
  expect(others).toEqual([]);
  expect(await notices(project)).toEqual([]);
  const record = await readFile(join(project.home, ".mux/hook-hints.json"), "utf8");
  expect(JSON.parse(record)).toEqual({ importClaudeHooks: [project.dir] });
});

test("is shown once for the user's own file, whatever the project", async () => {
  const project = await createProject();
  const file = await project.write("../home/.claude/settings.json", CLAUDE);
  expect(await notices(project)).toHaveLength(1);
  const record = await readFile(join(project.home, ".mux/hook-hints.json"), "utf8");
  expect(JSON.parse(record)).toEqual({ importClaudeHooks: [file] });
  expect(await notices(project)).toEqual([]);
});

test("is not shown for the hook of the gauntlet, which runs without an import", async () => {
  const project = await createProject();
  const own = "node /opt/mux-stop-hooks/bin/agent-gauntlet.cjs stop-hook --host claude";
  const settings = (commands: string[]) => JSON.stringify({ hooks: { Stop: [group(commands)] } });
  await project.write(".claude/settings.json", settings([own]));
  expect(await notices(project)).toEqual([]);
  await project.write(".claude/settings.json", settings([own, "true"]));
  expect(await notices(project)).toHaveLength(1);
});

test.each([true, false])("ends with importClaudeHooks: %s", async (value) => {
  const project = await createProject();
  await project.write(".claude/settings.local.json", CLAUDE);
  await project.write(".mux/settings.local.json", JSON.stringify({ importClaudeHooks: value }));
  expect(await notices(project)).toEqual([]);
});

test.each([
  ["hooks of other events only", { hooks: { PreToolUse: [group(["true"])] } }],
  ["hooks that are off in Claude Code", { ...JSON.parse(CLAUDE), disableAllHooks: true }],
  ["no valid hook", { hooks: { Stop: [{ hooks: [{ type: "agent", prompt: "x" }] }] } }],
])("is not shown for %s", async (_, settings) => {
  const project = await createProject();
  await project.write(".claude/settings.json", JSON.stringify(settings));
  expect(await notices(project)).toEqual([]);
});

test("is shown again if it cannot be recorded, creates no user root, and replaces a broken record", async () => {
  const project = await createProject(false);
  await project.write(".claude/settings.json", CLAUDE);
  expect(await notices(project)).toHaveLength(1);
  expect(await notices(project)).toHaveLength(1);
  await putFile(join(project.home, ".mux/hook-hints.json"), "[1,");
  expect(await notices(project)).toHaveLength(1);
  expect(await notices(project)).toEqual([]);
});
