import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { MuxRemoteShell } from "@/host/session/MuxRemoteShell";
import type { HostStreams } from "@/host/muxTypes";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import { TestHostRuntime } from "@test/helpers/host/hostRuntime";
import { isAlive, readPids } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

const LABEL = "ssh://box";

async function machine() {
  const home = await tempDir();
  const way = new TestHostRuntime({ PATH: process.env.PATH, HOME: home });
  const shell = new MuxRemoteShell(LABEL, way, { openMs: 5_000, lingerMs: 50 });
  return { home, way, shell, runtime: new RemoteRuntime(shell, new LocalFiles()) };
}

/** Resolves when a remote program has noticed the end of its input. */
async function ended(home: string): Promise<void> {
  await expectSoon(() => readFile(join(home, "end"), "utf8")).toBe("end\n");
}

describe("a session", () => {
  test("passes output and input of the remote program, and ends with its exit code", async () => {
    const { shell } = await machine();
    const session = await shell.open("cat; echo no >&2; exit 3");
    const bytes = Buffer.alloc(300_000, "\0\xff", "latin1");
    session.stdin.end(bytes);
    const [out, words] = await Promise.all([buffer(session.stdout), text(session.stderr)]);
    expect(out.equals(bytes)).toBe(true);
    expect(words).toBe("no\n");
    expect(await session.ended).toEqual({ kind: "over", code: 3 });
  });

  test("ends at once when it is killed, and closes the remote program's input", async () => {
    const { home, way } = await machine();
    const shell = new MuxRemoteShell(LABEL, way, { lingerMs: 60_000 });
    const session = await shell.open("cat > /dev/null; echo end > ~/end");
    session.kill();
    expect(await session.ended).toMatchObject({ kind: "broken", code: "ECANCELED" });
    await ended(home);
  });

  test("accepts input that the remote program does not read, without an unhandled error", async () => {
    const { shell } = await machine();
    const session = await shell.open("exec sh -c 'exec 0<&-; echo done'");
    session.stdin.end(Buffer.alloc(300_000));
    expect(await text(session.stdout)).toBe("done\n");
    expect(await session.ended).toEqual({ kind: "over", code: 0 });
  });

  test.each([
    ["echo something; exit 255", /^the connection was lost$/],
    ["echo 'no route' >&2; exit 255", /^the machine could not be reached: no route$/],
    [
      "exit 255",
      /^the machine could not be reached: the program with which Mux connects to the machine ended with exit code 255$/,
    ],
    ["kill -9 $$", /ended with exit code -1$/],
  ])("fails if its client ends by itself: %s (H35)", async (line, words) => {
    const { shell } = await machine();
    const session = await shell.open(line);
    session.stdout.resume();
    session.stderr.resume();
    const message = expect.stringMatching(words) as string;
    expect(await session.ended).toEqual({ kind: "broken", code: "ELOST", message });
  });
});

test("ends a remote program that writes to standard error without end", async () => {
  const { home, way } = await machine();
  const shell = new MuxRemoteShell(LABEL, way, { errorBytes: 100_000, lingerMs: 50 });
  const runtime = new RemoteRuntime(shell, new LocalFiles());
  const command = { script: "echo $$ > pid; while :; do echo 'on and on' >&2; done" };
  const { end } = await runtime.exec({ command, cwd: home });
  const message = expect.stringContaining("standard error") as string;
  expect(end).toEqual({ kind: "lost", message });
  const pids = await readPids(join(home, "pid"));
  await expectSoon(() => pids.filter(isAlive)).toEqual([]);
});

describe("an unreachable machine fails the session (H35):", () => {
  const opened = async (exec: () => Promise<HostStreams>, signal?: AbortSignal) => {
    const shell = new MuxRemoteShell(LABEL, { exec }, { openMs: 50, lingerMs: 50 });
    const session = await shell.open("true", signal);
    session.stdin.end("nobody reads this");
    session.kill();
    return await session.ended;
  };

  test("if the host rejects or throws", async () => {
    const message = "the machine could not be reached: no way";
    const end = { kind: "broken", code: "ELOST", message };
    expect(await opened(() => Promise.reject(new Error("no way")))).toEqual(end);
    const throws = (): never => {
      throw new Error("no way");
    };
    expect(await opened(throws)).toEqual(end);
  });

  test("if the host cannot start its client", async () => {
    const { way } = await machine();
    const exec = async (): Promise<HostStreams> => {
      const signal = new AbortController().signal;
      const streams = await way.exec("true", { cwd: "/", abortSignal: signal });
      const failed = Promise.reject<number>(new Error("spawn ssh ENOENT"));
      return { ...streams, exitCode: failed, duration: failed.then(() => 0) };
    };
    const session = await new MuxRemoteShell(LABEL, { exec }).open("true");
    const message = "the machine could not be reached: spawn ssh ENOENT";
    expect(await session.ended).toEqual({ kind: "broken", code: "ELOST", message });
  });

  test("if the host takes too long, and closes a session that it opens later", async () => {
    const { home, way } = await machine();
    let open: () => void = () => undefined;
    const exec = async (): Promise<HostStreams> => {
      await new Promise<void>((resolve) => (open = resolve));
      const signal = new AbortController().signal;
      return await way.exec("cat; echo end > ~/end", { cwd: "/", abortSignal: signal });
    };
    expect(await opened(exec)).toMatchObject({ kind: "broken", code: "ETIMEDOUT" });
    open();
    await ended(home);
  });

  test("if the user interrupts meanwhile (H22)", async () => {
    const never = (): Promise<HostStreams> => new Promise(() => undefined);
    const controller = new AbortController();
    const end = opened(never, controller.signal);
    controller.abort();
    expect(await end).toMatchObject({ kind: "broken", code: "ECANCELED" });
    expect(await opened(never, AbortSignal.abort())).toMatchObject({ code: "ECANCELED" });
  });
});

test("a remote workspace runs a program in one round trip, and distinguishes a signal from an exit code", async () => {
  const { home, way, runtime } = await machine();
  const command = { script: `cat; echo "$A"; pwd; exit 7` };
  const env = { A: "it's\n“so”!" };
  const run = await runtime.exec({ command, cwd: home, env, stdin: "input\n" });
  expect(run.end).toEqual({ kind: "exited", code: 7 });
  expect(run.stdout.text).toBe(`input\n${env.A}\n${home}\n`);
  expect(way.count).toBe(1);
  const { end } = await runtime.exec({ command: { script: "kill -9 $$" }, cwd: home });
  expect(end).toEqual({ kind: "signaled", signal: "SIGKILL" });
});
