/** Plans of hooks, which a caller can show before anything is written. */
import { describe, expect, test } from "vitest";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { planHook, planRemoval } from "@/cli/gauntlet/init/hooks/planHook";
import { InitProject } from "@test/helpers/gauntlet/initProject";

function hostNamed(name: string): HookHost {
  return HOOK_HOSTS.find((host) => host.name === name)!;
}

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
