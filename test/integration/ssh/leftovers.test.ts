/** Connections leave no processes or sockets behind on this machine. */
import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";
import { SshConnection } from "@/node/runtime/ssh/SshConnectionPool";
import { childScript } from "@test/helpers/process/childScript";
import { hasSshd } from "@test/helpers/remote/sshd";
import * as ssh from "@test/helpers/remote/sshSessions";
import { expectSoon } from "@test/helpers/soon";
import { tempDir } from "@test/helpers/tempDir";

describe.runIf(hasSshd)("a connection leaves nothing behind", () => {
  const sshd = ssh.shareSshd();

  test("after it was disposed, also during sessions", async () => {
    const shell = new SshShell({ target: { host: "box" }, config: sshd().config });
    const session = await shell.open("sleep 60");
    await ssh.runLine(shell, "true");
    const sockets = await ssh.masterSockets(sshd());
    expect(sockets).toHaveLength(1);
    await shell.dispose();
    expect(sockets.map((socket) => existsSync(dirname(socket)))).toEqual([false]);
    expect(await session.ended).toMatchObject({ kind: "broken" });
    expect(await ssh.clientProcesses(sshd())).toEqual([]);
    expect((await ssh.runLine(shell, "true")).end).toMatchObject({
      kind: "broken",
      code: "ECANCELED",
      message: "the SSH connection was closed",
    });
  });

  test("after it was stopped, with its socket where the path is not too long for one", async () => {
    const long = join(await tempDir(), "x".repeat(80));
    await mkdir(long);
    vi.stubEnv("XDG_RUNTIME_DIR", long);
    const destination = { target: { host: sshd().alias }, config: sshd().config };
    const started = await SshConnection.start(destination, new AbortController().signal);
    const connection = started._unsafeUnwrap();
    expect([connection.isOver, await connection.isAlive()]).toEqual([false, true]);
    expect(await readdir(long)).toEqual([]);
    await connection.stop();
    expect([connection.isOver, await connection.isAlive()]).toEqual([true, false]);
    expect(existsSync(dirname(connection.socket))).toBe(false);
  });

  test("after it was disposed while it was being made", async () => {
    const shell = new SshShell({ target: { host: "box" }, config: sshd().config });
    const opening = shell.open("sleep 60");
    await shell.dispose();
    expect(await (await opening).ended).toMatchObject({ kind: "broken" });
    await expectSoon(() => ssh.clientProcesses(sshd())).toEqual([]);
  });

  test.each([
    ["ends by itself", "ends", undefined],
    ["is killed in the middle of a session", "waits", "SIGKILL"],
  ] as const)("after its host %s", async (_what, how, signal) => {
    const host = spawn(process.execPath, [await childScript("sshHost"), sshd().config, how], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const over = once(host, "exit");
    await once(host.stdout, "data");
    const sockets = await ssh.masterSockets(sshd());
    expect(sockets).toHaveLength(1);
    if (signal === undefined) host.stdin.end();
    else host.kill(signal);
    expect(await over).toEqual(signal === undefined ? [0, null] : [null, signal]);
    await expectSoon(() => ssh.clientProcesses(sshd())).toEqual([]);
    expect(existsSync(dirname(sockets[0]!))).toBe(false);
    if (signal === undefined) return;
    const wait = 'while ! [ -s "$HOME/seen" ]; do sleep 0.05; done; cat "$HOME/seen"';
    expect((await ssh.runLine(ssh.openShell(sshd()), wait)).stdout).toBe("over\n");
  });
});
