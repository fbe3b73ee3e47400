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
    const missing = await exec({ script: "true", shell: "no-such-shell" });
    expect(missing.end).toMatchObject({ kind: "notStarted", code: "ENOENT" });
  });

  test("case 47: no login shell: the output of a profile is not in the output", async () => {
    const home = await tempDir();
    await writeFile(join(home, ".bash_profile"), "echo noise");
    await writeFile(join(home, ".bashrc"), "echo noise");
    await writeFile(join(home, ".profile"), "echo noise");
    expect(await output("echo only", { env: { HOME: home } })).toBe("only\n");
  });

  test.each(["plain", "two words", `quotes ' and "`, "$HOME `x`", "new\nline", "grün 🎉", "-n"])(
    "case 36: a folder called %j is the working directory (H15)",
    async (name) => {
      const cwd = join(await tempDir(), name);
      await mkdir(cwd);
      expect(await output("pwd; touch here", { cwd })).toBe(`${cwd}\n`);
      expect(await readFile(join(cwd, "here"), "utf8")).toBe("");
      await writeFile(join(cwd, "hook.sh"), '#!/bin/sh\necho "$PWD"\n', { mode: 0o755 });
      expect(await output({ file: join(cwd, "hook.sh"), args: [] }, { cwd })).toBe(`${cwd}\n`);
    }
  );

  test("builds the environment from the machine's, without removed and with added variables (H14)", async () => {
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

  test("passes only listed names and prefixes with an allow-list", async () => {
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
  test("case 38: a program gets the text, then the end of input (H13)", async () => {
    const stdin = `{"text":"grün 🎉"}\n`;
    expect(await output("cat", { stdin })).toBe(stdin);
    expect(await output('read -r line; echo "$line"', { stdin })).toBe(stdin);
  });

  test("case 42: five megabytes arrive complete (H13)", async () => {
    const stdin = "0123456789abcdef".repeat(5 * 65_536);
    expect(await output("wc -c", { stdin })).toMatch(/^\s*5242880\s*$/);
  });

  test("case 39: is empty and at its end if no text is given", async () => {
    expect(await output("cat; echo over")).toBe("over\n");
    expect(await output("cat; echo over", { stdin: "" })).toBe("over\n");
  });

  test("case 40: a program that never reads it causes no error (H13)", async () => {
    const stdin = "x".repeat(1_048_576);
    expect(await output("echo own", { stdin })).toBe("own\n");
    expect(await output({ file: "true", args: [] }, { stdin })).toBe("");
  });

  test("a program that closes it early and continues causes no error (H13)", async () => {
    const stdin = "x".repeat(1_048_576);
    expect(await output("head -c 3; exec <&-; echo; echo later", { stdin })).toBe("xxx\nlater\n");
  });
});

describe("the result of a program", () => {
  test.each([0, 1, 2, 127, 255])("has exit code %i", async (code) => {
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
  const message = async (command: Command, more?: Partial<ExecRequest>): Promise<string> => {
    const { end, stdout, stderr } = await exec(command, more);
    expect([stdout.bytes, stderr.bytes]).toEqual([0, 0]);
    if (end.kind !== "notStarted") throw new Error(`it ran: ${JSON.stringify(end)}`);
    return `${end.code ?? "-"}: ${end.message}`;
  };

  test("reports a missing program", async () => {
    const dir = await tempDir();
    expect(await message({ file: "no-such-program", args: [] })).toBe(
      "ENOENT: “no-such-program” is not on the PATH; install it or give its path"
    );
    expect(await message({ file: "./nope.sh", args: [] }, { cwd: dir })).toBe(
      "ENOENT: “./nope.sh” does not exist"
    );
  });

  test("distinguishes a missing working directory, or one that is a file, from a missing program", async () => {
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
      'EACCES: “./stop” is not executable; make it executable with "chmod +x", or start it with its interpreter'
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
    expect(await message({ file: "true", args })).toMatch(/^E2BIG: .*pass the data in a file/);
    expect(await message({ script: `true ${args.join("")}` })).toMatch(/^E2BIG: /);
  });

  test("reports a NUL byte in any part", async () => {
    const words = /contains a NUL byte/;
    expect(await message({ file: "tr\0ue", args: [] })).toMatch(words);
    expect(await message({ file: "true", args: ["a\0b"] })).toMatch(words);
    expect(await message({ script: "echo a\0b" })).toMatch(words);
    expect(await message({ file: "true", args: [] }, { cwd: "/tmp\0" })).toMatch(words);
    expect(await message({ file: "true", args: [] }, { env: { A: "\0" } })).toMatch(words);
    expect(await message({ file: "true", args: [] }, { env: { "A\0": "" } })).toMatch(words);
  });

  test("reports an empty name, a name that is too long, and a symbolic link loop", async () => {
    const cwd = await tempDir();
    await symlink("loop", join(cwd, "loop"));
    expect(await message({ file: "", args: [] })).toMatch("could not be started");
    expect(await message({ file: `./${"x".repeat(5000)}`, args: [] })).toMatch(/^ENAMETOOLONG: /);
    expect(await message({ file: "./loop", args: [] }, { cwd })).toMatch(/^ELOOP: /);
  });
});
