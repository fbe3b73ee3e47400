import { once } from "node:events";
import { copyFile, cp, mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { audienceOf } from "@/node/services/gauntlet/domain/stopAudience";
import type { GauntletStatus } from "@/node/services/gauntlet/domain/runStatus";
import { agentGauntletBin, repository } from "@test/helpers/freshBuild";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { shellWord } from "@test/helpers/hooks/hookProject";
import { execFileAsync, isAlive, readPids } from "@test/helpers/process/processes";
import { NOT_ACTIVE, start, stop } from "@test/helpers/gauntlet/stopHookCommand";
import { stop as stopInProcess } from "@test/helpers/gauntlet/stopInProcess";
import { CHECKED_SRC, projectWith } from "@test/helpers/hooks/stopHookProject";
import { tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

const OFF_BY_VARIABLE = /^turned off by the environment variable GAUNTLET_STOP_HOOK_ENABLED$/;

// The requirements have the other statuses.
test.each<[GauntletStatus, RegExp, changed: string, NodeJS.ProcessEnv?]>([
  ["failed", /^1 of 1 gate failed: check:src:ok, attempt 1 of 4$/, "src/bad"],
  ["no_changes", /^no changes$/, ""],
  ["stop_hook_disabled", OFF_BY_VARIABLE, "src/bad", { GAUNTLET_STOP_HOOK_ENABLED: "0" }],
])(
  "%s: prints one line of JSON, the same message to stderr, and exits with 0 (G23)",
  async (status, message, changed, env = {}) => {
    const project = await projectWith();
    // The first stop warns the user that there is nothing to compare with (G20b).
    if (changed === "") await stopInProcess(project.dir);
    else await project.write(changed, "x");
    const { told, ...answer } = await stopInProcess(project.dir, undefined, { env });
    const decision = status === "failed" ? "block" : "approve";
    expect(answer).toMatchObject({ decision, status });
    expect(answer.message).toMatch(message);
    expect(answer.message).not.toContain("\n");
    const lines = told.replaceAll(/\s*\n\s*/g, " ").trim();
    // After the names of the steps.
    expect(lines).toMatch(/^Starting gauntlet validation\.\.\. /);
    expect(lines.endsWith(` ${answer.message}`)).toBe(true);
    const more = decision === "block" ? ["reason", "stopReason"] : [];
    const isSwitch = "GAUNTLET_STOP_HOOK_ENABLED" in env;
    const isForPerson = audienceOf(status).person === "always" || isSwitch;
    const forPerson = isForPerson ? ["systemMessage"] : [];
    expect(Object.keys(answer)).toEqual(["decision", "status", "message", ...more, ...forPerson]);
  }
);

const empty = await tempDir();

describe("the input (G22)", () => {
  const ACTIVE = { stop_hook_active: true, last_assistant_message: 'a } in "text" \\' };

  test("accepts an object of 300 KiB, nested deeply and followed by text, while standard input stays open", async () => {
    const nested = `${"[".repeat(1e5)}${"]".repeat(1e5)}`;
    const object = JSON.stringify({ text: "é".repeat(50 * 1024), ...ACTIVE }).slice(0, -1);
    const input = `${object},"nested":${nested}} and more {`;
    expect(await stop(empty, input)).toMatchObject({ status: "stop_hook_active" });
  });

  test("finds the project with a cwd that is absolute, or relative to the folder of the process", async () => {
    const { dir } = await projectWith("stop_hook: {enabled: false}\n");
    for (const [from, cwd, status] of [
      [empty, dir, "stop_hook_disabled"],
      [dir, "src", "stop_hook_disabled"],
      [empty, join(empty, "gone"), "no_config"],
    ] as const) {
      expect(await stop(from, JSON.stringify({ cwd }))).toMatchObject({ status });
    }
  });

  const node = `${shellWord(process.execPath)} ${shellWord(agentGauntletBin)} stop-hook`;
  const KINDS = {
    "a pipe that stays open": [
      `mkfifo pipe; exec 3<>pipe; echo '{"stop_hook_active":true}' >&3; ${node} <pipe`,
      "stop_hook_active",
    ],
    "a pipe that is slow": [
      `{ read -r _ < /dev/null; sleep 0.3; echo '{"stop_hook_active":true}'; } | ${node}`,
      "stop_hook_active",
    ],
    "a file": [`echo '{"stop_hook_active":true}' > file; ${node} < file`, "stop_hook_active"],
    "/dev/null": [`${node} < /dev/null`, "invalid_input"],
    closed: [`${node} <&-`, "invalid_input"],
    "a folder": [`${node} < .`, "invalid_input"],
    endless: [`yes '{"a":' | ${node}`, "invalid_input"],
  } as const;

  test("is read to the end from each kind of standard input, and half an object is rejected after 5 s", async () => {
    const from = performance.now();
    const half = stop(empty, '{"a":');
    for (const [kind, [line, status]] of Object.entries(KINDS)) {
      const options = { cwd: await tempDir(), env: PROJECT_ENV };
      const { stdout } = await execFileAsync("sh", ["-c", line], options);
      expect(JSON.parse(stdout), kind).toMatchObject({ decision: "approve", status });
    }
    expect(await half).toMatchObject({ status: "invalid_input" });
    expect(performance.now() - from).toBeGreaterThan(4_900);
  });
});

describe("lets the agent stop in spite of an error (G23):", () => {
  test("an incomplete package", async () => {
    const folder = await tempDir();
    const bin = join(folder, "bin", "agent-gauntlet.cjs");
    await mkdir(join(folder, "bin"));
    await copyFile(agentGauntletBin, bin);
    const { status, message } = await stop(folder, NOT_ACTIVE, { bin });
    expect([status, message]).toEqual(["error", expect.stringContaining("run make build")]);

    await cp(join(repository, "dist/cli"), join(folder, "dist/cli"), { recursive: true });
    await rm(join(folder, "dist/cli/stopDecision.cjs"));
    const { dir } = await projectWith();
    const broken = { decision: "approve", status: "error" };
    expect(await stop(dir, NOT_ACTIVE, { bin })).toMatchObject(broken);
  });

  test("an old version of Node", async () => {
    const old = join(await tempDir(), "old.cjs");
    await writeFile(
      old,
      'Object.defineProperty(process, "versions", { value: { node: "18.1.0" } })'
    );
    const flags = ["--require", old];
    const answer = await stop(repository, NOT_ACTIVE, { flags });
    expect(answer).toMatchObject({ decision: "approve", status: "error" });
    expect(answer.message).toMatch(/^mux-stop-hooks needs Node 20\.19 or newer; this is 18\.1\.0;/);
    // Each host gets the form that it shows its user (G27b).
    const result = { ...createResult("error"), message: answer.message };
    for (const { name, ...host } of AGENT_HOSTS) {
      const { exitCode, stdout } = host.answer({ result, personMessage: answer.message });
      const args = ["--verify", "--host", name];
      const command = await start(repository, { flags, args, untrusted: true });
      const end = await command.send(NOT_ACTIVE).end;
      expect([name, end.code, end.stdout]).toEqual([name, exitCode, stdout]);
      expect(end.stdout + end.stderr).toContain(answer.message);
    }
  });

  test.each([
    ["no cwd in the input", NOT_ACTIVE, "error"],
    ["another cwd in the input", '{"cwd":"/"}', "no_config"],
  ])("a missing current folder and %s", async (_, input, status) => {
    const line = `mkdir gone; cd gone; rmdir "$PWD"; printf %s "$1" | "$2" "$3" stop-hook`;
    const args = ["-c", line, "sh", input, process.execPath, agentGauntletBin];
    const { stdout } = await execFileAsync("sh", args, { cwd: await tempDir(), env: PROJECT_ENV });
    expect(JSON.parse(stdout)).toMatchObject({ decision: "approve", status });
  });

  test("closed output streams", async () => {
    const { child, end } = await start(await tempDir());
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.stdin?.write(NOT_ACTIVE);
    await end.catch(() => once(child, "exit"));
    expect([child.exitCode, child.signalCode]).toEqual([0, null]);
  });
});

test("SIGTERM ends the run without output, ends its processes and releases the lock (G28)", async () => {
  const project = await GauntletProject.create(CHECKED_SRC, {
    ok: "command: sleep 60 & echo $$ $! | tr ' ' '\\n' > ../.git/pids; echo up > ../.git/up; wait\n",
  });
  await project.write("src/new", "x");
  const command = (await start(project.dir)).send(NOT_ACTIVE);
  await expectSoon(() => project.read(".git/up").catch(() => "")).toBe("up\n");
  const pids = await readPids(project.path(".git/pids"));
  expect(pids.map(isAlive)).toEqual([true, true]);
  command.child.kill("SIGTERM");
  expect(await command.end).toEqual({ code: 143, stdout: "", stderr: "" });
  expect(pids.map(isAlive)).toEqual([false, false]);
  expect(await project.logs()).not.toContain(".gauntlet-run.lock");
  expect(await project.state()).toMatchObject({ status: "infrastructure_error" });
});

describe("loaded modules", () => {
  test("a stop with the marker or input from a pipe needs only modules that Node loads anyway, and from a socket those of the stream (G24)", async () => {
    const folder = await tempDir();
    const [spy, list, program] = ["spy.cjs", "list", "program.cjs"].map((name) =>
      join(folder, name)
    );
    await writeFile(
      spy!,
      `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n")));`
    );
    const flags = ["--require", spy!];
    const listed = async (): Promise<string[]> =>
      (await readFile(list!, "utf8")).split("\n").filter((m) => m.startsWith("NativeModule"));
    const { dir } = await projectWith();
    await execFileAsync("mkfifo", [join(folder, "pipe")]);
    const pipe = await open(join(folder, "pipe"), "r+");
    const elsewhere = '{"cwd":"/"}';
    await pipe.write(elsewhere);
    const marker = { env: { GAUNTLET_STOP_HOOK_ACTIVE: String(process.pid) } };
    for (const [cwd, input, options, expected, baseline] of [
      [dir, "", marker, "stop_hook_active", ""],
      [folder, elsewhere, { stdin: pipe.fd }, "no_config", ""],
      [folder, elsewhere, {}, "no_config", "process.stdin; process.exit();"],
    ] as const) {
      await writeFile(program!, baseline);
      await execFileAsync(process.execPath, [...flags, program!]);
      const before = new Set(await listed());
      const { status } = await stop(cwd, input, { ...options, flags });
      const modules = (await listed()).filter((name) => !before.has(name));
      expect({ status, modules }).toEqual({ status: expected, modules: [] });
    }
    await pipe.close();
  });

  test("stopHookProcess.cjs requires only node:fs and node:path", async () => {
    const bundle = await readFile(join(repository, "dist/cli/stopHookProcess.cjs"), "utf8");
    const asked = [...bundle.matchAll(/\b(?:require|import)\((.*?)\)/g)].map(([, name]) => name);
    // The rest is never reached at a stop: only `init` and `doctor` load it.
    expect(
      asked
        .filter((name) => !/hosts\/\w+\/(?:examinePlugin|trust|\w+Syntax)`$/.test(name ?? ""))
        .sort()
    ).toEqual(["`node:fs`", "`node:path`"]);
  });
});

test("decides anew if the state is not complete, or the configuration has changed", async () => {
  const project = await projectWith("", ["src/new"]);
  await stopInProcess(project.dir);
  await project.write("gauntlet_logs/.execution_state", "{");
  expect(await stopInProcess(project.dir)).toMatchObject({ status: "passed" });
  await project.write(".gauntlet/checks/ok.yml", "comand: broken\n");
  expect(await stopInProcess(project.dir)).toMatchObject({ status: "error" });
});
