/** Logs of programs that the remote protocol writes. This machine is also the remote machine. */
import { readFileSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MIB } from "@/common/limits";
import { leftOut } from "@/node/runtime/messages";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { LocalShell } from "@test/helpers/remote/localShell";
import { makeGate } from "@test/helpers/process/processes";
import { has } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

async function logged(
  shell: LocalShell,
  script: string,
  keepBytes: number,
  more: Partial<ExecRequest> = {}
): Promise<ExecResult & { path: string; text: () => Buffer }> {
  const path = join(await tempDir(), "log");
  const runtime = new RemoteRuntime(shell, new LocalFiles());
  const result = await runtime.exec({
    command: { script },
    cwd: "/",
    logTo: { path, keepBytes, header: "# head\n", footer: () => "# foot\n" },
    ...more,
  });
  return { ...result, path, text: () => readFileSync(path) };
}

// Every byte is a complete character, so a cut needs no adjustment.
const BYTES = Buffer.from(Buffer.alloc(3 * MIB).map((_, at) => (at * 31 + (at >> 8)) & 127));

describe.each((["dash", "bash", "busybox"] as const).filter(has))(
  "a log, if sh is %s (G11)",
  (sh) => {
    const shell = new LocalShell({ sh });

    test("has its first and its last half byte for byte, and leaves no temporary files", async () => {
      const source = join(await tempDir(), "bytes");
      await writeFile(source, BYTES);
      for (const keep of [20, 65_537, 2 * MIB + 1]) {
        const { end, stdout, logFailure, path, text } = await logged(
          shell,
          `cat '${source}'`,
          keep
        );
        expect({ end, logFailure }).toEqual({
          end: { kind: "exited", code: 0 },
          logFailure: undefined,
        });
        expect(stdout).toMatchObject({ bytes: BYTES.length, text: "" });
        const head = BYTES.subarray(0, Math.ceil(keep / 2));
        const tail = BYTES.subarray(BYTES.length - Math.floor(keep / 2));
        const newline = (part: Buffer): string => (part.at(-1) === 10 ? "" : "\n");
        const expected = Buffer.concat([
          Buffer.from("# head\n"),
          head,
          Buffer.from(newline(head) + leftOut(BYTES.length - keep)),
          tail,
          Buffer.from(`${newline(tail)}# foot\n`),
        ]);
        expect(text().equals(expected)).toBe(true);
        expect(await readdir(dirname(path))).toEqual(["log"]);
      }
    });

    test("has all output in order if the limit is large enough", async () => {
      const lines = Array.from({ length: 4000 }, (_, at) => `out ${at}\nerr ${at}\n`).join("");
      const script =
        "i=0; while [ $i -lt 4000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
      for (const keep of [lines.length, 2 * lines.length]) {
        const { text } = await logged(shell, script, keep);
        expect(text().toString()).toBe(`# head\n${lines}# foot\n`);
      }
    });

    test("is cut between characters", async () => {
      const script = `printf 'a'; i=0; while [ $i -lt 40 ]; do printf 'ü€🎉'; i=$((i+1)); done`;
      // Both halves end within a character, or only the first one.
      for (const keep of [21, 27]) {
        const { text } = await logged(shell, script, keep);
        expect(text().toString()).toMatch(
          /^# head\na[ü€🎉]+\n\[… \d+ bytes left out …\]\n[ü€🎉]+\n# foot\n$/u
        );
        const left = Number(/… (\d+) bytes/.exec(text().toString())?.[1]);
        const kept = /^# head\n(.*)\n\[.*\]\n(.*)\n# foot/.exec(text().toString());
        expect(Buffer.byteLength(`${kept?.[1]}${kept?.[2]}`) + left).toBe(361);
      }
    });

    test("ends with its program, even if a child still holds the pipe", async () => {
      const { end, text } = await logged(shell, "sleep 600 & echo $!", 1000);
      onTestFinished(() => void process.kill(Number(text().toString().split("\n")[1])));
      expect(end).toEqual({ kind: "exited", code: 0 });
      expect(text().toString()).toMatch(/^# head\n\d+\n# foot\n$/);
    });

    test("distinguishes a signal from an exit code, and has the output that follows SIGTERM", async () => {
      expect((await logged(shell, "kill -9 $$", 1000)).end).toEqual({
        kind: "signaled",
        signal: "SIGKILL",
      });
      const script = "trap 'echo bye; exit 3' TERM; echo hello; while :; do sleep 0.1; done";
      const { end, text } = await logged(shell, script, 1000, { timeoutMs: 400 });
      expect(end).toEqual({ kind: "timedOut" });
      expect(text().toString()).toMatch(/^# head\nhello\n(Terminated\n)?bye\n# foot\n$/);
    });

    test("has the output before a lost connection, and leaves no temporary files (H35)", async () => {
      const { path: gate } = await makeGate(await tempDir(), "ready");
      const own = new LocalShell({ sh });
      const path = join(await tempDir(), "log");
      const running = new RemoteRuntime(own, new LocalFiles()).exec({
        command: { script: `seq 1000; echo > '${gate}'; sleep 600` },
        cwd: "/",
        logTo: { path, keepBytes: 100, header: "# head\n", footer: () => "# foot\n" },
      });
      await readFile(gate);
      own.cut();
      const { end, logFailure } = await running;
      expect(end).toEqual({ kind: "lost", message: "the connection was cut" });
      expect(logFailure).toMatchObject({ path, code: "ELOST" });
      await expect
        .poll(() => readFile(path, "utf8"), { timeout: 5000 })
        .toMatch(/^# head\n1\n2\n[^]*left out …\]\n[^]*\n1000\n/);
      await expectSoon(() => readdir(dirname(path))).toEqual(["log"]);
    });
  }
);

test("cuts a hundred megabytes on the other machine, within bounds of memory and disk space (G11)", async () => {
  const keep = 16 * MIB;
  const shell = new LocalShell();
  const before = process.memoryUsage().rss;
  let most = 0;
  let mostOnDisk = 0;
  const path = join(await tempDir(), "log");
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
    void Promise.all(
      ["", ".part1", ".part2"].map((end) =>
        stat(path + end).then(
          ({ size }) => size,
          () => 0
        )
      )
    ).then((sizes) => {
      mostOnDisk = Math.max(
        mostOnDisk,
        sizes.reduce((sum, size) => sum + size, 0)
      );
    });
  }, 5);
  const { end, stdout } = await new RemoteRuntime(shell, new LocalFiles()).exec({
    command: { script: "head -c 100000000 /dev/zero" },
    cwd: "/",
    logTo: { path, keepBytes: keep },
  });
  clearInterval(timer);
  expect(end).toEqual({ kind: "exited", code: 0 });
  expect(stdout.bytes).toBe(100_000_000);
  expect(most).toBeLessThan(16 * MIB);
  expect(mostOnDisk).toBeLessThan(2 * keep + 3 * MIB);
  expect((await stat(path)).size).toBe(keep + leftOut(100_000_000 - keep).length + 5);
});

test("logs the rest of the pipe after the end of the program, even if it is read late (G11)", async () => {
  const bin = await tempDir();
  const late = 'case "$*" in *nonblock*) ;; *) sleep 1 ;; esac';
  await writeFile(join(bin, "dd"), `#!/bin/sh\n${late}\nPATH="$REAL_PATH" exec dd "$@"\n`, {
    mode: 0o755,
  });
  const env = {
    ...process.env,
    REAL_PATH: process.env.PATH,
    PATH: `${bin}:${process.env.PATH}`,
  };
  const { end, text } = await logged(new LocalShell({ env }), "seq 1 100", 1000);
  expect(end).toEqual({ kind: "exited", code: 0 });
  const lines = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join("");
  expect(text().toString()).toBe(`# head\n${lines}# foot\n`);
});

test("ends with its program, even if a tool has written half of a message (G11)", async () => {
  const bin = await tempDir();
  const half = `printf '6 bytes copied' >&2; [ -e ${bin}/one ] && : >${bin}/two; : >${bin}/one`;
  const dd = `#!/bin/sh\n${half}\nPATH="$REAL_PATH" exec dd "$@"\n`;
  await writeFile(join(bin, "dd"), dd, { mode: 0o755 });
  const env = { ...process.env, REAL_PATH: process.env.PATH, PATH: `${bin}:${process.env.PATH}` };
  const script = `sleep 600 & echo $!; while ! [ -e ${bin}/two ]; do sleep 0.02; done`;
  const { logFailure, text } = await logged(new LocalShell({ env }), script, 1000);
  onTestFinished(() => void process.kill(Number(text().toString().split("\n")[1])));
  expect(logFailure).toBeUndefined();
  expect(text().toString()).toMatch(/^# head\n\d+\n# foot\n$/);
});
