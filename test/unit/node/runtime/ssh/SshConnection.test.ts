import { describe, expect, onTestFinished, test } from "vitest";
import { SshConnection } from "@/node/runtime/ssh/SshConnection";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";

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
});
