import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SshConnection } from "@/node/runtime/ssh/SshConnectionPool";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { tempDir } from "@test/helpers/tempDir";

describe.runIf(hasSshd)("a connection", () => {
  test("accepts sessions until it is stopped", async () => {
    const sshd = await Sshd.start();
    onTestFinished(() => sshd.dispose());
    const destination = { target: { host: sshd.alias }, config: sshd.config };
    const started = await SshConnection.start(destination, new AbortController().signal);
    const connection = started._unsafeUnwrap();
    onTestFinished(() => connection.stop());
    expect(connection.isOver).toBe(false);
    expect(await connection.isAlive()).toBe(true);
    await connection.stop();
    expect(connection.isOver).toBe(true);
    expect(await connection.isAlive()).toBe(false);
  });

  test("places its socket where the path is not too long for one", async () => {
    const sshd = await Sshd.start();
    onTestFinished(() => sshd.dispose());
    const long = join(await tempDir(), "x".repeat(80));
    await mkdir(long);
    vi.stubEnv("XDG_RUNTIME_DIR", long);
    onTestFinished(() => void vi.unstubAllEnvs());
    const destination = { target: { host: sshd.alias }, config: sshd.config };
    const started = await SshConnection.start(destination, new AbortController().signal);
    const connection = started._unsafeUnwrap();
    onTestFinished(() => connection.stop());
    expect(await connection.isAlive()).toBe(true);
    expect(await readdir(long)).toEqual([]);
  });
});
