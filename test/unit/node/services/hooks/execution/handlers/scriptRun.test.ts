import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";

const says = (text: string, more = "") => `#!/bin/sh\n${more}\necho ${text} >&2\nexit 2\n`;
const held = { action: "continue", message: "[Stop hook requested continuation]\nheld" };

async function begin(script: string) {
  const project = await HookProject.create();
  await project.configure({ stopHooks: { maxContinuations: 50 } });
  await project.write(".mux/stop", script, 0o755);
  return { project, watched: await WatchedController.begin(project) };
}

test("runs a copy, although the file is replaced during the run (H31)", async () => {
  const exchange = 'mv .mux/other .mux/stop 2>/dev/null; echo "$MUX_HOOK_PATH" >> ran';
  const { project, watched } = await begin(says("held", exchange));
  await project.write(".mux/other", says("other", "touch other-ran"), 0o755);
  expect(await watched.turnEnds()).toMatchObject(held);
  expect(await watched.turnEnds()).toMatchObject(held);
  const path = project.path(".mux", "stop");
  expect(await project.read("ran")).toBe(`${path}\n${path}\n`);
  expect(await project.runtime.stat([project.path("other-ran")])).toEqual([{ kind: "missing" }]);
});

test("never runs a script that a program swaps in by rename (H31)", async () => {
  const { project, watched } = await begin(says("held"));
  await project.write("held", says("held"), 0o755);
  await project.write("other", says("other", "touch other-ran"), 0o755);
  const line =
    "echo on; while :; do cp -p other n; mv n .mux/stop; cp -p held n; mv n .mux/stop; done";
  const swapper = spawn("sh", ["-c", line], { cwd: project.dir });
  try {
    await once(swapper.stdout, "data");
    for (let stop = 0; stop < 4; stop++) {
      expect(await watched.turnEnds()).toMatchObject(held);
    }
  } finally {
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
  }
  expect(await project.runtime.stat([project.path("other-ran")])).toEqual([{ kind: "missing" }]);
});

test("names the script and not its copy in errors, so that a failed launch blocks once (H19a)", async () => {
  const { project, watched } = await begin("#!/bin/sh\nno-such-program\nexit 2\n");
  const path = project.path(".mux", "stop");
  expect(await watched.turnEnds()).toMatchObject({
    action: "continue",
    message: expect.stringContaining(`${path}: `) as string,
  });
  expect(await watched.turnEnds()).toMatchObject({ action: "end" });
  await project.write(".mux/stop", "#!/no/such/shell\n", 0o755);
  const { warnings } = await project.stop();
  expect(warnings?.join("\n")).toContain(`the interpreter of “${path}” does not exist`);
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
