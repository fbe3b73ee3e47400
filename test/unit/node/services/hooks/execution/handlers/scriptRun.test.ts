import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";

const says = (text: string, more = "") => `#!/bin/sh\n${more}\necho ${text} >&2\nexit 2\n`;
const held = { action: "continue", message: "[Stop hook requested continuation]\nheld" };

async function begin(script: string) {
  const project = await HookProject.create();
  await project.configure({ stopHooks: { maxContinuations: 50 } });
  await project.write(".mux/stop", script, 0o755);
  const watched = new WatchedController(project);
  await watched.controller.beginTurn();
  return { project, watched };
}

describe("only compared bytes decide (H31)", () => {
  test("drops a result if the file was replaced meanwhile, and runs a copy (H31)", async () => {
    const exchange = 'mv .mux/other .mux/stop 2>/dev/null; echo "${MUX_HOOK_PATH:-itself}" >> ran';
    const { project, watched } = await begin(says("held", exchange));
    await project.write(".mux/other", says("other"), 0o755);
    expect(await watched.turnEnds()).toMatchObject(held);
    expect(watched.notices.join("\n")).toContain("so the result was discarded");
    expect(await project.read("ran")).toBe(`itself\n${project.path(".mux", "stop")}\n`);
  });

  test("never uses the verdict of a script that a program swaps in by rename (H31)", async () => {
    const { project, watched } = await begin(says("held"));
    await project.write("held", says("held"), 0o755);
    await project.write("other", says("other"), 0o755);
    const line =
      "echo on; while :; do cp -p other n; mv n .mux/stop; cp -p held n; mv n .mux/stop; done";
    const swapper = spawn("sh", ["-c", line], { cwd: project.dir });
    try {
      await once(swapper.stdout, "data");
      for (let stop = 0; stop < 25; stop++) {
        expect(await watched.turnEnds()).toMatchObject(held);
      }
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
    }
  });

  test("makes a copy that only its owner can access, and removes it at the end (H31)", async () => {
    const { project, watched } = await begin(says("held", 'ls -l "$0" > mode; echo "$0" > copy'));
    await project.write(".mux/stop", says("other"), 0o755);
    expect(await watched.turnEnds()).toMatchObject(held);
    expect(await project.read("mode")).toMatch(/^-rwx------/);
    const copy = (await project.read("copy")).trim();
    expect(copy).not.toBe(project.path(".mux", "stop"));
    expect(await project.runtime.stat([copy])).toEqual([{ kind: "missing" }]);
  });
});
