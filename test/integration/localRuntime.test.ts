import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Command, ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";
import { newRuntime } from "@test/helpers/localRuntime";
import { tempDir } from "@test/helpers/tempDir";

const runtime = newRuntime();

function exec(command: Command | string, more: Partial<ExecRequest> = {}): Promise<ExecResult> {
  const asCommand = typeof command === "string" ? { script: command } : command;
  return runtime.exec({ command: asCommand, cwd: "/", ...more });
}

async function output(command: Command | string, more?: Partial<ExecRequest>): Promise<string> {
  const { end, stdout, stderr } = await exec(command, more);
  expect({ end, stderr: stderr.text }).toEqual({ end: { kind: "exited", code: 0 }, stderr: "" });
  return stdout.text;
}

describe("the start of a program", () => {
  test("passes arguments unchanged, without a shell", async () => {
    const args = ["%s|", "a b", "$HOME", "`x`", "'\"", "*", "", "grün\n"];
    expect(await output({ file: "printf", args })).toBe("a b|$HOME|`x`|'\"|*||grün\n|");
  });

  test("case 47: a command line runs in bash if it is installed", async () => {
    expect(await output("[[ 1 == 1 ]] && echo $BASH_VERSION")).toMatch(/^\d/);
  });

  test("runs a command line in sh without bash, and in another shell if one is named", async () => {
    const plain = newRuntime({ PATH: "/nowhere" });
    const ran = await plain.exec({ command: { script: 'echo "$0"' }, cwd: "/" });
    expect(ran.stdout.text).toBe("/bin/sh\n");
    expect(await output({ script: 'echo "$0"', shell: "/bin/sh" })).toBe("/bin/sh\n");
  });

  test("case 47: no login shell: the output of a profile is not in the output", async () => {
    const home = await tempDir();
    await writeFile(join(home, ".bash_profile"), "echo noise");
    await writeFile(join(home, ".bashrc"), "echo noise");
    await writeFile(join(home, ".profile"), "echo noise");
    expect(await output("echo only", { env: { HOME: home } })).toBe("only\n");
  });

  test.each(["plain", `two words, quotes ' and "`, "$HOME `x`\nnew line", "grün 🎉", "-n"])(
    "case 36: a folder called %j is the working directory (H15)",
    async (name) => {
      const cwd = join(await tempDir(), name);
      await mkdir(cwd);
      const hook = join(cwd, "hook.sh");
      await writeFile(hook, '#!/bin/sh\necho "$PWD"\ntouch here\n', { mode: 0o755 });
      expect(await output({ file: hook, args: [] }, { cwd })).toBe(`${cwd}\n`);
      expect(await output("pwd; ls here", { cwd })).toBe(`${cwd}\nhere\n`);
    }
  );

  /** Returns the lines of `env` in a program of a runtime with this environment. */
  async function environment(base: NodeJS.ProcessEnv, more: Partial<ExecRequest>) {
    const command = { file: "env", args: [] };
    const { stdout } = await newRuntime(base).exec({ command, cwd: "/", ...more });
    return stdout.text.trim().split("\n");
  }

  test("builds the environment from the machine's, without removed and with added variables (H14)", async () => {
    const own = { KEEP: "k", OTEL_A: "1", OTEL_B: "2", OTELX: "x", ONE: "1" };
    const found = await environment(
      { PATH: process.env.PATH, ...own },
      {
        unsetEnv: ["OTEL_*", "ONE", "TWO", "PATH"],
        passEnv: ["OTEL_B"],
        env: { TWO: "zwei", LINE: "a b", EMPTY: "" },
      }
    );
    expect(found).toEqual(["KEEP=k", "OTEL_B=2", "OTELX=x", "TWO=zwei", "LINE=a b", "EMPTY="]);
  });

  test("passes only listed names and prefixes with an allow-list", async () => {
    const base = {
      PATH: process.env.PATH,
      LC_ALL: "C",
      LC_TIME: "C",
      LCX: "x",
      HOME: "/",
      KEY: "k",
    };
    const passEnv = ["PATH", "LC_*", "HOM"];
    const found = await environment(base, { unsetEnv: ["*"], passEnv, env: { TWO: "zwei" } });
    const names = found.map((line) => line.split("=")[0]);
    expect(names).toEqual(["PATH", "LC_ALL", "LC_TIME", "TWO"]);
  });

  test("leaves the host's environment unchanged, and reads it for each program", async () => {
    process.env.MUX_TEST_LATER = "set after the runtime was made";
    try {
      expect(await output("echo $MUX_TEST_LATER")).toBe("set after the runtime was made\n");
      await exec("true", { unsetEnv: ["MUX_TEST_*"], env: { ADDED: "1" } });
      expect(process.env).toMatchObject({ MUX_TEST_LATER: "set after the runtime was made" });
      expect(process.env.ADDED).toBeUndefined();
    } finally {
      delete process.env.MUX_TEST_LATER;
    }
  });

  test("case 43: a program has its own session and no terminal (H14)", async () => {
    const script = `ps -o pid=,pgid=,sess=,tty= -p $$; cat </dev/tty`;
    const { end, stdout, stderr } = await exec(script);
    const [pid, ...same] = stdout.text.trim().split(/\s+/);
    expect(same).toEqual([pid, pid, "?"]);
    expect(end).toEqual({ kind: "exited", code: 1 });
    expect(stderr.text).toContain("/dev/tty");
  });
});

describe("standard input", () => {
  const line = `{"text":"grün 🎉"}\n`;
  const long = "0123456789abcdef".repeat(5 * 65_536);

  test.each([
    ["case 38: a program gets the text, then the end of input (H13)", "cat", line, line],
    ["a program may read one line (H13)", 'read -r line; echo "$line"', line, line],
    ["case 42: five megabytes arrive complete (H13)", "wc -c", "5242880\n", long],
    ["case 39: is empty and at its end if no text is given", "cat; echo over", "over\n"],
    ["case 39: is at its end after an empty text", "cat; echo over", "over\n", ""],
    ["case 40: a program that never reads it causes no error (H13)", "echo own", "own\n", long],
    [
      "a program that closes it early and continues causes no error (H13)",
      ...["head -c 3; exec <&-; echo; echo later", "012\nlater\n", long],
    ],
  ] as const)("%s", async (_what, script, expected, stdin?: string) => {
    expect((await output(script, { stdin })).trimStart()).toBe(expected);
  });
});

describe("the result of a program", () => {
  test.each([0, 1, 127, 255])("has exit code %i", async (code) => {
    expect((await exec(`exit ${code}`)).end).toEqual({ kind: "exited", code });
  });

  test.each(["SIGSEGV", "SIGTERM", "SIGKILL", "SIGPIPE"])(
    "case 46: death by %s is reported by the signal's name, and is not an exit code",
    async (signal) => {
      const { end } = await exec(`kill -${signal.slice(3)} $$`);
      expect(end).toEqual({ kind: "signaled", signal });
    }
  );

  test("separates both streams, and has the duration", async () => {
    const { stdout, stderr, durationMs } = await exec("echo out; echo err >&2; sleep 0.05");
    expect(stdout).toEqual({ text: "out\n", bytes: 4, truncated: false });
    expect(stderr).toEqual({ text: "err\n", bytes: 4, truncated: false });
    expect(durationMs).toBeGreaterThanOrEqual(50);
  });

  test("decodes a character that is written in two pieces (H20)", async () => {
    const script = String.raw`printf 'gr\303'; sleep 0.05; printf '\274n\n'`;
    expect(await output(script)).toBe("grün\n");
  });

  test("keeps both ends of long output (H20)", async () => {
    const { stdout, stderr } = await exec("seq 1000; echo last >&2", { keepBytes: 20 });
    expect(stdout).toMatchObject({ bytes: 3893, truncated: true });
    expect(stdout.text).toMatch(/^1\n2\n3\n4\n5\n\[… \d+ bytes left out …\]\n[^]*\n1000\n$/);
    expect(stderr).toEqual({ text: "last\n", bytes: 5, truncated: false });
  });
});

describe("a program that cannot start (H23)", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await tempDir();
    await writeFile(join(cwd, "stop"), "#!/bin/sh\n", { mode: 0o644 });
    await writeFile(join(cwd, "bad"), "#!/no/such/python -u\nprint(1)\n", { mode: 0o755 });
    await symlink("loop", join(cwd, "loop"));
  });
  const inCwd = (text: string): string => text.replaceAll("CWD", cwd);
  const start = (file: string, ...args: string[]): Command => ({ file: inCwd(file), args });
  const NUL = "contains a NUL byte";
  const BAD = `ENOENT: the interpreter of “CWD/bad” does not exist; its first line is "#!/no/such/python -u"`;
  const tooLong = "x".repeat(3_000_000);

  test.each<[what: string, request: () => Partial<ExecRequest>, message: string]>([
    [
      "a missing program",
      () => ({ command: start("no-such") }),
      "ENOENT: “no-such” is not on the PATH; install it or give its path",
    ],
    ["a missing file", () => ({ command: start("./no") }), "ENOENT: “./no” does not exist"],
    [
      "a missing shell",
      () => ({ command: { script: "true", shell: "no-such" } }),
      "ENOENT: “no-such” is not on the PATH",
    ],
    [
      "a missing working directory",
      () => ({ cwd: `${cwd}/gone` }),
      "ENOENT: the working directory CWD/gone does not exist",
    ],
    [
      "a file as working directory",
      () => ({ cwd: `${cwd}/stop` }),
      "ENOTDIR: the working directory CWD/stop is not a folder",
    ],
    ["a folder below a file", () => ({ cwd: `${cwd}/stop/x` }), "cannot be entered (ENOTDIR)"],
    [
      "case 44: a file that is not executable",
      () => ({ command: start("./stop") }),
      'EACCES: “./stop” is not executable; make it executable with "chmod +x", or start it with its interpreter',
    ],
    [
      "case 44: a folder",
      () => ({ command: start("CWD") }),
      "EACCES: “CWD” is a folder, not a program",
    ],
    ["case 44: a script without its interpreter", () => ({ command: start("./bad") }), BAD],
    ["case 44: such a script on PATH", () => ({ command: start("bad"), env: { PATH: cwd } }), BAD],
    [
      "case 49: arguments that are too long",
      () => ({ command: start("true", tooLong) }),
      "pass the data in a file",
    ],
    ["case 49: a script that is too long", () => ({ command: { script: tooLong } }), "E2BIG: "],
    ["a NUL in its name", () => ({ command: start("tr\0ue") }), NUL],
    ["a NUL in an argument", () => ({ command: start("true", "a\0b") }), NUL],
    ["a NUL in a script", () => ({ command: { script: "echo a\0b" } }), NUL],
    ["a NUL in the folder", () => ({ cwd: "/tmp\0" }), NUL],
    ["a NUL in a variable", () => ({ env: { A: "\0" } }), NUL],
    ["a NUL in the name of a variable", () => ({ env: { "A\0": "" } }), NUL],
    ["an empty name", () => ({ command: start("") }), "could not be started"],
    [
      "a name that is too long",
      () => ({ command: start(`./${"x".repeat(5000)}`) }),
      "ENAMETOOLONG: ",
    ],
    ["a loop of links", () => ({ command: start("./loop") }), "ELOOP: "],
  ])("reports %s", async (_what, request, message) => {
    const { command = start("true"), ...more } = request();
    const { end, stdout, stderr } = await exec(command, { cwd, ...more });
    expect([stdout.bytes, stderr.bytes]).toEqual([0, 0]);
    if (end.kind !== "notStarted") throw new Error(`it ran: ${JSON.stringify(end)}`);
    expect(`${end.code ?? "-"}: ${end.message}`).toContain(inCwd(message));
  });
});
