/** Programs of the remote protocol in real processes. This machine is also the remote machine. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { KILL_GRACE_MS, MIB } from "@/common/limits";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { Command, ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { LocalShell, type LocalShellOptions } from "@test/helpers/remote/localShell";
import { livingInSession } from "@test/helpers/process/processGroups";
import { isAlive, makeGate } from "@test/helpers/process/processes";
import { has } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

// Shorter than the grace period, to distinguish a program that SIGTERM has ended from one that only SIGKILL ended.
const LIMIT_MS = 300;
const SHELLS = (["dash", "bash", "busybox"] as const).filter(has);

/** Marks the environment of a test's sessions, so that their processes are found under any parent. */
let mark = 0;

function machine(options: LocalShellOptions = {}): {
  runtime: RemoteRuntime;
  shell: LocalShell;
  mark: string;
} {
  const name = `far-${process.pid}-${++mark}`;
  const shell = new LocalShell({
    ...options,
    env: { ...process.env, ...options.env, FAR_MARK: name },
  });
  return { shell, mark: name, runtime: new RemoteRuntime(shell, new LocalFiles()) };
}

function alive(name: string): string[] {
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1").replaceAll("\0", " ");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && read(pid, "environ").includes(`FAR_MARK=${name} `))
    .map((pid) => read(pid, "cmdline"));
}

/** Waits until no process of a session is left, soon after its end. */
async function nothingLeft(name: string): Promise<void> {
  await expectSoon(() => alive(name)).toEqual([]);
}

const { runtime } = machine();

function exec(
  command: Command | string,
  more: Partial<ExecRequest> = {},
  far = runtime
): Promise<ExecResult> {
  return far.exec({
    command: typeof command === "string" ? { script: command } : command,
    cwd: "/",
    ...more,
  });
}

async function output(
  command: Command | string,
  more?: Partial<ExecRequest>,
  far = runtime
): Promise<string> {
  const { end, stdout, stderr } = await exec(command, more, far);
  expect({ end, stderr: stderr.text }).toEqual({ end: { kind: "exited", code: 0 }, stderr: "" });
  return stdout.text;
}

describe.each(SHELLS)("if sh is %s", (sh) => {
  const far = machine({ sh });

  test("returns exit codes, also those that shells use for signals (H21)", async () => {
    for (const code of [0, 1, 126, 127, 128, 137, 255]) {
      expect((await exec(`exit ${code}`, {}, far.runtime)).end).toEqual({ kind: "exited", code });
    }
    await nothingLeft(far.mark);
  });

  test.each(["SIGTERM", "SIGKILL", "SIGSEGV"])(
    "distinguishes death by %s from an exit code",
    async (signal) => {
      const { end, stderr } = await exec(`kill -${signal.slice(3)} $$`, {}, far.runtime);
      expect(end).toEqual({ kind: "signaled", signal });
      expect(stderr.text).toBe("");
    }
  );

  test("keeps the shell's message about a killed child, and returns its exit code", async () => {
    const { end, stderr } = await exec(`sh -c 'kill -9 $$'; exit $?`, {}, far.runtime);
    expect(end).toEqual({ kind: "exited", code: 137 });
    expect(stderr.text).toMatch("Killed");
  });

  test("passes input, output, folder, environment and arguments unchanged", async () => {
    const cwd = join(await tempDir(), "-a b'\"$x`\\\n!grün 🎉");
    await mkdir(cwd);
    const awkward = [
      "",
      "-n",
      "a b",
      "new\nline\n",
      "'\"`$HOME\\",
      "!x !",
      "grün 🎉",
      "*",
      "\t\x01",
    ];
    const args = [
      "-c",
      'printf "%s|" "$@"; printf "%s|" "$VALUE" "$PWD"; pwd; cat',
      "sh",
      ...awkward,
    ];
    const text = await output(
      { file: "/bin/sh", args },
      { cwd, env: { VALUE: awkward.join("|"), "odd-NAME": "x\ny", EMPTY: "" }, stdin: "in\nput" },
      far.runtime
    );
    expect(text).toBe(`${[...awkward, ...awkward, cwd].join("|")}|${cwd}\nin\nput`);
    expect(
      await output({ file: "env", args: [] }, { env: { "odd-NAME": "x" } }, far.runtime)
    ).toContain("odd-NAME=x\n");
  });

  test("ends the tree at a limit, at an abort and at a lost connection", async () => {
    const { pids } = await untilLimit("sleep 600 & sleep 601; wait", far.runtime);
    expect(await livingInSession(pids[0]!)).toEqual([]);
    const user = new AbortController();
    const { ended: running } = await started(
      "sleep 32 & sleep 33",
      { signal: user.signal },
      far.runtime
    );
    user.abort();
    expect((await running).end).toEqual({ kind: "cancelled" });
    await nothingLeft(far.mark);
    const { ended: other } = await started("sleep 34 & sleep 35", {}, far.runtime);
    far.shell.cut();
    expect((await other).end).toEqual({ kind: "lost", message: "the connection was cut" });
    await nothingLeft(far.mark);
  });

  test("kills a program that ignores SIGTERM after the grace period", async () => {
    const { result } = await untilLimit("trap '' TERM; sleep 600; sleep 600", far.runtime);
    expect(result.durationMs).toBeGreaterThan(LIMIT_MS + KILL_GRACE_MS - 100);
    await nothingLeft(far.mark);
  });
});

async function untilLimit(
  script: string,
  far = runtime
): Promise<{ pids: number[]; result: ExecResult }> {
  const result = await exec(`echo $$; ${script}`, { timeoutMs: LIMIT_MS }, far);
  expect(result.end).toEqual({ kind: "timedOut" });
  return { result, pids: result.stdout.text.trim().split("\n").map(Number) };
}

/** Starts a script, and resolves once it runs. */
async function started(
  script: string,
  more: Partial<ExecRequest> = {},
  far = runtime
): Promise<{ ended: Promise<ExecResult> }> {
  const { path } = await makeGate(await tempDir(), "ready");
  const ended = exec(`echo > '${path}'; ${script}`, more, far);
  await readFile(path);
  return { ended };
}

describe("standard input", () => {
  const megabyte = "0123456789abcdef".repeat(MIB / 16);

  test("handles no input, a megabyte, and input that the program does not read (H13)", async () => {
    expect(await output("cat; echo over")).toBe("over\n");
    expect(await output("wc -c", { stdin: megabyte })).toMatch(/^\s*1048576\s*$/);
    expect(await output("echo own", { stdin: megabyte })).toBe("own\n");
    expect(await output("head -c 3; exec <&-; sleep 0.1; echo later", { stdin: megabyte })).toBe(
      "012later\n"
    );
  });

  test("an abort ends a program that does not read its input", async () => {
    const far = machine();
    const user = new AbortController();
    const { ended: running } = await started(
      "sleep 600",
      { stdin: megabyte, signal: user.signal },
      far.runtime
    );
    user.abort();
    expect((await running).end).toEqual({ kind: "cancelled" });
    await nothingLeft(far.mark);
  });

  test("does not wait for a background process that holds it", async () => {
    const far = machine();
    const { stdout } = await exec(
      "sleep 600 <&0 >/dev/null 2>&1 & echo $!",
      { stdin: megabyte },
      far.runtime
    );
    onTestFinished(() => void process.kill(Number(stdout.text)));
    await expectSoon(() => alive(far.mark)).toEqual(["sleep 600 "]);
  });
});

describe("the end of a program (H21)", () => {
  test("does not wait for a child that holds the pipes, which stays alive", async () => {
    const far = machine();
    const { end, stdout } = await exec("sleep 600 & echo $!", {}, far.runtime);
    onTestFinished(() => void process.kill(Number(stdout.text)));
    expect(end).toEqual({ kind: "exited", code: 0 });
    await expectSoon(() => alive(far.mark)).toEqual(["sleep 600 "]);
  });

  test("ends a child with its own session, and does not wait for an orphan", async () => {
    const { pids } = await untilLimit("setsid sh -c 'echo $$; exec sleep 600' & sleep 600");
    expect(isAlive(pids[1]!)).toBe(false);
    const { pids: others } = await untilLimit(
      "(setsid sh -c 'echo $$; exec sleep 600' &); sleep 600"
    );
    onTestFinished(() => void process.kill(others[1]!, "SIGKILL"));
  });

  test("enforces a limit on the other machine at most 5 s later if the connection is dead (H35)", async () => {
    const far = machine();
    const { path } = await makeGate(await tempDir(), "ready");
    const open = far.shell.open.bind(far.shell);
    // The connection is dead: this side gets no error, and the program's input stays open.
    far.shell.open = async (line) => {
      const session = await open(line);
      session.stdin.end = () => session.stdin;
      return { ...session, kill: () => undefined };
    };
    const ended = exec(
      `echo > '${path}'; trap '' TERM; sleep 600; sleep 600`,
      { timeoutMs: 200 },
      far.runtime
    );
    await readFile(path);
    await expectSoon(() => alive(far.mark)).toEqual([]);
    expect((await ended).end).toEqual({ kind: "timedOut" });
  });

  test("starts no program if the signal is already aborted", async () => {
    const far = machine();
    expect((await exec("true", { signal: AbortSignal.abort() }, far.runtime)).end).toEqual({
      kind: "cancelled",
    });
    expect(far.shell.opened).toBe(0);
    const user = new AbortController();
    const running = exec("sleep 600", { signal: user.signal }, far.runtime);
    user.abort();
    expect((await running).end).toEqual({ kind: "cancelled" });
    await nothingLeft(far.mark);
  });

  test("leaves no process of the protocol after an abort", async () => {
    for (const sh of SHELLS) {
      const far = machine({ sh });
      const user = new AbortController();
      const { ended } = await started("sleep 600", { signal: user.signal }, far.runtime);
      user.abort();
      expect((await ended).end).toEqual({ kind: "cancelled" });
      await nothingLeft(far.mark);
    }
  });

  test("does not wait for a session that never ends", async () => {
    const kill = vi.fn();
    const far: RemoteShell = {
      label: "far",
      open() {
        const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
        stdin.once("data", (words: Buffer) => {
          const token = /'([0-9a-f]{24})'/.exec(words.toString())?.[1] ?? "";
          stdout.write(`${token}-started\nout`);
          stderr.write(`${token}-started\nerr${token}-ended exited 3 1 itself\n`);
        });
        return Promise.resolve({
          stdin,
          stdout,
          stderr,
          kill,
          ended: new Promise(() => undefined),
        });
      },
      dispose: () => Promise.resolve(),
    };
    const { end, stdout, stderr } = await exec(
      "true",
      {},
      new RemoteRuntime(far, new LocalFiles())
    );
    expect(end).toEqual({ kind: "exited", code: 3 });
    expect([stdout.text, stderr.text]).toEqual(["out", "err"]);
    expect(kill).toHaveBeenCalled();
  });

  test("ends at an abort if the connection never opens", async () => {
    const user = new AbortController();
    const far: RemoteShell = {
      label: "far",
      open() {
        setImmediate(() => {
          user.abort();
        });
        return new Promise(() => undefined);
      },
      dispose: () => Promise.resolve(),
    };
    const running = exec("true", { signal: user.signal }, new RemoteRuntime(far, new LocalFiles()));
    expect((await running).end).toEqual({ kind: "cancelled" });
  });

  test("runs 16 programs at once", async () => {
    const far = machine();
    const all = Array.from({ length: 16 }, (_, index) =>
      output(`echo ${index}`, { stdin: "x", timeoutMs: 20_000 }, far.runtime)
    );
    expect(await Promise.all(all)).toEqual(all.map((_, index) => `${index}\n`));
    await nothingLeft(far.mark);
  });
});

describe("output", () => {
  test("does not contain a banner, and two hundred megabytes are counted without keeping it (H20)", async () => {
    const far = machine({ banner: "Welcome!\nno newline" });
    expect(await output("echo only", {}, far.runtime)).toBe("only\n");
    const before = process.memoryUsage().rss;
    const { stdout } = await exec("head -c 200000000 /dev/zero", { keepBytes: 1000 }, far.runtime);
    expect(stdout).toMatchObject({ bytes: 200_000_000, truncated: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
  });
});

describe("a machine without some programs", () => {
  test("runs a command line in sh without bash", async () => {
    const far = machine({ without: ["bash"] });
    expect(await output('echo "$0"', {}, far.runtime)).toBe("/bin/sh\n");
  });

  test.each(SHELLS)("ends the tree without setsid, if sh is %s", async (sh) => {
    const far = machine({ sh, without: ["setsid"] });
    const { pids } = await untilLimit(
      "(sh -c 'echo $$; exec sleep 600' &); sleep 600 & sleep 31",
      far.runtime
    );
    expect(pids.filter(isAlive).slice(1)).toEqual([]);
    for (const pid of pids.filter(isAlive)) process.kill(pid);
  });
});

describe("a program that cannot start (H23)", () => {
  const message = async (command: Command, more?: Partial<ExecRequest>): Promise<string> => {
    const { end, stdout, stderr } = await exec(command, more);
    expect([stdout.bytes, stderr.bytes]).toEqual([0, 0]);
    if (end.kind !== "notStarted") throw new Error(`it ran: ${JSON.stringify(end)}`);
    return `${end.code ?? "-"}: ${end.message}`;
  };

  test("is reported with the messages of the local machine", async () => {
    const cwd = await tempDir();
    await writeFile(join(cwd, "stop"), "#!/bin/sh\n", { mode: 0o644 });
    await writeFile(join(cwd, "bad"), "#! /no/such/python -u\n", { mode: 0o755 });
    await symlink("loop", join(cwd, "loop"));
    const file = (name: string): Command => ({ file: name, args: [] });
    expect(await message(file("no-such-program"))).toBe(
      "ENOENT: “no-such-program” is not on the PATH; install it or give its path"
    );
    expect(await message(file("./nope"), { cwd })).toBe("ENOENT: “./nope” does not exist");
    expect(await message(file("./loop"), { cwd })).toBe("ENOENT: “./loop” does not exist");
    expect(await message(file("./stop"), { cwd })).toMatch("EACCES: “./stop” is not executable;");
    expect(await message(file(cwd))).toBe(`EACCES: “${cwd}” is a folder, not a program`);
    expect(await message(file("./bad"), { cwd })).toBe(
      `ENOENT: the interpreter of “${cwd}/bad” does not exist; its first line is "#! /no/such/python -u"`
    );
    expect(await message(file("true"), { cwd: `${cwd}/gone` })).toBe(
      `ENOENT: the working directory ${cwd}/gone does not exist`
    );
    expect(await message(file("true"), { cwd: `${cwd}/stop` })).toBe(
      `ENOTDIR: the working directory ${cwd}/stop is not a folder`
    );
    expect(await message(file("true"), { cwd: `${cwd}/stop/below` })).toMatch(
      "cannot be entered (ENOTDIR)"
    );
    expect(await message({ script: "true", shell: "no-such-shell" })).toMatch(/^ENOENT: /);
    expect(await message(file("tr\0ue"))).toMatch("NUL byte");
    expect(await message({ script: "x".repeat(130_000) })).toMatch(
      /^E2BIG: the arguments and the environment of “sh” are longer than the system allows .*in a file/
    );
  });

  test("is not reported for a script with a syntax error", async () => {
    const { end, stderr } = await exec("if then");
    expect(end).toEqual({ kind: "exited", code: 2 });
    expect(stderr.text).toMatch("syntax error");
  });

  test("is reported if the connection is lost before the start", async () => {
    const far = machine({ login: ["/bin/false"] });
    expect((await exec("true", {}, far.runtime)).end).toMatchObject({ kind: "notStarted" });
  });
});

describe("the environment (H14)", () => {
  test("is that of the other machine, without removed and with added variables", async () => {
    const own = { OTEL_A: "a\nexport NOT=x", OTEL_B: "b", OTELX: "x", ONE: "1" };
    const far = machine({ env: { ...own, LC_ALL: undefined } });
    const text = await output(
      { file: "env", args: [] },
      { unsetEnv: ["OTEL_*", "ONE"], passEnv: ["OTEL_B"], env: { TWO: "2" } },
      far.runtime
    );
    const names = text.split("\n").map((line) => line.split("=")[0]);
    expect(names).toEqual(expect.arrayContaining(["OTEL_B", "OTELX", "TWO", "PATH"]));
    expect(names).not.toContain("OTEL_A");
    expect(names).not.toContain("ONE");
    expect(names).not.toContain("LC_ALL");
  });
});

describe("a log on the other machine (G11)", () => {
  test("has a header, the output as it comes, and a footer", async () => {
    const path = join(await tempDir(), "below", "log");
    const { stdout, stderr } = await exec("echo out; printf err >&2", {
      logTo: { path, keepBytes: 1000, header: "# head\n", footer: ({ end }) => `# ${end.kind}\n` },
    });
    expect([stdout.bytes, stderr.bytes, stdout.text]).toEqual([7, 0, ""]);
    expect(await readFile(path, "utf8")).toBe("# head\nout\nerr\n# exited\n");
  });

  test("keeps both ends of long output, and the number of bytes left out between them", async () => {
    const path = join(await tempDir(), "log");
    const result = await exec("seq 1000000", { logTo: { path, keepBytes: 20 } });
    expect(result.logFailure).toBeUndefined();
    expect(await readFile(path, "utf8")).toMatch(
      /^1\n2\n3\n4\n5\n\[… 6888876 bytes left out …\]\n9\n1000000\n$/
    );
  });

  test("that cannot be written prevents the start of the program", async () => {
    const folder = await tempDir();
    const { end } = await exec(`touch '${folder}/ran'`, { logTo: { path: folder, keepBytes: 20 } });
    expect(end).toMatchObject({ kind: "notStarted", code: "EISDIR" });
    await expect(readFile(join(folder, "ran"))).rejects.toThrow("ENOENT");
  });

  test("that cannot grow loses output, and the program continues", async () => {
    const path = join(await tempDir(), "log");
    // The limit on the file size has the same effect as a full disk.
    const login = ["/bin/sh", "-c", 'ulimit -f 64; trap "" XFSZ; eval "$0"'];
    const far = machine({ login });
    const { end, stdout, logFailure } = await exec(
      "seq 1000000",
      { logTo: { path, keepBytes: 4 * MIB } },
      far.runtime
    );
    expect(end).toEqual({ kind: "exited", code: 0 });
    // Output that was being written is not counted.
    expect(stdout.bytes).toBeGreaterThan(6_800_000);
    expect(logFailure).toMatchObject({ path, code: "EFBIG" });
    await nothingLeft(far.mark);
  });
});
