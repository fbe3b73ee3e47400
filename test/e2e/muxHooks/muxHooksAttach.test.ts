import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Called } from "@test/helpers/cliContext";
import { muxHooksBin, repository } from "@test/helpers/freshBuild";
import { HOST_STATUS } from "@test/helpers/host/hostStatus";
import { group, HookProject } from "@test/helpers/hooks/hookProject";
import { muxHooks } from "@test/helpers/hooks/muxHooks";
import { putFile } from "@test/helpers/tempDir";

const preload = join(repository, "dist", "host", "register.cjs");

/** Reports how it was started, or does what its first argument names. */
const PROGRAM = `#!/usr/bin/env node
const { execFileSync } = require("node:child_process");
require("../node/services/aiService.js");
const [word, ...args] = process.argv.slice(2);
const preloaded = Object.keys(require.cache).includes(${JSON.stringify(preload)});
switch (word) {
  case "say":
    console.log(JSON.stringify({ preloaded, args, child: String(execFileSync("sh", ["-c", 'printf %s "\${NODE_OPTIONS-none}"'])) }));
    break;
  case "echo":
    process.exitCode = Number(args[0]);
    process.stdin.pipe(process.stdout);
    break;
  case "wait":
    process.on(args[0], () => process.exit(Number(args[1])));
    console.log("waiting");
    process.stdin.resume().on("end", () => process.exit());
    break;
  case "die":
    process.kill(process.pid, args[0]);
    setInterval(() => undefined, 1000);
}
`;

const MODULES: Record<string, string> = {
  "node/services/aiService.js":
    'const { EventEmitter } = require("node:events"); exports.AIService = class extends EventEmitter { isStreaming() {} stopStream() {} getWorkspaceMetadata() {} };',
  "node/services/agentSession.js":
    "exports.AgentSession = class { queueMessage() {} sendMessage() {} streamWithHistory() {} dispose() {} subscribeChat() {} onChatEvent() {} interruptStream() {} };",
  "node/services/taskService.js":
    "exports.TaskService = class { finalizeAgentTaskReport() {} initialize() {} };",
  "node/runtime/runtimeHelpers.js": "exports.createRuntimeForWorkspace = () => undefined;",
};

class FakeMux {
  static async install(project: HookProject, name = "mux"): Promise<FakeMux> {
    const fake = new FakeMux(project, join(project.home, "opt", "a mux"));
    await fake.write("package.json", JSON.stringify({ name, version: "9.8.7" }));
    for (const [file, source] of Object.entries(MODULES)) await fake.write(`dist/${file}`, source);
    await fake.write("dist/cli/index.js", PROGRAM, 0o755);
    await mkdir(fake.bin, { recursive: true });
    return fake;
  }

  private constructor(
    readonly project: HookProject,
    readonly dir: string
  ) {}

  get bin(): string {
    return join(this.project.home, "bin");
  }

  get entry(): string {
    return join(this.dir, "dist", "cli", "index.js");
  }

  get env(): NodeJS.ProcessEnv {
    return {
      PATH: `${this.bin}:${process.env.PATH}`,
      HOME: this.project.home,
    };
  }

  async write(name: string, content: string, mode = 0o644): Promise<void> {
    await putFile(join(this.dir, name), content, mode);
  }

  /** Links the program as npm puts it on the PATH. */
  async link(name = "mux"): Promise<this> {
    await symlink(this.entry, join(this.bin, name));
    return this;
  }

  async script(name: string, source: string | Buffer): Promise<this> {
    await writeFile(join(this.bin, name), source, { mode: 0o755 });
    return this;
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    return spawn(process.execPath, [muxHooksBin, ...args], {
      cwd: this.project.dir,
      env: { ...this.env, ...env },
    });
  }

  async attach(
    args: readonly string[],
    { env = {}, input = "" }: { env?: NodeJS.ProcessEnv; input?: string } = {}
  ): Promise<Called> {
    const child = this.start(["attach", ...args], env);
    child.stdin!.end(input);
    const [[code], stdout, stderr] = await Promise.all([
      once(child, "exit") as Promise<[number]>,
      text(child.stdout!),
      text(child.stderr!),
    ]);
    return { code, stdout, stderr };
  }

  /** Calls a command that starts no program of the user, in this process. */
  async call(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Called> {
    return await muxHooks(this.project, args, { env: { ...this.env, ...env } });
  }

  async doctor(args: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<Called> {
    return await this.call(["doctor", ...args], env);
  }
}

async function install(): Promise<FakeMux> {
  return await FakeMux.install(await HookProject.create());
}

describe("attach", () => {
  test("starts a program on the PATH or by its path, or Node with it, with the preload, and its children without it", async () => {
    const mux = await (await install()).link();
    for (const command of [["mux"], ["node", "--no-warnings", mux.entry], [mux.entry]]) {
      const called = await mux.attach(["--", ...command, "say", "--port", "3000"]);
      const { code, stdout, stderr } = called;
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const args = ["--port", "3000"];
      expect(JSON.parse(stdout)).toEqual({ preloaded: true, args, child: "none" });
    }
  });

  test("starts Mux through other programs and a script, and keeps existing NODE_OPTIONS", async () => {
    const mux = await install();
    await mux.script("mux", `#!/bin/sh\nexec node "${mux.entry}" "$@"\n`);
    const NODE_OPTIONS = "--no-deprecation";
    const command = ["env", "A=b", "nice", "mux", "say", "a b"];
    const { code, stdout, stderr } = await mux.attach(["--", ...command], {
      env: { NODE_OPTIONS },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ preloaded: true, args: ["a b"], child: NODE_OPTIONS });
  });

  test("starts the server of a desktop app as Node", async () => {
    const mux = await install();
    const app = join(mux.project.home, "Xum");
    await putFile(join(app, "resources", "app.asar"), "");
    const source = '#!/bin/sh\necho "$ELECTRON_RUN_AS_NODE" "$@"\n';
    await writeFile(join(app, "xum"), source, { mode: 0o755 });
    const { stdout } = await mux.attach(["--", join(app, "xum"), "server"]);
    const entry = join(app, "resources/app.asar/dist/cli/index.js");
    expect(stdout).toBe(`1 --require ${preload} ${entry} server\n`);
  });

  test("forwards standard input and returns the exit code, or 128 plus the number of the signal that ended it", async () => {
    const mux = await (await install()).link();
    const { code, stdout } = await mux.attach(["--", "mux", "echo", "7"], { input: "hello" });
    expect({ code, stdout }).toEqual({ code: 7, stdout: "hello" });
    expect((await mux.attach(["--", "mux", "die", "SIGKILL"])).code).toBe(137);
  });

  test.each([["SIGINT"], ["SIGHUP"]] as const)(
    "forwards %s, and waits for the program to end",
    async (signal) => {
      const mux = await (await install()).link();
      const child = mux.start(["attach", "--", "mux", "wait", signal, "9"]);
      await once(child.stdout!, "data");
      child.kill(signal);
      expect(await once(child, "exit")).toEqual([9, null]);
    }
  );

  test("reports why it cannot attach, and the next step", async () => {
    const mux = await install();
    await mux.script("bunmux", "#!/usr/bin/env bun\n");
    await mux.script("image", Buffer.from("\x7fELF\x02\x01\x01\x00AI\x02", "latin1"));
    await mux.script("broken.AppImage", "#!/bin/sh\necho 'no FUSE here' >&2; exit 1\n");
    await mux.script("empty.AppImage", "#!/bin/sh\necho /nowhere; exec sleep 60\n");
    await mux.script("xum.exe", Buffer.from("MZ", "latin1"));
    const cases: [string, string][] = [
      ["nowhere", "nowhere is not on the PATH; install it, or give the path"],
      ["./nowhere", "./nowhere does not exist"],
      ["bunmux", "is run by bun, which cannot load the hooks; start the build with Node"],
      ["image", "cannot be mounted"],
      ["broken.AppImage", "cannot be mounted (no FUSE here); unpack it with"],
      ["empty.AppImage", "is not a Mux desktop app: it has no resources/app.asar"],
      ["xum.exe", "is a Windows program, which cannot load hooks from this system"],
      [mux.dir, "is a folder; name the program in it"],
    ];
    for (const [command, message] of cases) {
      const { code, stdout, stderr } = await mux.call(["attach", "--", command]);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: "" });
      expect(stderr).toContain(message);
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
  });

  test("reports at the end if the program was not Mux, and keeps its exit code", async () => {
    const mux = await install();
    await mux.script("other", "#!/usr/bin/env node\nconsole.log('ran'); process.exit(7);\n");
    await mux.script("shell", "#!/bin/sh\necho ran; exit 7\n");
    for (const command of [["node", join(mux.bin, "other")], ["shell"]]) {
      const { code, stdout, stderr } = await mux.attach(["--", ...command]);
      expect({ command, code, stdout }).toEqual({ command, code: 7, stdout: "ran\n" });
      expect(stderr).toBe(
        "mux-stop-hooks: the command ended without starting Mux, so no hooks ran; attach to the command that starts Mux\n"
      );
    }
  });

  test("exits with the code for an unverified stop if Mux never started, and with 2 without a program", async () => {
    const mux = await install();
    const { code } = await mux.attach(["--unverified-exit", "9", "--", "true"]);
    expect(code).toBe(9);
    const bad = await mux.call(["attach", "--unverified-exit", "300", "--", "true"]);
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining("0 to 255") as string });
    const without = await mux.call(["attach"]);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("missing required argument 'mux'");
  });

  test("warns of a server without hooks beside mux acp", async () => {
    const mux = await (await install()).link();
    const lock = { pid: process.pid, baseUrl: "http://localhost:1", token: "t", startedAt: "" };
    await mux.project.write("../home/.mux/server.lock", JSON.stringify(lock));
    const { code, stderr } = await mux.attach(["--", "mux", "say", "acp"]);
    expect(code).toBe(0);
    expect(stderr).toContain(`the Mux server that runs as process ${process.pid} has no hooks`);
  });
});

describe("doctor", () => {
  const ATTACHED = `../home/.mux/attached-hosts/${process.pid}.json`;

  async function trustInMux(project: HookProject): Promise<void> {
    const config = { projects: [[project.dir, { workspaces: [], trusted: true }]] };
    await project.write("../home/.mux/config.json", JSON.stringify(config));
  }

  async function configured(): Promise<FakeMux> {
    const mux = await install();
    await mux.project.configure({ hooks: { Stop: [group(["make lint"])] } });
    return await mux.link();
  }

  test("shows the version, each part of the host, what is missing in it, and the hooks that would run", async () => {
    const mux = await configured();
    const source = `#!/usr/bin/env node\nrequire("node:fs").writeFileSync("touched", "");\n`;
    await mux.write("dist/cli/index.js", source, 0o755);
    const { code, stdout, stderr } = await mux.doctor();
    // The host was not started.
    await expect(readFile(join(mux.dir, "dist", "touched"))).rejects.toThrow("ENOENT");
    await expect(mux.project.read("touched")).rejects.toThrow("ENOENT");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Mux 9.8.7  ${mux.entry}\n  yes  Stop hooks\n`);
    expect(stdout).toContain("yes  SubagentStop hooks");
    expect(stdout).toMatch(/1 {2}project:Stop\[0\] +10 s +make lint/);
    expect(stdout).toContain(
      "No problems found. Hooks run if Mux is started with: mux-stop-hooks hooks attach"
    );
    for (const [module, text, missing] of [
      ["taskService", "exports.TaskService = class {};", "TaskService.finalizeAgentTaskReport"],
      ["aiService", 'require("gone");', "AIService"],
    ] as const) {
      const file = `node/services/${module}.js`;
      await mux.write(`dist/${file}`, text);
      const without = await mux.doctor();
      expect(without.code).toBe(1);
      expect(without.stdout).toContain(
        `not available, because this version of Mux has no ${missing} of ${file}`
      );
      expect(without.stdout.match(/^ {2}yes /gm)).toHaveLength(2);
      await mux.write(`dist/${file}`, MODULES[file]!);
    }
    const nothing = await muxHooks(mux.project, ["doctor"], { env: { PATH: process.env.PATH } });
    expect(nothing.code).toBe(1);
    expect(nothing.stdout).toContain("neither mux nor xum is on the PATH");
    const { home } = mux.project;
    const empty = await muxHooks(mux.project, ["doctor", "--mux", home]);
    expect(empty.stdout).toContain(`${home} does not contain a build of Mux`);
  });

  test("--mux accepts the folder or the file of a build, under any package name", async () => {
    const mux = await FakeMux.install(await HookProject.create(), "@coder/xum");
    await mux.project.configure({ hooks: { Stop: [group(["make"])] } });
    for (const path of [mux.dir, join(mux.dir, "dist"), mux.entry]) {
      const { code, stdout } = await mux.doctor(["--mux", path]);
      expect({ path, code }).toEqual({ path, code: 0 });
      expect(stdout).toContain(`Xum 9.8.7  ${path}\n`);
    }
  });

  test("uses its own trust, or that of a host that has its own (H31)", async () => {
    const mux = await configured();
    const env = { MUX_HOOKS_TRUST: "" };
    const untrusted = await mux.doctor([], env);
    expect(untrusted.code).toBe(1);
    expect(untrusted.stdout.match(/does not run: the project is not trusted/g)).toHaveLength(1);
    await muxHooks(mux.project, ["trust", "--yes"]);
    const trusted = await mux.doctor([], env);
    expect(trusted.code).toBe(0);
    expect(trusted.stdout).toContain(
      "The project is trusted by mux-stop-hooks, with the record of "
    );

    await mux.write("dist/node/runtime/initHook.js", "exports.run = ({ trusted }) => trusted;");
    const before = await mux.doctor();
    expect(before.code).toBe(1);
    expect(before.stdout).toContain(
      `- ${mux.project.dir} is not trusted in Mux, so its hooks do not run; trust it in Mux`
    );
    await trustInMux(mux.project);
    const { code, stdout } = await mux.doctor();
    expect(code).toBe(0);
    expect(stdout).toContain("The project is trusted by Mux, in ");
  });

  test.each([
    [{}, "no hooks are configured; add one to .mux/settings.json"],
    [{ disableAllHooks: true, hooks: { Stop: [group(["a"])] } }, "turned off by disableAllHooks"],
    [
      { hooks: { Stop: [group(["a"]), 7] } },
      '1 error in the settings; run "mux-stop-hooks hooks validate"',
    ],
  ])("reports settings with which hooks would not run: %j", async (settings, problem) => {
    const mux = await (await install()).link();
    await mux.project.configure(settings);
    const { code, stdout } = await mux.doctor();
    expect(code).toBe(1);
    expect(stdout).toContain(problem);
  });

  test("shows hosts that run with hooks, and a Mux without hooks that holds the server lock", async () => {
    const mux = await configured();
    const lock = { pid: process.pid, baseUrl: "http://localhost:1", token: "t", startedAt: "" };
    await mux.project.write("../home/.mux/server.lock", JSON.stringify(lock));
    const blocked = await mux.doctor();
    expect(blocked.code).toBe(1);
    expect(blocked.stdout).toContain(
      `- a Mux without hooks is running as process ${process.pid} (`
    );
    expect(blocked.stdout).toContain(
      "quit it (the desktop app too) before you start one with hooks"
    );

    await mux.project.write(ATTACHED, JSON.stringify(HOST_STATUS));
    const gone = "../home/.mux/attached-hosts/1.json";
    await mux.project.write(gone, JSON.stringify({ ...HOST_STATUS, pid: 1, startTime: "never" }));
    await mux.project.write("../home/.mux/attached-hosts/2.json", "{");
    const running = await mux.doctor();
    expect(running).toMatchObject({ code: 0, stderr: "" });
    expect(running.stdout).toContain(
      `Running with hooks\n  process ${process.pid} since 2026-11-22T00:00:00.000Z: version 9.8.7, with mux-stop-hooks 1.2.3\n`
    );
    expect(running.stdout).not.toContain("process 1 ");
    await expect(readFile(join(mux.project.dir, gone))).rejects.toThrow("ENOENT");
  });

  test("examines a host that runs with hooks if no other one is found, and lists it once despite a link (H10, H31)", async () => {
    const { project } = await configured();
    const host = { version: "9.8.7", dist: "/opt/Xum/resources/app.asar/dist" };
    const seams = { ...HOST_STATUS.seams, AgentSession: "attached", isProjectTrusted: "attached" };
    await project.write(ATTACHED, JSON.stringify({ ...HOST_STATUS, host, seams }));
    await symlink(".mux", join(project.home, ".xum"));
    const doctor = () => muxHooks(project, ["doctor"], { env: { PATH: process.env.PATH } });
    const untrusted = await doctor();
    expect(untrusted.code).toBe(1);
    expect(untrusted.stdout).toContain(`${project.dir} is not trusted in Mux`);

    await trustInMux(project);
    const { code, stdout } = await doctor();
    expect(stdout).toContain("Mux 9.8.7  /opt/Xum/resources/app.asar/dist\n  yes  Stop hooks\n");
    expect(stdout.split(`process ${process.pid} since`)).toHaveLength(2);
    expect(stdout).toMatch(/No problems found\.\n$/);
    expect(code).toBe(0);
  });

  test("finds the package behind the forwarding package named mux", async () => {
    const mux = await configured();
    const modules = join(mux.project.home, "lib", "node_modules");
    await mkdir(join(modules, "@coder"), { recursive: true });
    await symlink(mux.dir, join(modules, "@coder", "xum"));
    await mkdir(join(modules, "mux", "bin"), { recursive: true });
    const bin = join(modules, "mux", "bin", "mux.js");
    const source = '#!/usr/bin/env node\nrequire("@coder/xum/dist/cli/index.js");\n';
    await writeFile(bin, source, { mode: 0o755 });
    await unlink(join(mux.bin, "mux"));
    await symlink(bin, join(mux.bin, "mux"));
    const { code, stdout } = await mux.doctor();
    expect({ code }).toEqual({ code: 0 });
    expect(stdout).toContain(`9.8.7  ${bin}\n  yes  Stop hooks`);
  });
});
