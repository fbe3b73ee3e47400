/** An agent that edits its own gates (H7). */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { group, HookProject, says } from "@test/helpers/hookProject";
import { WatchedController } from "@test/helpers/stopController";

const block = (reason: string) => says({ decision: "block", reason });
const stopHooks = (...hooks: string[]) => ({ hooks: { Stop: [group(hooks)] } });
const sent = (reason: string) => ({
  action: "continue",
  message: `[Stop hook requested continuation]\n${reason}`,
});

/** A session whose turn has begun with these settings. */
async function begin(settings: unknown) {
  const project = await (await HookProject.create()).configure(settings);
  const watched = new WatchedController(project);
  await watched.controller.beginTurn();
  return { project, watched };
}

describe("settings that change within the agent's own turn", () => {
  test("case 126: a new hook of the project waits for the user's next message", async () => {
    const { project, watched } = await begin(stopHooks(block("old")));
    await project.configure(stopHooks(block("old"), block("new"), "echo ran > ran"));
    expect(await watched.turnEnds()).toMatchObject(sent("old"));
    await expect(project.read("ran")).rejects.toThrow("ENOENT");
    expect(watched.notices).toEqual([
      expect.stringMatching(/^project:Stop\[1\] does not run: it is new or was changed/),
      expect.stringMatching(/^project:Stop\[2\] does not run: it is new or was changed/),
    ]);

    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject(sent("old\n\nnew"));
    expect(await project.read("ran")).toBe("ran\n");
  });

  test("case 126: a changed hook does not run, and the old one is named to the user", async () => {
    const { project, watched } = await begin(stopHooks(block("strict")));
    await project.configure(stopHooks("true"));
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices.join("\n")).toMatch(/project:Stop\[0\].*strict.*gone or changed/);
    expect(watched.notices.join("\n")).toMatch(/project:Stop\[0\] does not run/);
  });

  test("case 126: hooks that are turned off all at once are named", async () => {
    const { project, watched } = await begin(stopHooks(block("strict")));
    await project.configure({ ...stopHooks(block("strict")), disableAllHooks: true });
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices).toEqual([expect.stringMatching(/strict.*gone or changed/)]);
  });

  test("case 126: the user's own hooks as well, where the checkout turns them off", async () => {
    const { project, watched } = await begin({});
    await mkdir(join(project.home, ".mux"));
    const mine = JSON.stringify(stopHooks(block("mine")));
    await writeFile(join(project.home, ".mux", "settings.json"), mine);
    await watched.controller.beginTurn();
    await project.configure({ disableAllHooks: true });
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices).toEqual([expect.stringMatching(/user:Stop\[0\].*gone or changed/)]);
  });

  test("case 126: a script hook that the agent writes or rewrites waits as well", async () => {
    const { project, watched } = await begin({});
    await project.write(".mux/stop", "#!/bin/sh\necho written >&2\nexit 2\n", 0o755);
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject(sent("written"));
    await project.write(".mux/stop", "#!/bin/sh\nexit 0\n", 0o755);
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices.join("\n")).toMatch(/stop.*gone or changed/);
  });

  test("case 126: a script hook that is removed is named", async () => {
    const { project, watched } = await begin({});
    await project.write(".mux/stop", "#!/bin/sh\nexit 2\n", 0o755);
    await watched.controller.beginTurn();
    await rm(project.path(".mux/stop"));
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices).toEqual([expect.stringMatching(/stop.*gone or changed/)]);
  });
});
