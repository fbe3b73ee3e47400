/** The hook engine over a real SSH connection (H33 to H35). */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openSshRuntime } from "@/node/runtime/ssh/openSshRuntime";
import { createBuiltins } from "@/wiring";
import type { Called } from "@test/helpers/cliContext";
import { group, HookProject } from "@test/helpers/hooks/hookProject";
import { muxHooks, writeTurns } from "@test/helpers/hooks/muxHooks";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { shareSshd } from "@test/helpers/remote/sshSessions";
import { WatchedController, type WatchedProject } from "@test/helpers/hooks/stopController";
import { expectSoon } from "@test/helpers/soon";
import { putFile } from "@test/helpers/tempDir";
import { pathOf } from "@scripts/programs.mjs";

describe.runIf(hasSshd)("over SSH", () => {
  const sshd = shareSshd();

  /** Creates a project on the other machine, and a session and a home on this one. */
  async function start(...hooks: (string | Record<string, unknown>)[]) {
    const here = await HookProject.create();
    const dir = join(sshd().home, `project ${Math.random().toString(36).slice(2)}`);
    await putFile(
      join(dir, ".mux/settings.json"),
      JSON.stringify({ hooks: { Stop: [group(hooks)] } })
    );
    await writeFile(here.transcript, '{"role":"user","parts":[]}\n');
    const runtime = openSshRuntime({ host: sshd().alias }, { config: sshd().config });
    onTestFinished(() => runtime.dispose());
    return { here, dir, runtime, load: here.load, input: { ...here.input, cwd: dir } };
  }

  function watch(project: WatchedProject): WatchedController {
    const watched = new WatchedController(project, { builtins: createBuiltins() });
    onTestFinished(() => watched.controller.dispose());
    return watched;
  }

  test("warns once if the connection is lost while hooks run, and at the next stop, and the agent stops (H35)", async () => {
    const away = await Sshd.start({ alias: "away" });
    onTestFinished(() => away.dispose());
    const project = await start("touch started; sleep 60; exit 2", "touch too; sleep 60; exit 2 ");
    const runtime = openSshRuntime({ host: "away" }, { config: away.config });
    onTestFinished(() => runtime.dispose());
    const watched = watch({ ...project, runtime });
    const ending = watched.turnEnds();
    await expectSoon(() => readdir(project.dir)).toEqual(
      expect.arrayContaining(["started", "too"])
    );
    await away.kill();
    expect(await ending).toMatchObject({ action: "end" });
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices).toEqual([
      expect.stringMatching(/^project:Stop\[0\] .* and 1 other hook ended with an unknown result/),
      expect.stringMatching(
        /^no hook runs, because the workspace cannot be reached: .*(away refused|to away was closed unexpectedly)/
      ),
    ]);
  });

  describe("mux-hooks --workspace", () => {
    /** Calls the command with an ssh that reads the test's ssh_config as the user's own. */
    async function call(args: readonly string[], home?: HookProject): Promise<Called> {
      const here = home ?? (await HookProject.create());
      await here.write(
        "bin/ssh",
        `#!/bin/sh\nexec ${pathOf("ssh")} -F '${sshd().config}' "$@"\n`,
        0o755
      );
      const PATH = `${here.path("bin")}:${process.env.PATH ?? ""}`;
      const env = home === undefined ? { PATH } : { PATH, MUX_HOOKS_TRUST: "" };
      return await muxHooks(here, args, { env });
    }

    test("list and test work in a remote project, also below the home of the other machine", async () => {
      const { dir } = await start("echo no; pwd >&2; exit 2");
      const url = `ssh://box${encodeURI(dir)}`;
      const below = `ssh://box/~${encodeURI(dir.slice(sshd().home.length))}`;
      const listed = await call(["list", "--json", "--workspace", below]);
      expect(listed).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(listed.stdout)).toMatchObject({ projectDir: dir, workspace: url });
      const tested = await call(["test", "Stop", "--workspace", url]);
      expect(tested).toMatchObject({ code: 3 });
      expect(tested.stdout).toContain(`[Stop hook requested continuation]\n${dir}\n`);
    });

    test("run plays a session with the files of the other machine", async () => {
      const { dir } = await start('[ -e done ] || { echo "make it" >&2; exit 2; }');
      const here = await HookProject.create();
      const script = await writeTurns(
        here,
        "turns: [I am done., [{ bash: touch done }], Now it is.]"
      );
      const url = `ssh://box${encodeURI(dir)}`;
      const played = await call(["run", "Do it.", "--script", script, "--workspace", url]);
      expect(played).toMatchObject({ code: 0, stderr: "" });
      expect(played.stdout).toContain("make it");
      expect(await readdir(dir)).toContain("done");
    });

    test("records trust for the URL of the workspace (H31)", async () => {
      const { dir } = await start("exit 0");
      const url = `ssh://box${encodeURI(dir)}`;
      const home = await HookProject.create();
      const inHome = (...args: string[]) => call([...args, "--workspace", url], home);
      const before = await inHome("list");
      expect(before.stdout).toContain(
        `"mux-stop-hooks hooks trust --show --workspace ${url}" to list`
      );
      const trusted = await inHome("trust", "--yes");
      expect(trusted).toMatchObject({ code: 0, stderr: "" });
      expect(trusted.stdout).toContain(`${url} would run:`);
      expect(trusted.stdout).toContain(`hooks trust --revoke --workspace ${url}".`);
      const after = await inHome("list");
      expect(after.stdout).toContain(`Hooks of ${url}`);
      expect(after.stdout).toContain("project:Stop[0]");
      expect(after.stdout).toContain(".mux/settings.json:1");
      expect(after.stdout).not.toContain("the project is not trusted");
      const record = await readFile(join(home.home, ".mux/hook-trust.json"), "utf8");
      expect(Object.keys((JSON.parse(record) as { projects: object }).projects)).toEqual([url]);
      const revoked = await inHome("trust", "--revoke");
      expect(revoked.stdout).toBe(
        `From your next message on, ${url} is no longer trusted. A turn that is running keeps its hooks.\n`
      );
    });

    test("is rejected together with --project", async () => {
      const called = await call(["list", "--workspace", "ssh://box/x", "--project", "."]);
      expect(called.code).toBe(2);
    });
  });
});
