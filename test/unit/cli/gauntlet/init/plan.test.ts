/** Plans of hooks, which a caller can show before anything is written. */
import { describe, expect, test } from "vitest";
import type { FirstCheck } from "@/cli/gauntlet/init/configText";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { InitPlan } from "@/cli/gauntlet/init/InitPlan";
import { planHook, planRemoval } from "@/cli/gauntlet/init/hooks/planHook";
import { InitProject } from "@test/helpers/gauntlet/initProject";

function hostNamed(name: string): HookHost {
  return HOOK_HOSTS.find((host) => host.name === name)!;
}

const UNIT: FirstCheck = {
  ...{ name: "unit", kind: "test", command: "npm test", reason: "it exists" },
  ...{ folder: "packages/a", entryPoints: ["packages/*"] },
};

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

test("an edit that the form of a configuration does not allow prints all lines to add (G29)", async () => {
  const source = "entry_points: [{ path: ., checks: [a] }]\n";
  const project = await InitProject.create({ ".gauntlet/config.yml": source });
  const { edit } = (await InitPlan.create(project.place())).configEdit([UNIT], new Date(0))!;
  const lines = "entry_points:\n  - path: packages/*\n    checks:\n      - unit";
  const { message } = edit("f", source)._unsafeUnwrapErr();
  expect(message).toBe(`init cannot add to its form; add this by hand:\n${lines}`);
});
