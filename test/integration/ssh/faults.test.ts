/** Failures of connections to another machine. Each has a message with the next step, and none prompts the user. */
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { clientProcesses, openShell, readSession, runLine } from "@test/helpers/remote/sshSessions";
import { expectSoon } from "@test/helpers/soon";
import { putFile, tempDir } from "@test/helpers/tempDir";

/** Settings that detect a dead connection after 1 × 2 s instead of 5 × 3 s. */
const IMPATIENT = ["ServerAliveInterval=1", "ServerAliveCountMax=2", "ConnectTimeout=2"];

const UNKNOWN_KEY =
  'the host key of box is not known on this machine; run "ssh box" once in a terminal and accept the key';

let sshd: Sshd;
/** Accepts only a password. */
let jump: Sshd;
beforeAll(async () => {
  if (!hasSshd) return;
  const settings = ["PubkeyAuthentication no", "PasswordAuthentication yes"];
  [sshd, jump] = await Promise.all([Sshd.start(), Sshd.start({ alias: "jump", settings })]);
});
afterAll(async () => {
  if (hasSshd) await Promise.all([sshd.dispose(), jump.dispose()]);
});

describe.runIf(hasSshd)("a connection that cannot be made", () => {
  test.each([
    ["reports an unknown host name", "nobody.invalid", [], "ENOTFOUND", "nobody.invalid cannot be"],
    ["reports an unknown host key", "box", ["UserKnownHostsFile=none"], "EHOSTKEY", UNKNOWN_KEY],
    [
      "fails without a prompt if the key is refused",
      ...["box", ["PubkeyAuthentication=no"], "EAUTH", "(it accepts publickey)"],
    ],
  ] as const)("%s", async (_what, host, settings, code, message) => {
    const { end } = await runLine(openShell(sshd, host, settings), "true");
    expect(end).toMatchObject({ kind: "broken", code });
    expect(end).toHaveProperty("message", expect.stringContaining(message));
  });

  test("fails without a prompt if a password is needed, also on the jump host", async () => {
    const { end } = await runLine(openShell(jump), "true");
    expect(end).toMatchObject({ kind: "broken", code: "EAUTH" });
    expect(end).toHaveProperty("message", expect.stringContaining("(it accepts password)"));
    const config = join(await tempDir(), "config");
    await writeFile(config, sshd.hostBlock("box", ["ProxyJump jump"]) + jump.hostBlock("jump"));
    const behind = await runLine(shellWith(config), "true");
    expect(behind.end).toMatchObject({ kind: "broken", code: "EAUTH" });
  });

  test("reports an invalid ssh_config", async () => {
    const config = await putFile(join(await tempDir(), "config"), "Nonsense yes\n");
    const { end } = await runLine(shellWith(config), "true");
    expect(end).toMatchObject({ kind: "broken", code: "ECONFIG" });
    const message = expect.stringContaining("line 1: Bad configuration option: nonsense") as string;
    expect(end).toHaveProperty("message", message);
  });

  test("reports a missing ssh client", async () => {
    const sockets = await tempDir();
    vi.stubEnv("XDG_RUNTIME_DIR", sockets);
    const shell = new SshShell({ target: { host: "box" }, env: { PATH: "/nowhere" } });
    onTestFinished(() => shell.dispose());
    expect((await runLine(shell, "true")).end).toEqual({
      kind: "broken",
      code: "ENOENT",
      message: "ssh is not on the PATH; install the OpenSSH client",
    });
    expect(await readdir(sockets)).toEqual([]);
  });

  test("times out if the machine does not respond, and can be aborted while it is being made", async () => {
    await sshd.freeze();
    onTestFinished(() => sshd.thaw());
    const shell = openShell(sshd);
    const control = new AbortController();
    const waiting = shell.open("true", control.signal);
    control.abort();
    expect((await readSession(await waiting)).end).toMatchObject({ code: "ECANCELED" });
    await shell.dispose();
    expect(await clientProcesses(sshd)).toEqual([]);
    const { end } = await runLine(openShell(sshd, "box", IMPATIENT), "true");
    expect(end).toMatchObject({ kind: "broken", code: "ETIMEDOUT" });
  });

  test("is refused, then has a changed host key, and is tried again by each session", async () => {
    const own = await Sshd.start();
    onTestFinished(() => own.dispose());
    await own.stopListening();
    const shell = openShell(own);
    expect((await runLine(shell, "true")).end).toEqual({
      kind: "broken",
      code: "ECONNREFUSED",
      message:
        "box refused the connection; check that sshd runs on it and listens on the port that you use",
    });
    expect(await clientProcesses(own)).toEqual([]);
    await own.newHostKey();
    await own.listen();
    expect((await runLine(shell, "true")).end).toEqual({
      kind: "broken",
      code: "EHOSTKEY",
      message: `the host key of box has changed, so it may be a different machine; if you expect the change, remove the old key from ${own.knownHosts}:1 and run "ssh box" once in a terminal`,
    });
    await own.learnHostKey();
    expect((await runLine(shell, "echo back")).stdout).toBe("back\n");
  });
});

describe.runIf(hasSshd)("a lost connection", () => {
  test("ends sessions at once if sshd is killed, and the input of their programs; the next session connects again", async () => {
    const shell = openShell(sshd);
    const lines = ["sleep 600", "echo begun; sleep 600", 'cat >/dev/null; echo over >"$HOME/seen"'];
    const begun = lines.map((_, i) => `begun${i}`);
    const sessions = await Promise.all(
      lines.map((line, i) => shell.open(`: >"$HOME/${begun[i]}"; ${line}`))
    );
    await expectSoon(() => readdir(sshd.home)).toEqual(expect.arrayContaining(begun));
    await runLine(shell, "true");
    await sshd.kill();
    const ran = await Promise.all(sessions.map(readSession));
    const message = "the connection to box was closed unexpectedly";
    expect(ran.map(({ end }) => end)).toEqual(
      sessions.map(() => ({ kind: "broken", code: "ECONNRESET", message }))
    );
    expect(ran[1]?.stdout).toBe("begun\n");
    await sshd.listen();
    const seen = () => readFile(join(sshd.home, "seen"), "utf8").catch(() => "");
    await expectSoon(seen).toBe("over\n");
    expect((await runLine(shell, "echo back")).stdout).toBe("back\n");
  });

  test("is not assumed after a short interruption, but detected without an error from the network", async () => {
    const patient = openShell(sshd);
    const cat = await patient.open("cat");
    await runLine(patient, "true");
    const shell = openShell(sshd, "box", IMPATIENT);
    const session = await shell.open("echo begun; sleep 600");
    const begun = once(session.stdout, "data");
    const ended = readSession(session);
    await begun;
    await sshd.freeze();
    cat.stdin.end("patience");
    expect(await ended).toMatchObject({
      end: {
        kind: "broken",
        code: "ETIMEDOUT",
        message: "the connection to box was lost because box stopped responding",
      },
      stdout: "begun\n",
    });
    await sshd.thaw();
    const over = { end: { kind: "over", code: 0 }, stdout: "patience" };
    expect(await readSession(cat)).toMatchObject(over);
    expect((await runLine(shell, "echo back")).stdout).toBe("back\n");
  });
});

function shellWith(config: string): SshShell {
  const shell = new SshShell({ target: { host: "box" }, config });
  onTestFinished(() => shell.dispose());
  return shell;
}
