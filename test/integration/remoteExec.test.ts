/** Programs of the remote protocol in real processes. This machine is also the remote machine. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { KILL_GRACE_MS, MIB } from "@/common/limits";
import { lostWith } from "@/node/runtime/lostConnection";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { Command, ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { LocalShell, type LocalShellOptions } from "@test/helpers/remote/localShell";
import { livingInSession } from "@test/helpers/process/processGroups";
import { isAlive, kill, makeGate } from "@test/helpers/process/processes";
import { has } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

// Shorter than the grace period, to distinguish a program that SIGTERM has ended from one that only SIGKILL ended.
const LIMIT_MS = 1_000;
const SHELLS = (["dash", "bash", "busybox"] as const).filter(has);

/** Marks the environment of a test's sessions, so that their processes are found under any parent. */
let mark = 0;

function machine(options: LocalShellOptions = {}) {
  const name = `far-${process.pid}-${++mark}`;
  const env = { ...process.env, ...options.env, FAR_MARK: name };
  const shell = new LocalShell({ ...options, env });
  return { shell, mark: name, runtime: new RemoteRuntime(shell, new LocalFiles()) };
}

/** @param others the processes of an earlier look that had another environment, which are not read again */
function alive(name: string, others = new Set<string>()): string[] {
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1").replaceAll("\0", " ");
    } catch {
      return "";
    }
  };
  const pids = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && !others.has(pid));
  return pids.flatMap((pid) => {
    const environ = read(pid, "environ");
    if (environ.includes(`FAR_MARK=${name} `)) return [read(pid, "cmdline")];
    if (environ !== "") others.add(pid);
    return [];
  });
}

/** Waits until these processes of a session are left, soon after its end. */
async function expectLeft(name: string, ...left: string[]): Promise<void> {
  const others = new Set<string>();
  await expectSoon(() => alive(name, others)).toEqual(left);
}

type Far = ReturnType<typeof machine>;
const near = machine();

function exec(
  command: Command | string,
  more: Partial<ExecRequest> = {},
  { runtime }: Pick<Far, "runtime"> = near
): Promise<ExecResult> {
  const asCommand = typeof command === "string" ? { script: command } : command;
  return runtime.exec({ command: asCommand, cwd: "/", ...more });
}

async function output(command: Command | string, more?: Partial<ExecRequest>, far?: Far) {
  const { end, stdout, stderr } = await exec(command, more, far);
  expect({ end, stderr: stderr.text }).toEqual({ end: { kind: "exited", code: 0 }, stderr: "" });
  return stdout.text;
}

async function untilLimit(script: string, far?: Far) {
  const result = await exec(`echo $$; ${script}`, { timeoutMs: LIMIT_MS }, far);
  expect(result.end).toEqual({ kind: "timedOut" });
  return { result, pids: result.stdout.text.trim().split("\n").map(Number) };
}

/** Starts a script, and resolves once it runs. */
async function started(script: string, more?: Partial<ExecRequest>, far?: Far) {
  const { path } = await makeGate(await tempDir(), "ready");
  const ended = exec(`echo > '${path}'; ${script}`, more, far);
  await readFile(path);
  return { ended };
}

/** Expects that an abort ends a script and its children. */
async function expectCancelled(script: string, far: Far, stdin?: string): Promise<void> {
  const user = new AbortController();
  const { ended } = await started(script, { stdin, signal: user.signal }, far);
  user.abort();
  expect((await ended).end).toEqual({ kind: "cancelled" });
  await expectLeft(far.mark);
}

describe.each(SHELLS)("if sh is %s", (sh) => {
  const far = machine({ sh });

  test("distinguishes death by a signal from an exit code, also from one that shells use for signals (H21)", async () => {
    const codes = [0, 127, 128, 137, 255];
    // bash ends a `read` after this many seconds.
    const idle = machine({ sh, env: { TMOUT: "3" } });
    const slow = exec('sleep 3.2; exit "$TMOUT"', {}, idle);
    const signals = ["SIGTERM", "SIGKILL", "SIGSEGV"];
    // A shell prints no message for these.
    const unreported = [exec("kill -INT $$", {}, far), exec("kill -PIPE $$", {}, far)];
    const all = await Promise.all([
      ...unreported,
      ...codes.map((code) => exec(`exit ${code}`, {}, far)),
      ...signals.map((signal) => exec(`kill -${signal.slice(3)} $$`, {}, far)),
    ]);
    expect(all.map(({ end }) => end)).toEqual([
      { kind: "exited", code: 130 },
      { kind: "exited", code: 141 },
      ...codes.map((code) => ({ kind: "exited", code })),
      ...signals.map((signal) => ({ kind: "signaled", signal })),
    ]);
    expect(all.map(({ stderr }) => stderr.text).join("")).toBe("");
    expect((await slow).end).toEqual({ kind: "exited", code: 3 });
    // The shell's own message about a killed child is kept.
    const { end, stderr } = await exec(`sh -c 'kill -9 $$'; exit $?`, {}, far);
    expect(end).toEqual({ kind: "exited", code: 137 });
    expect(stderr.text).toMatch("Killed");
    await expectLeft(far.mark);
  });

  test("passes input, output, folder, environment and arguments unchanged", async () => {
    const cwd = join(await tempDir(), "-a b'\"$x`\\\n!grün 🎉");
    await mkdir(cwd);
    await symlink("/bin/sh", join(cwd, "sh"));
    const odd = ["'\"`$HOME\\", "!x !", "grün 🎉", "*", "\t\x01"];
    const awkward = ["", "-n", "a b", "new\nline\n", ...odd];
    const print = 'printf "%s|" "$@"; printf "%s|" "$VALUE" "$PWD"; pwd; cat';
    const env = { VALUE: awkward.join("|"), "odd-NAME": "x\ny", EMPTY: "" };
    const command = { file: join(cwd, "sh"), args: ["-c", print, "sh", ...awkward] };
    expect(await output(command, { cwd, env, stdin: "in\nput" }, far)).toBe(
      `${[...awkward, ...awkward, cwd].join("|")}|${cwd}\nin\nput`
    );
    expect(await output({ file: "env", args: [] }, { env: { "odd-NAME": "x" } }, far)).toContain(
      "odd-NAME=x\n"
    );
  });

  test("ends the tree at a limit, at an abort and at a lost connection", async () => {
    const { pids } = await untilLimit("sleep 600 & sleep 601; wait", far);
    expect(await livingInSession(pids[0]!)).toEqual([]);
    await expectCancelled("sleep 32 & sleep 33", far);
    const { ended } = await started("sleep 34 & sleep 35", {}, far);
    far.shell.cut();
    expect((await ended).end).toEqual({ kind: "lost", message: "the connection was cut" });
    await expectLeft(far.mark);
  });

  test("kills a program that ignores SIGTERM after the grace period", async () => {
    const { result } = await untilLimit("trap '' TERM; sleep 600; sleep 600", far);
    expect(result.durationMs).toBeGreaterThan(LIMIT_MS + KILL_GRACE_MS - 100);
    await expectLeft(far.mark);
  });

  test("lets a program clean up with other programs (H21)", async () => {
    const dir = await tempDir();
    const tidy = "trap 'echo > told' TERM\necho > begun\nsleep 0.5\n";
    await writeFile(join(dir, "tidy.sh"), tidy);
    await untilLimit(`cd ${dir}; trap 'sh tidy.sh; exit' TERM; sleep 600 & wait`, far);
    await expectLeft(far.mark);
    expect(readdirSync(dir).sort()).toEqual(["begun", "tidy.sh"]);
  });

  test("ends the tree without setsid", async () => {
    const { pids } = await untilLimit(
      "(sh -c 'echo $$; exec sleep 600' &); sleep 600 & sleep 31",
      machine({ sh, without: ["setsid"] })
    );
    expect(pids.filter(isAlive).slice(1)).toEqual([]);
    pids.forEach(kill);
  });
});

test("runs a command line in sh on a machine without bash", async () => {
  expect(await output('echo "$0"', {}, machine({ without: ["bash"] }))).toBe("/bin/sh\n");
});

test("an abort ends a program that does not read its input", async () => {
  await expectCancelled("sleep 600", machine(), "0".repeat(MIB));
});

describe("the end of a program (H21)", () => {
  test.each([
    ["the pipes", "sleep 600", undefined],
    ["the input", "sleep 600 <&0 >/dev/null 2>&1", "0".repeat(MIB)],
  ])("does not wait for a child that holds %s, which stays alive", async (_what, child, stdin) => {
    const far = machine();
    const { end, stdout } = await exec(`${child} & echo $!`, { stdin }, far);
    onTestFinished(() => {
      kill(Number(stdout.text));
    });
    expect(end).toEqual({ kind: "exited", code: 0 });
    await expectLeft(far.mark, "sleep 600 ");
  });

  test("takes output that a helper still forwards, on both streams", async () => {
    const findRunner = "read -r _ _ _ runner _ </proc/$PPID/stat";
    const helper =
      'read -r line; while kill -0 $runner; do :; done; printf "$line"; printf late >&3';
    const script = `${findRunner}; exec 3>&2 2>/dev/null > >(${helper}); echo line`;
    const { end, stdout, stderr } = await exec(script);
    expect(end).toEqual({ kind: "exited", code: 0 });
    expect([stdout.text, stderr.text]).toEqual(["line", "late"]);
  });

  test("ends a child with its own session, and does not wait for an orphan", async () => {
    const child = "setsid sh -c 'echo $$; exec sleep 600' &";
    const { pids } = await untilLimit(`${child} sleep 600`);
    expect(isAlive(pids[1]!)).toBe(false);
    const { pids: others } = await untilLimit(`(${child}); sleep 600`);
    onTestFinished(() => {
      kill(others[1]!);
    });
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
    const script = `echo > '${path}'; trap '' TERM; sleep 600; sleep 600`;
    const ended = exec(script, { timeoutMs: LIMIT_MS }, far);
    await readFile(path);
    await expectLeft(far.mark);
    expect((await ended).end).toEqual({ kind: "timedOut" });
  });

  test("starts no program if the signal is already aborted", async () => {
    const far = machine();
    const cancelled = { kind: "cancelled" };
    expect((await exec("true", { signal: AbortSignal.abort() }, far)).end).toEqual(cancelled);
    expect(far.shell.opened).toBe(0);
    const user = new AbortController();
    const running = exec("sleep 600", { signal: user.signal }, far);
    user.abort();
    expect((await running).end).toEqual(cancelled);
    await expectLeft(far.mark);
  });

  const fake = (open: RemoteShell["open"]): Pick<Far, "runtime"> => {
    const shell = { label: "far", open, dispose: () => Promise.resolve() };
    return { runtime: new RemoteRuntime(shell, new LocalFiles()) };
  };

  test.each([
    ["that reported its end", { kind: "exited", code: 3 }],
    ["that starts after an abort", { kind: "cancelled" }],
  ])("does not wait for a session that never ends %s", async (_, expected) => {
    const user = new AbortController();
    const isAborted = expected.kind === "cancelled";
    const kill = vi.fn();
    const far = fake(() => {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
      stdin.once("data", (words: Buffer) => {
        const token = /'([0-9a-f]{24})'/.exec(words.toString())?.[1] ?? "";
        if (isAborted) user.abort();
        else stdout.write(`${token}-started\nout`);
        stderr.write(
          `${token}-started\nerr${isAborted ? "" : `${token}-ended exited 3 1 itself\n`}`
        );
      });
      const ended = new Promise<never>(() => undefined);
      return Promise.resolve({ stdin, stdout, stderr, kill, ended });
    });
    const { end, stdout, stderr } = await exec("true", { signal: user.signal }, far);
    expect(end).toEqual(expected);
    if (!isAborted) expect([stdout.text, stderr.text]).toEqual(["out", "err"]);
    expect(kill).toHaveBeenCalled();
  });

  test("ends at an abort if the connection never opens", async () => {
    const user = new AbortController();
    const far = fake(() => {
      setImmediate(() => {
        user.abort();
      });
      return new Promise(() => undefined);
    });
    const { end } = await exec("true", { signal: user.signal }, far);
    expect(end).toEqual({ kind: "cancelled" });
  });
});

test("output does not contain a banner, and a hundred megabytes are counted without keeping it (H20)", async () => {
  const far = machine({ banner: "Welcome!\nno newline" });
  expect(await output("echo only", {}, far)).toBe("only\n");
  const before = process.memoryUsage().rss;
  const { stdout } = await exec("head -c 100000000 /dev/zero", { keepBytes: 1000 }, far);
  expect(stdout).toMatchObject({ bytes: 100_000_000, truncated: true });
  expect(process.memoryUsage().rss - before).toBeLessThan(75 * MIB);
});

describe("a program that cannot start (H23)", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await tempDir();
    await writeFile(join(cwd, "stop"), "#!/bin/sh\n", { mode: 0o644 });
    await writeFile(join(cwd, "bad"), "#! /no/such/python -u\n", { mode: 0o755 });
    await symlink("loop", join(cwd, "loop"));
  });

  test.each<
    [command: string | { script: string; shell?: string }, message: string, folder?: string]
  >([
    ["./loop", "ENOENT: “./loop” does not exist"],
    ["./stop", "EACCES: “./stop” is not executable; "],
    ["CWD", "EACCES: “CWD” is a folder, not a program"],
    [
      "./bad",
      'ENOENT: the interpreter of “CWD/bad” does not exist; its first line is "#! /no/such/python -u"',
    ],
    ["true", "ENOENT: the working directory CWD/gone does not exist", "gone"],
    ["true", "ENOTDIR: the working directory CWD/stop is not a folder", "stop"],
    [
      "true",
      "ENOTDIR: the working directory CWD/stop/below cannot be entered (ENOTDIR)",
      "stop/below",
    ],
    [
      { script: "a\0b" },
      "EINVAL: the command, its working directory or its environment contains a NUL",
    ],
    [{ script: "true", shell: "no-such" }, "ENOENT: “no-such” is not on the PATH"],
    [
      { script: "x".repeat(130_000) },
      "E2BIG: the arguments and the environment of “sh” are longer than the system allows (E2BIG); pass the data in a file",
    ],
  ])("%o is reported with the message of the local machine", async (what, message, folder = "") => {
    const command = typeof what === "string" ? { file: what.replace("CWD", cwd), args: [] } : what;
    const { end, stdout, stderr } = await exec(command, { cwd: join(cwd, folder) });
    expect([stdout.bytes, stderr.bytes]).toEqual([0, 0]);
    if (end.kind !== "notStarted") throw new Error(`it ran: ${JSON.stringify(end)}`);
    expect(`${end.code ?? "-"}: ${end.message}`).toContain(message.replace("CWD", cwd));
  });

  test("is reported if the connection is lost before the start", async () => {
    const login = ["sh", "-c", "echo no login; echo 'container 4f2a is not running' >&2; exit 1"];
    const { end } = await exec("true", {}, machine({ login }));
    const why = lostWith(end);
    expect(why).toMatch(/^no shell started .* which printed .*container 4f2a is not running/s);
    expect(why).toContain("no login");
  });
});

test.each([
  [["OTEL_*", "ONE"], ["OTEL_B"], ["OTEL_B", "OTELX", "TWO", "PATH"]],
  [["*"], ["OTEL*", "PATH"], ["OTEL_A", "OTEL_B", "OTELX", "TWO", "PATH"]],
  [["OTEL_*", "OTELX", "ONE"], ["OTEL*"], ["OTEL_A", "OTEL_B", "OTELX", "TWO", "PATH"]],
])(
  "removes %j from the environment of the other machine, except %j, and adds variables (H14, G12)",
  async (unsetEnv, passEnv, left) => {
    const own = { OTEL_A: "a t limit\nexport NOT=x", OTEL_B: "b", OTELX: "x", ONE: "1" };
    const text = await output(
      { file: "env", args: [] },
      { unsetEnv, passEnv, env: { TWO: "2" } },
      machine({ env: { ...own, LC_ALL: undefined } })
    );
    const names = new Set(text.split("\n").map((line) => line.split("=")[0]));
    const asked = ["OTEL_A", "OTEL_B", "OTELX", "ONE", "TWO", "PATH", "LC_ALL"];
    expect(asked.filter((name) => names.has(name))).toEqual(left);
  }
);
