/** Failures of connections to another machine. Each has a message with the next step, and none prompts the user. */
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";
import { hasSshd, Sshd, type SshdOptions } from "@test/helpers/remote/sshd";
import { clientProcesses, openShell, readSession, runLine } from "@test/helpers/remote/sshSessions";
import { tempDir } from "@test/helpers/tempDir";

/** Settings that detect a dead connection after 1 × 2 s instead of 5 × 3 s. */
const IMPATIENT = ["ServerAliveInterval=1", "ServerAliveCountMax=2", "ConnectTimeout=2"];

describe.runIf(hasSshd)("a connection that cannot be made", () => {
  test("reports a refused connection", async () => {
    const sshd = await startSshd();
    await sshd.stopListening();
    const ran = await runLine(openShell(sshd), "true");
    expect(ran.end).toEqual({
      kind: "broken",
      code: "ECONNREFUSED",
      message:
        "box refused the connection; check that sshd runs on it and listens on the port that you use",
    });
    expect(await clientProcesses(sshd)).toEqual([]);
  });

  test("reports an unknown host name", async () => {
    const sshd = await startSshd();
    const ran = await runLine(openShell(sshd, "nobody.invalid"), "true");
    expect(ran.end).toMatchObject({ kind: "broken", code: "ENOTFOUND" });
  });

  test("reports a changed host key", async () => {
    const sshd = await startSshd();
    await sshd.stopListening();
    await sshd.newHostKey();
    await sshd.listen();
    const { end } = await runLine(openShell(sshd), "true");
    expect(end).toMatchObject({ kind: "broken", code: "EHOSTKEY" });
    expect(end).toHaveProperty(
      "message",
      `the host key of box has changed, so it may be a different machine; if you expect the change, remove the old key from ${sshd.knownHosts}:1 and run "ssh box" once in a terminal`
    );
  });

  test("reports an unknown host key", async () => {
    const sshd = await startSshd();
    await writeFile(sshd.knownHosts, "");
    const { end } = await runLine(openShell(sshd), "true");
    expect(end).toEqual({
      kind: "broken",
      code: "EHOSTKEY",
      message:
        'the host key of box is not known on this machine; run "ssh box" once in a terminal and accept the key',
    });
  });

  test.each([
    ["a password is needed", ["PubkeyAuthentication no", "PasswordAuthentication yes"], "password"],
    ["the key is refused", ["AuthorizedKeysFile none"], "publickey"],
  ])("fails without a prompt if %s", async (_what, settings, takes) => {
    const sshd = await startSshd({ settings });
    const { end } = await runLine(openShell(sshd), "true");
    expect(end).toMatchObject({ kind: "broken", code: "EAUTH" });
    expect(end).toHaveProperty("message", expect.stringContaining(`(it accepts ${takes})`));
  });

  test("fails without a prompt if the jump host requires a password", async () => {
    const jump = await startSshd({
      alias: "jump",
      settings: ["PubkeyAuthentication no", "PasswordAuthentication yes"],
    });
    const sshd = await startSshd();
    await writeFile(
      sshd.config,
      sshd.hostBlock("box", ["ProxyJump jump"]) + jump.hostBlock("jump")
    );
    const { end } = await runLine(openShell(sshd), "true");
    expect(end).toMatchObject({ kind: "broken", code: "EAUTH" });
  });

  test("reports a missing ssh client", async () => {
    const sockets = await tempDir();
    vi.stubEnv("XDG_RUNTIME_DIR", sockets);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const shell = new SshShell({ target: { host: "box" }, env: { PATH: "/nowhere" } });
    onTestFinished(() => shell.dispose());
    expect((await runLine(shell, "true")).end).toEqual({
      kind: "broken",
      code: "ENOENT",
      message: "ssh is not on the PATH; install the OpenSSH client",
    });
    expect(await readdir(sockets)).toEqual([]);
  });

  test("reports an invalid ssh_config", async () => {
    const sshd = await startSshd();
    await writeFile(sshd.config, "Nonsense yes\n");
    const { end } = await runLine(openShell(sshd), "true");
    expect(end).toMatchObject({ kind: "broken", code: "ECONFIG" });
    expect(end).toHaveProperty(
      "message",
      expect.stringContaining("line 1: Bad configuration option: nonsense")
    );
  });

  test("times out if the machine does not respond", async () => {
    const sshd = await startSshd();
    await sshd.freeze();
    const { end } = await runLine(openShell(sshd, "box", IMPATIENT), "true");
    expect(end).toMatchObject({ kind: "broken", code: "ETIMEDOUT" });
  });

  test("is tried again by the next session", async () => {
    const sshd = await startSshd();
    await sshd.stopListening();
    const shell = openShell(sshd);
    await runLine(shell, "true");
    await sshd.listen();
    expect((await runLine(shell, "echo back")).stdout).toBe("back\n");
  });

  test("can be aborted while it is being made", async () => {
    const sshd = await startSshd();
    await sshd.freeze();
    const shell = openShell(sshd);
    const control = new AbortController();
    const waiting = shell.open("true", control.signal);
    control.abort();
    expect((await readSession(await waiting)).end).toMatchObject({ code: "ECANCELED" });
    await shell.dispose();
    expect(await clientProcesses(sshd)).toEqual([]);
  });
});

describe.runIf(hasSshd)("a lost connection", () => {
  test("ends running sessions at once if sshd is killed, and the next session connects again", async () => {
    const sshd = await startSshd();
    const shell = openShell(sshd);
    const sessions = await Promise.all(
      ["sleep 600", "echo begun; sleep 600", "cat"].map((line) => shell.open(line))
    );
    await runLine(shell, "true");
    await sshd.kill();
    const ran = await Promise.all(sessions.map(readSession));
    expect(ran.map(({ end }) => end)).toEqual(
      sessions.map(() => ({
        kind: "broken",
        code: "ECONNRESET",
        message: "the connection to box was closed unexpectedly",
      }))
    );
    expect(ran[1]?.stdout).toBe("begun\n");
    await sshd.listen();
    expect((await runLine(shell, "echo back")).stdout).toBe("back\n");
  });

  test("ends the input of the program on the other machine", async () => {
    const sshd = await startSshd();
    const shell = openShell(sshd);
    const session = await shell.open('cat >/dev/null; echo over >"$HOME/seen"');
    await runLine(shell, "true");
    await sshd.cutConnections();
    await session.ended;
    const wait = 'while ! [ -s "$HOME/seen" ]; do sleep 0.05; done; cat "$HOME/seen"';
    expect((await runLine(shell, wait)).stdout).toBe("over\n");
  });

  test("is detected without an error from the network, and works again afterwards", async () => {
    const sshd = await startSshd();
    const shell = openShell(sshd, "box", IMPATIENT);
    const session = await shell.open("echo begun; sleep 600");
    const begun = once(session.stdout, "data");
    const ended = readSession(session);
    await begun;
    await sshd.freeze();
    const { end, stdout } = await ended;
    expect(end).toMatchObject({ kind: "broken", code: "ETIMEDOUT" });
    expect(end).toHaveProperty(
      "message",
      "the connection to box was lost because box stopped responding"
    );
    expect(stdout).toBe("begun\n");
    await sshd.thaw();
    expect((await runLine(shell, "echo back")).stdout).toBe("back\n");
  });

  test("is not assumed after a short interruption", async () => {
    const sshd = await startSshd();
    const shell = openShell(sshd);
    const session = await shell.open("cat");
    await runLine(shell, "true");
    await sshd.freeze();
    session.stdin.end("patience");
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // The test needs this time to pass.
    await sshd.thaw();
    expect(await readSession(session)).toMatchObject({
      end: { kind: "over", code: 0 },
      stdout: "patience",
    });
  });
});

async function startSshd(options?: SshdOptions): Promise<Sshd> {
  const sshd = await Sshd.start(options);
  onTestFinished(() => sshd.dispose());
  return sshd;
}
