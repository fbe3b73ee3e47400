/** Sessions over a real sshd that works correctly. */
import { randomBytes } from "node:crypto";
import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces, userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MIB } from "@/common/limits";
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";
import { isAlive, makeGate } from "@test/helpers/process/processes";
import { hasSshd, Sshd, type SshdOptions } from "@test/helpers/remote/sshd";
import { expectSoon } from "@test/helpers/soon";
import { pathOf } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import * as ssh from "@test/helpers/remote/sshSessions";

describe.runIf(hasSshd)("sessions over SSH", () => {
  const sshd = ssh.shareSshd();

  test("runs a line with its input, its two streams and its exit code, also 255, which ssh uses", async () => {
    const shell = ssh.openShell(sshd());
    const ran = await ssh.runLine(shell, "cat; echo to stderr >&2; exit 7", "some input");
    expect(ran).toEqual({
      end: { kind: "over", code: 7 },
      stdout: "some input",
      stderr: "to stderr\n",
    });
    const { end } = await ssh.runLine(shell, "exit 255");
    expect(end).toEqual({ kind: "over", code: 255 });
  });

  test("transfers 4 MiB in both directions, also if the reader pauses", async () => {
    const text = randomBytes(2 * MIB).toString("hex");
    const session = await ssh.openShell(sshd()).open("cat");
    session.stdin.end(text);
    await new Promise((resolve) => setTimeout(resolve, 400)); // The test needs this time to pass.
    const { end, stdout } = await ssh.readSession(session);
    expect(end).toEqual({ kind: "over", code: 0 });
    expect(stdout === text).toBe(true);
  });

  test("opens one connection for eight sessions at once, and a few for twenty short ones", async () => {
    const shell = ssh.openShell(sshd());
    for (const [count, connections] of [
      [8, 1],
      [20, 3],
    ] as const) {
      const ran = await Promise.all(numbers(count).map((i) => ssh.runLine(shell, `echo ${i}`)));
      expect(ran.map(({ stdout }) => stdout)).toEqual(numbers(count).map((i) => `${i}\n`));
      expect((await ssh.masterPids(sshd())).length).toBeLessThanOrEqual(connections);
    }
  });

  test("runs each session once, over at most four connections, if sshd allows fewer sessions per connection", async () => {
    const narrow = await startSshd({ settings: ["MaxSessions 2"] });
    const shell = ssh.openShell(narrow);
    const log = join(narrow.home, "log");
    // Each session reads one line of the gate, which is open for writing as long as the test.
    const { path } = await makeGate(narrow.home);
    const gate = await open(path, "r+");
    onTestFinished(() => gate.close());
    const line = `read -r go <${path}; cat >>${log}`;
    const running = numbers(12).map((i) => ssh.runLine(shell, line, `${i}\n`));
    await expectSoon(() => ssh.masterPids(narrow)).toHaveLength(4);
    await gate.write("\n".repeat(100));
    const ran = await Promise.all(running);
    expect(ran.map(({ end }) => end)).toEqual(numbers(12).map(() => ({ kind: "over", code: 0 })));
    expect(await ssh.masterPids(narrow)).toHaveLength(4);
    const logged = (await readFile(log, "utf8")).trim().split("\n").map(Number);
    expect(logged.sort((a, b) => a - b)).toEqual(numbers(12));
  });

  /** Opens a shell whose sessions start this script as `ssh`; `$real` is the real one, and `$bin` a folder. */
  async function shellWith(script: string): Promise<{ shell: SshShell; bin: string }> {
    const bin = await tempDir();
    const real = pathOf("ssh") ?? "ssh";
    const text = `#!/bin/sh\nreal=${real} bin=${bin}\ncase " $* " in *" -N "*) exec $real "$@" ;; esac\n${script}`;
    await writeFile(join(bin, "ssh"), text, { mode: 0o755 });
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}` };
    const shell = new SshShell({ target: { host: sshd().alias }, config: sshd().config, env });
    onTestFinished(() => shell.dispose());
    return { shell, bin };
  }

  const RAN = { end: { kind: "over", code: 0 }, stdout: "ran\n" };

  test("retries a refused session, also if ssh exits after its first message", async () => {
    const { shell, bin } = await shellWith(`
mkdir $bin/refused 2>/dev/null || exec $real "$@"
echo "mux_client_request_session: session request failed: Session open refused by peer" >&2
exit 255
`);
    expect(await ssh.runLine(shell, "echo ran")).toMatchObject(RAN);
    expect(await readdir(bin)).toContain("refused");
  });

  test("reconnects if ssh exits before it prints why it has no connection", async () => {
    const { shell } = await shellWith(`
$real "$@" 2>$bin/words
code=$?
grep -v kex_exchange $bin/words >&2
exit $code
`);
    await ssh.runLine(shell, "true");
    const [pid] = await ssh.masterPids(sshd());
    process.kill(pid!, "SIGKILL");
    while (isAlive(pid!));
    expect(await ssh.runLine(shell, "echo ran")).toMatchObject(RAN);
  });

  test("keeps the connection and the other sessions when one is killed, whose program gets no more input", async () => {
    const shell = ssh.openShell(sshd());
    const [given, other] = await Promise.all([
      shell.open(`cat >/dev/null; echo over >"$HOME/seen"`),
      shell.open("cat"),
    ]);
    await ssh.runLine(shell, "true");
    given.kill();
    expect(await given.ended).toMatchObject({ kind: "broken", code: "ECANCELED" });
    const before = await ssh.masterPids(sshd());
    other.stdin.end("still here");
    expect((await ssh.readSession(other)).stdout).toBe("still here");
    const seen = () => readFile(join(sshd().home, "seen"), "utf8").catch(() => "");
    await expectSoon(seen).toBe("over\n");
    expect(await ssh.masterPids(sshd())).toEqual(before);
  });

  test("reconnects if the process of the connection is killed before its exit is noticed", async () => {
    const shell = ssh.openShell(sshd());
    await ssh.runLine(shell, "true");
    const [pid] = await ssh.masterPids(sshd());
    process.kill(pid!, "SIGKILL");
    // The process may accept a session until it ends. This loop keeps its exit event from being handled.
    while (isAlive(pid!));
    const ran = await ssh.runLine(shell, "cat", "input that was written early");
    expect(ran.end).toEqual({ kind: "over", code: 0 });
    expect(ran.stdout).toBe("input that was written early");
  });

  test("connects through a jump host of the ssh_config", async () => {
    const behind = await startSshd({ alias: "behind", env: { WHO: "behind" } });
    await writeFile(
      behind.config,
      behind.hostBlock("behind", ["ProxyJump box"]) + sshd().hostBlock("box")
    );
    expect((await ssh.runLine(ssh.openShell(behind, "behind"), "echo $WHO")).stdout).toBe(
      "behind\n"
    );
    expect((await sshd().connections()).length).toBeGreaterThan(0);
  });

  test.runIf(hasIpv6())("connects to user@[::1]:port", async () => {
    const config = join(sshd().folder, "direct");
    await writeFile(config, sshd().hostBlock("*", ["HostName %h"]));
    const target = { user: userInfo().username, host: "::1", port: sshd().port };
    const direct = new SshShell({ target, config });
    onTestFinished(() => direct.dispose());
    expect(direct.label).toContain(`@[::1]:${sshd().port}`);
    expect((await ssh.runLine(direct, "echo ${SSH_CONNECTION%% *}")).stdout).toBe("::1\n");
  });

  test("ignores commands and terminals in the user's ssh_config", async () => {
    await sshd().addHost("odd", [
      "RemoteCommand echo wrong",
      "RequestTTY force",
      "PermitLocalCommand yes",
      "LocalCommand echo wrong",
      `LocalForward ${sshd().port} localhost:1`,
      "LogLevel QUIET",
    ]);
    const ran = await ssh.runLine(
      ssh.openShell(sshd(), "odd"),
      "echo right; test -t 0 || echo no terminal"
    );
    expect(ran).toMatchObject({ stdout: "right\nno terminal\n" });
  });
});

async function startSshd(options?: SshdOptions): Promise<Sshd> {
  const sshd = await Sshd.start(options);
  onTestFinished(() => sshd.dispose());
  return sshd;
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function hasIpv6(): boolean {
  return (networkInterfaces().lo ?? []).some(({ address }) => address === "::1");
}
