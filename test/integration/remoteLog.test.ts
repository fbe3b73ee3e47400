/** Logs of programs that the remote protocol writes. This machine is also the remote machine. */
import { readFileSync, statSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MIB } from "@/common/limits";
import { leftOut } from "@/node/runtime/messages";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { LocalShell } from "@test/helpers/remote/localShell";
import { kill, makeGate } from "@test/helpers/process/processes";
import { has } from "@scripts/programs.mjs";
import { putFile, tempDir } from "@test/helpers/tempDir";
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
const BYTES = Buffer.from(Buffer.alloc(1.5 * MIB).map((_, at) => (at * 31 + (at >> 8)) & 127));

describe.each((["dash", "bash", "busybox"] as const).filter(has))(
  "a log, if sh is %s (G11)",
  (sh) => {
    const shell = new LocalShell({ sh });

    test("has its first and its last half byte for byte, and leaves no temporary files", async () => {
      const source = await putFile(join(await tempDir(), "bytes"), BYTES);
      for (const keep of [65_537, MIB + 1]) {
        const { path, text, ...result } = await logged(shell, `cat '${source}'`, keep);
        expect(result).toMatchObject({
          end: { kind: "exited", code: 0 },
          stdout: { bytes: BYTES.length, text: "" },
          stderr: { bytes: 0 },
        });
        expect(result.logFailure).toBeUndefined();
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

    test("has all output in order if the limit is large enough, also of a program that a signal ended", async () => {
      const lines = Array.from({ length: 2000 }, (_, at) => `out ${at}\nerr ${at}\n`).join("");
      const script =
        "i=0; while [ $i -lt 2000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
      const { end, text } = await logged(shell, `${script}; kill -KILL $$`, lines.length);
      expect(end).toEqual({ kind: "signaled", signal: "SIGKILL" });
      expect(text().toString()).toBe(`# head\n${lines}# foot\n`);
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
      onTestFinished(() => {
        kill(Number(text().toString().split("\n")[1]));
      });
      expect(end).toEqual({ kind: "exited", code: 0 });
      expect(text().toString()).toMatch(/^# head\n\d+\n# foot\n$/);
    });

    test("has the output that follows SIGTERM", async () => {
      const script = "trap 'echo bye; exit 3' TERM; echo hello; sleep 600 & while :; do wait; done";
      // bash ends a `read` after this many seconds.
      const idle = new LocalShell({ sh, env: { ...process.env, TMOUT: "3" } });
      const { end, text } = await logged(idle, script, 1000, { timeoutMs: 3_200 });
      expect(end).toEqual({ kind: "timedOut" });
      expect(text().toString()).toMatch(/^# head\nhello\nbye\n# foot\n$/);
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
      await expectSoon(() => readFile(path, "utf8")).toMatch(
        /^# head\n1\n2\n[^]*left out …\]\n[^]*\n1000\n/
      );
      await expectSoon(() => readdir(dirname(path))).toEqual(["log"]);
    });
  }
);

test("that cannot grow loses output, and the program continues", async () => {
  // The limit on the file size has the same effect as a full disk.
  const login = ["/bin/sh", "-c", 'ulimit -f 64; trap "" XFSZ; eval "$0"'];
  const ran = await logged(new LocalShell({ login }), "seq 200000", 4 * MIB);
  expect(ran.end).toEqual({ kind: "exited", code: 0 });
  // The rest is counted as far as it is read within a quarter of a second after the end.
  expect(ran.stdout.bytes).toBeGreaterThan(0);
  expect(ran.logFailure).toMatchObject({ path: ran.path, code: "EFBIG" });
});

test("cuts fifty megabytes on the other machine, within bounds of memory and disk space (G11)", async () => {
  const keep = 8 * MIB;
  const before = process.memoryUsage().rss;
  let most = 0;
  let mostOnDisk = 0;
  const path = join(await tempDir(), "log");
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
    const sizes = ["", ".part1", ".part2"].map((end) => sizeOf(path + end));
    mostOnDisk = Math.max(
      mostOnDisk,
      sizes.reduce((sum, size) => sum + size, 0)
    );
  }, 10);
  const logTo = { path, keepBytes: keep };
  const script = "head -c 50000000 /dev/zero";
  const { end, stdout } = await logged(new LocalShell(), script, keep, { logTo });
  clearInterval(timer);
  expect(end).toEqual({ kind: "exited", code: 0 });
  expect(stdout.bytes).toBe(50_000_000);
  expect(most).toBeLessThan(32 * MIB);
  expect(mostOnDisk).toBeGreaterThan(keep / 2);
  expect(mostOnDisk).toBeLessThan(2 * keep + 3 * MIB);
  expect(sizeOf(path)).toBe(keep + leftOut(50_000_000 - keep).length + 5);
});

/** Returns a machine on which `dd` runs this script first, with a folder of its own as `$bin`. */
async function shellWithDd(script: string): Promise<LocalShell> {
  const bin = await tempDir();
  const dd = `#!/bin/sh\nbin='${bin}'\n${script}\nPATH="$REAL_PATH" exec dd "$@"\n`;
  await writeFile(join(bin, "dd"), dd, { mode: 0o755 });
  const PATH = `${bin}:${process.env.PATH}`;
  return new LocalShell({ env: { ...process.env, BIN: bin, REAL_PATH: process.env.PATH, PATH } });
}

const READS = 'case "$*" in *nonblock* | *"bs=1 "*) false ;; *) true ;; esac';
const untilThere = (file: string): string => `while ! [ -e ${file} ]; do sleep 0.02; done`;

/** Reads as `dd` does, and is stopped for a second before it writes. Never sleeps in between. */
const LATE_DD = `const { readSync, writeSync } = require("node:fs");
const wake = "until grep -q ' T ' /proc/$PPID/stat; do kill -0 $PPID && sleep 0.02 || exit; done; : >$BIN/stopped; sleep 1; kill -CONT $PPID";
require("node:child_process").spawn("sh", ["-c", wake], { stdio: "ignore" }).unref();
const [, size] = /bs=(\\d+)/.exec(process.argv.join(" "));
const data = Buffer.alloc(Number(size));
const length = readSync(0, data);
if (length > 0) process.kill(process.pid, "SIGSTOP");
writeSync(1, data, 0, length);`;
const WRITES_LATE = `PATH="$REAL_PATH" exec node -e '${LATE_DD.replaceAll("'", String.raw`'\''`)}' -- "$@"`;

test.each([
  ["it is read late", "sleep 1", "seq 1 100"],
  ["a tool that has read it is delayed", WRITES_LATE, `seq 1 100; ${untilThere("$BIN/stopped")}`],
])(
  "logs the rest of the pipe after the end of the program, even if %s (G11)",
  async (_, act, script) => {
    const shell = await shellWithDd(`if ${READS}; then ${act}; fi`);
    const { end, text } = await logged(shell, script, 1000);
    expect(end).toEqual({ kind: "exited", code: 0 });
    const lines = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join("");
    expect(text().toString()).toBe(`# head\n${lines}# foot\n`);
  }
);

test("ends with its program, even if a tool has written half of a message (G11)", async () => {
  const half = `printf '6 bytes copied' >&2; [ -e $bin/one ] && : >$bin/two; : >$bin/one`;
  const script = "sleep 600 & echo $!; " + untilThere("$BIN/two");
  const { logFailure, text } = await logged(await shellWithDd(half), script, 1000);
  onTestFinished(() => {
    kill(Number(text().toString().split("\n")[1]));
  });
  expect(logFailure).toBeUndefined();
  expect(text().toString()).toMatch(/^# head\n\d+\n# foot\n$/);
});
