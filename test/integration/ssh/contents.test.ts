/** Other users of both machines can read the arguments of processes, so these contain no contents (H33). */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSshRuntime, StopHookController } from "@/index";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { pathOf } from "@scripts/programs.mjs";

const SECRET = "s3cret";

/** Writes a program that adds its arguments to a list, and continues as the real one. */
async function recorded(program: string): Promise<{ path: string; list: string }> {
  const folder = await tempDir();
  const list = join(folder, "arguments");
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> '${list}'\nexec ${program} "$@"\n`;
  await writeFile(join(folder, program.slice(program.lastIndexOf("/") + 1)), script, {
    mode: 0o755,
  });
  return { path: `${folder}:${process.env.PATH ?? ""}`, list };
}

test.runIf(hasSshd && process.platform === "linux")(
  "a stop with hooks, gates and a transcript shows no contents in the arguments of ssh and sh (H33)",
  async () => {
    const near = await recorded(pathOf("ssh")!);
    const far = await recorded("/bin/sh");
    const env = { PATH: far.path, GIT_CONFIG_GLOBAL: "/dev/null" };
    const sshd = await Sshd.start({ env });
    onTestFinished(() => sshd.dispose());
    const check = { ok: `command: test ! -e bad || { cat bad; exit 3; }\n` };
    const gated = await GauntletProject.create(
      "entry_points:\n  - path: src\n    checks: [ok]\n",
      check
    );
    await gated.write("src/bad", SECRET);
    await gated.write(
      ".mux/stop",
      `#!/bin/sh\n# ${SECRET}\ncat > input.json; cat "$MUX_TRANSCRIPT_PATH" > seen\nprintf '%09999d${SECRET}' 7 >&2; exit 2\n`
    );
    const dir = join(sshd.home, "project");
    await cp(gated.dir, dir, { recursive: true, preserveTimestamps: true });
    const project = GauntletProject.at(dir);
    await project.shell("chmod +x .mux/stop");

    const here = await HookProject.create();
    await putFile(
      here.transcript,
      `{"role":"user","parts":[{"type":"text","text":"${SECRET}"}]}\n`
    );
    const runtime = openSshRuntime(
      { host: sshd.alias },
      { config: sshd.config, env: { ...process.env, PATH: near.path } }
    );
    onTestFinished(() => runtime.dispose());
    const controller = new StopHookController({
      runtime,
      projectDir: dir,
      event: "Stop",
      load: here.load,
    });
    await controller.beginTurn();
    const { transcript } = here;
    const verdict = await controller.turnEnded({
      finish: "stop",
      hasQueuedInput: () => false,
      input: {
        ...here.input,
        cwd: dir,
        transcript_path: transcript,
        last_assistant_message: SECRET,
      },
    });
    await controller.dispose();
    expect(verdict.action === "continue" ? verdict.message : "").toContain(SECRET);
    expect(await project.read("seen")).toContain(SECRET);
    expect(await project.read("input.json")).toContain(SECRET);

    const [ssh, sh] = await Promise.all(
      [near.list, far.list].map((list) => readFile(list, "utf8"))
    );
    expect(ssh!.split("exec sh -c").length).toBeGreaterThan(20);
    expect(ssh).not.toContain(SECRET);
    expect(sh!.split("supervise()").length).toBeGreaterThan(10);
    expect(sh).not.toContain(SECRET);
  }
);
