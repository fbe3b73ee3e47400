import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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

describe("what a program is given", () => {
  test("arguments reach it as they are, without a shell", async () => {
    const args = ["%s|", "a b", "$HOME", "`x`", "'\"", "*", "", "grün\n"];
    expect(await output({ file: "printf", args })).toBe("a b|$HOME|`x`|'\"|*||grün\n|");
  });

  test("case 47: a command line is bash's where there is bash", async () => {
    expect(await output("[[ 1 == 1 ]] && echo $BASH_VERSION")).toMatch(/^\d/);
  });

  test("a command line is sh's where there is no bash, and another shell's where one is named", async () => {
    const plain = newRuntime({ PATH: "/nowhere" });
    const ran = await plain.exec({ command: { script: 'echo "$0"' }, cwd: "/" });
    expect(ran.stdout.text).toBe("/bin/sh\n");
    expect(await output({ script: 'echo "$0"', shell: "/bin/sh" })).toBe("/bin/sh\n");
    const missing = await exec({ script: "true", shell: "no-such-shell" });
    expect(missing.end).toMatchObject({ kind: "notStarted", code: "ENOENT" });
  });

  test("case 47: no login shell: what a profile prints is not in the output", async () => {
    const home = await tempDir();
    await writeFile(join(home, ".bash_profile"), "echo noise");
    await writeFile(join(home, ".bashrc"), "echo noise");
    await writeFile(join(home, ".profile"), "echo noise");
    expect(await output("echo only", { env: { HOME: home } })).toBe("only\n");
  });

  test.each(["plain", "two words", `quotes ' and "`, "$HOME `x`", "new\nline", "grün 🎉", "-n"])(
    "case 36: a folder called %j is where it runs (H15)",
    async (name) => {
      const cwd = join(await tempDir(), name);
      await mkdir(cwd);
      expect(await output("pwd; touch here", { cwd })).toBe(`${cwd}\n`);
      expect(await readFile(join(cwd, "here"), "utf8")).toBe("");
      await writeFile(join(cwd, "hook.sh"), '#!/bin/sh\necho "$PWD"\n', { mode: 0o755 });
      expect(await output({ file: join(cwd, "hook.sh"), args: [] }, { cwd })).toBe(`${cwd}\n`);
    }
  );

  test("the environment is the machine's, less what is taken out, more what is added (H14)", async () => {
    const base = {
      PATH: process.env.PATH,
      KEEP: "k",
      OTEL_A: "1",
      OTEL_B: "2",
      OTELX: "x",
      ONE: "1",
    };
    const { stdout } = await newRuntime(base).exec({
      command: { file: "env", args: [] },
      cwd: "/",
      unsetEnv: ["OTEL_*", "ONE", "TWO"],
      passEnv: ["OTEL_B"],
      env: { TWO: "zwei", LINE: "a b", EMPTY: "" },
    });
    expect(stdout.text.split("\n").filter((line) => line && !line.startsWith("PATH="))).toEqual([
      "KEEP=k",
      "OTEL_B=2",
      "OTELX=x",
      "TWO=zwei",
      "LINE=a b",
      "EMPTY=",
    ]);
  });

  test("an allow-list: all is taken out but names and beginnings of names", async () => {
    const base = {
      PATH: process.env.PATH,
      LC_ALL: "C",
      LC_TIME: "C",
      LCX: "x",
      HOME: "/",
      KEY: "k",
    };
    const { stdout } = await newRuntime(base).exec({
      command: { file: "env", args: [] },
      cwd: "/",
      unsetEnv: ["*"],
      passEnv: ["PATH", "LC_*", "HOM"],
      env: { TWO: "zwei" },
    });
    const names = stdout.text.split("\n").map((line) => line.split("=")[0]);
    expect(names).toEqual(["PATH", "LC_ALL", "LC_TIME", "TWO", ""]);
  });

  test("the host's own environment is untouched, and read anew each time", async () => {
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

  test("case 43: it has a session of its own and no terminal (H14)", async () => {
    const script = `ps -o pid=,pgid=,sess=,tty= -p $$; cat </dev/tty`;
    const { end, stdout, stderr } = await exec(script);
    const [pid, ...same] = stdout.text.trim().split(/\s+/);
    expect(same).toEqual([pid, pid, "?"]);
    expect(end).toEqual({ kind: "exited", code: 1 });
    expect(stderr.text).toContain("/dev/tty");
  });
});

describe("standard input", () => {
  test("case 38: it gets the text, then the end of input (H13)", async () => {
    const stdin = `{"text":"grün 🎉"}\n`;
    expect(await output("cat", { stdin })).toBe(stdin);
    expect(await output('read -r line; echo "$line"', { stdin })).toBe(stdin);
  });

  test("case 42: five megabytes arrive whole (H13)", async () => {
    const stdin = "0123456789abcdef".repeat(5 * 65_536);
    expect(await output("wc -c", { stdin })).toMatch(/^\s*5242880\s*$/);
  });

  test("case 39: without a text it finds it empty, and waits for nothing", async () => {
    expect(await output("cat; echo over")).toBe("over\n");
    expect(await output("cat; echo over", { stdin: "" })).toBe("over\n");
  });

  test("case 40: a program that never reads it is no error (H13)", async () => {
    const stdin = "x".repeat(1_048_576);
    expect(await output("echo own", { stdin })).toBe("own\n");
    expect(await output({ file: "true", args: [] }, { stdin })).toBe("");
  });

  test("a program that closes it early and goes on is no error (H13)", async () => {
    const stdin = "x".repeat(1_048_576);
    expect(await output("head -c 3; exec <&-; echo; echo later", { stdin })).toBe("xxx\nlater\n");
  });
});

describe("how it ended", () => {
  test.each([0, 1, 2, 127, 255])("exit code %i is told", async (code) => {
    expect((await exec(`exit ${code}`)).end).toEqual({ kind: "exited", code });
  });

  test.each(["SIGSEGV", "SIGTERM", "SIGKILL", "SIGPIPE"])(
    "case 46: death by %s is told by its name, and is no exit code",
    async (signal) => {
      const { end } = await exec(`kill -${signal.slice(3)} $$`);
      expect(end).toEqual({ kind: "signaled", signal });
    }
  );

  test("both streams come back apart, and how long it took", async () => {
    const { stdout, stderr, durationMs } = await exec("echo out; echo err >&2; sleep 0.05");
    expect(stdout).toEqual({ text: "out\n", bytes: 4, truncated: false });
    expect(stderr).toEqual({ text: "err\n", bytes: 4, truncated: false });
    expect(durationMs).toBeGreaterThanOrEqual(50);
  });

  test("a character that is written in two pieces is one character (H20)", async () => {
    const script = String.raw`printf 'gr\303'; sleep 0.05; printf '\274n\n'`;
    expect(await output(script)).toBe("grün\n");
  });

  test("long output keeps its two ends (H20)", async () => {
    const { stdout, stderr } = await exec("seq 1000; echo last >&2", { keepBytes: 20 });
    expect(stdout).toMatchObject({ bytes: 3893, truncated: true });
    expect(stdout.text).toMatch(/^1\n2\n3\n4\n5\n\[… \d+ bytes left out …\]\n[^]*\n1000\n$/);
    expect(stderr).toEqual({ text: "last\n", bytes: 5, truncated: false });
  });
});

describe("what cannot start (H23)", () => {
  const message = async (command: Command, more?: Partial<ExecRequest>): Promise<string> => {
    const { end, stdout, stderr } = await exec(command, more);
    expect([stdout.bytes, stderr.bytes]).toEqual([0, 0]);
    if (end.kind !== "notStarted") throw new Error(`it ran: ${JSON.stringify(end)}`);
    return `${end.code ?? "-"}: ${end.message}`;
  };

  test("a program that is not there", async () => {
    const dir = await tempDir();
    expect(await message({ file: "no-such-program", args: [] })).toBe(
      "ENOENT: “no-such-program” is not on the PATH; install it or give its path"
    );
    expect(await message({ file: "./nope.sh", args: [] }, { cwd: dir })).toBe(
      "ENOENT: “./nope.sh” does not exist"
    );
  });

  test("a working directory that is gone, or is a file, is told from a program that is", async () => {
    const file = join(await tempDir(), "file");
    await writeFile(file, "");
    const command = { file: "true", args: [] };
    expect(await message(command, { cwd: `${file}-gone` })).toBe(
      `ENOENT: the working directory ${file}-gone does not exist`
    );
    expect(await message(command, { cwd: file })).toBe(
      `ENOTDIR: the working directory ${file} is not a folder`
    );
    expect(await message(command, { cwd: `${file}/below` })).toMatch("cannot be entered (ENOTDIR)");
  });

  test("case 44: a file that is not executable, and a folder", async () => {
    const cwd = await tempDir();
    await writeFile(join(cwd, "stop"), "#!/bin/sh\n", { mode: 0o644 });
    expect(await message({ file: "./stop", args: [] }, { cwd })).toBe(
      "EACCES: “./stop” may not be executed; make it executable with chmod +x, or start it by its interpreter"
    );
    expect(await message({ file: cwd, args: [] }, { cwd })).toBe(
      `EACCES: “${cwd}” is a folder, not a program`
    );
  });

  test("case 44: a script whose interpreter is missing, by path and by PATH", async () => {
    const cwd = await tempDir();
    const stop = join(cwd, "stop");
    await writeFile(stop, "#!/no/such/python -u\nprint(1)\n", { mode: 0o755 });
    const words = `ENOENT: the interpreter of “${stop}” does not exist; its first line is "#!/no/such/python -u"`;
    expect(await message({ file: "./stop", args: [] }, { cwd })).toBe(words);
    expect(await message({ file: "stop", args: [] }, { env: { PATH: cwd } })).toBe(words);
  });

  test("case 49: arguments that are too long", async () => {
    const args = ["x".repeat(3_000_000)];
    expect(await message({ file: "true", args })).toMatch(/^E2BIG: .*hand the data over in a file/);
    expect(await message({ script: `true ${args.join("")}` })).toMatch(/^E2BIG: /);
  });

  test("a NUL byte anywhere", async () => {
    const words = /holds a NUL byte/;
    expect(await message({ file: "tr\0ue", args: [] })).toMatch(words);
    expect(await message({ file: "true", args: ["a\0b"] })).toMatch(words);
    expect(await message({ script: "echo a\0b" })).toMatch(words);
    expect(await message({ file: "true", args: [] }, { cwd: "/tmp\0" })).toMatch(words);
    expect(await message({ file: "true", args: [] }, { env: { A: "\0" } })).toMatch(words);
    expect(await message({ file: "true", args: [] }, { env: { "A\0": "" } })).toMatch(words);
  });

  test("no name at all, a name that is too long, a loop of links", async () => {
    const cwd = await tempDir();
    await symlink("loop", join(cwd, "loop"));
    expect(await message({ file: "", args: [] })).toMatch("could not be started");
    expect(await message({ file: `./${"x".repeat(5000)}`, args: [] })).toMatch(/^ENAMETOOLONG: /);
    expect(await message({ file: "./loop", args: [] }, { cwd })).toMatch(/^ELOOP: /);
  });
});
