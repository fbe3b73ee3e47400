/** Plans of hooks, which a caller can show before anything is written. */
import { describe, expect, test } from "vitest";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { planHook, planRemoval } from "@/cli/gauntlet/init/hooks/planHook";
import { InitProject } from "@test/helpers/gauntlet/initProject";

function hostNamed(name: string): HookHost {
  return HOOK_HOSTS.find((host) => host.name === name)!;
}

test("a plan has the path and the new text of each file, and writes nothing (G29)", async () => {
  const project = await InitProject.create();
  const before = project.files();
  const { edits, installedAt } = await planHook(hostNamed("claude"), project.place());
  expect(installedAt).toBeUndefined();
  let text = "// mine\n{}\n";
  for (const { path, edit } of edits._unsafeUnwrap()) {
    expect(path).toBe(project.at(".claude/settings.local.json"));
    text = edit(path, text)._unsafeUnwrap();
  }
  expect(text).toMatch(/^\/\/ mine\n\{\n {2}"hooks": \{\n {4}"Stop": \[[^]*"UserPromptSubmit": \[/);
  expect(project.files()).toEqual(before);
});

describe("a plan for Copilot CLI", () => {
  test("is empty if Claude Code gets a hook by the same call (G29)", async () => {
    const project = await InitProject.create();
    const options = { hosts: ["claude", "copilot"] };
    const plan = await planHook(hostNamed("copilot"), project.place(), options);
    expect(plan.edits._unsafeUnwrap()).toEqual([]);
    expect(plan.installedAt).toBe(project.at(".claude/settings.local.json"));
    expect(plan.advice).toContain("so it needs none of its own");
  });

  test("has a hook if only Codex gets one by the same call (G29)", async () => {
    const project = await InitProject.create();
    const options = { hosts: ["codex", "copilot"] };
    const plan = await planHook(hostNamed("copilot"), project.place(), options);
    expect(plan.edits._unsafeUnwrap()).toHaveLength(2);
  });
});

test("a removal in an empty project is empty, for every host", async () => {
  const place = (await InitProject.create()).place();
  for (const host of HOOK_HOSTS) {
    const nothing = { removals: [], others: [], problems: [] };
    expect(await planRemoval(host, place), host.name).toEqual(nothing);
  }
});
