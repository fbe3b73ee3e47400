/** The gauntlet as the default hook of the library (H29), whose code a program without it does not load. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import * as api from "@/index";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { SessionRig } from "@test/helpers/hooks/session";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";

const loaded = vi.hoisted(() => new Set<string>());
vi.mock("@/node/services/gauntlet/hook/ConfigToTrust", (original) => {
  loaded.add("configuration");
  return original();
});
vi.mock("@/node/services/gauntlet/hook/stopHook", (original) => {
  loaded.add("hook");
  return original();
});
beforeEach(() => {
  loaded.clear();
});

/** A project whose check fails until the file `done` exists. */
async function gatedProject(): Promise<HookProject> {
  const project = await HookProject.create();
  const { dir } = project;
  await project.write(".gauntlet/config.yml", "base_branch: main\nchecks:\n  done: test -e done\n");
  await GauntletProject.at(dir).shell(
    "git init -qb main && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a"
  );
  await project.write("work", "x");
  return project;
}

async function stop({ runtime, dir, input, load }: HookProject, options?: api.RunStopHooksOptions) {
  return await api.runStopHooks(runtime, dir, input, { load, ...options });
}

test("a program whose project has no gauntlet a gauntlet loads none of its code (H29)", async () => {
  const project = await HookProject.create();
  expect(await stop(project)).toMatchObject({ shouldStop: true, runs: [] });
  expect([...loaded]).toEqual([]);
});

describe("in a project with a gauntlet", () => {
  test("runStopHooks runs it, and warns of a program that set no trust (H29, H31)", async () => {
    const project = await gatedProject();
    const { load, runtime, dir } = project;
    const settings = await api.loadHookSettings(runtime, dir, load);
    expect(settings.hooks.map(({ name }) => name)).toEqual(["builtin:Stop[0]"]);
    expect([...loaded]).toEqual(["configuration"]);
    const result = await stop(project);
    expect(result.continueReason).toContain("- check:.:done: Exited with code 1");
    expect([...loaded]).toEqual(["configuration", "hook"]);
    expect(result.warnings).toEqual([
      expect.stringMatching(/^1 hook of the checkout ran without a check of trust/),
    ]);
    expect((await stop(project, { trust: "everything" })).warnings).toBeUndefined();
    const decide = () => Promise.resolve({ trusted: false as const, message: "no" });
    const allowed = { shouldStop: true, runs: [] };
    expect(await stop(project, { trust: { decide } })).toMatchObject(allowed);
    // A registry of the program replaces it.
    expect(await stop(project, { builtins: new api.BuiltinHooks() })).toMatchObject(allowed);
  });

  test("a controller and a session run it (H29)", async () => {
    const project = await gatedProject();
    const { runtime, dir: projectDir, input, load } = project;
    const controller = new api.StopHookController({ runtime, projectDir, event: "Stop", load });
    const ended = { finish: "stop", hasQueuedInput: () => false, input } as const;
    expect(await controller.turnEnded(ended)).toMatchObject({ action: "continue" });
    await controller.dispose();

    const turns = ["All done.", [{ bash: "touch done" }, { say: "Now it is." }]];
    const rig = await SessionRig.open({ project, turns });
    expect(await rig.turn("Fix it.")).toMatchObject({ finish: "stop", text: "Now it is." });
    expect(rig.sent[1]).toContain("the same 1 gate failed: check:.:done");
  });
});
