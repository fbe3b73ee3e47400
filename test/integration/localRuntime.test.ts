import { symlink, writeFile } from "node:fs/promises";
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
});

const long = "0123456789abcdef".repeat(5 * 65_536);

test.each([
  ["five megabytes arrive complete (H13)", "wc -c", "5242880\n", long],
  [
    "a program that closes it early and continues causes no error (H13)",
    ...["head -c 3; exec <&-; echo; echo later", "012\nlater\n", long],
  ],
] as const)("%s", async (_what, script, expected, stdin) => {
  expect((await output(script, { stdin })).trimStart()).toBe(expected);
});

describe("the result of a program", () => {
  test.each(["SIGSEGV", "SIGKILL"])(
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
});

describe("a program that cannot start (H23)", () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await tempDir();
    await writeFile(join(cwd, "stop"), "#!/bin/sh\n");
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
    ["case 44: such a script on PATH", () => ({ command: start("bad"), env: { PATH: cwd } }), BAD],
    ["a script that is too long", () => ({ command: { script: tooLong } }), "E2BIG: "],
    ["a NUL in a script", () => ({ command: { script: "echo a\0b" } }), NUL],
    ["a NUL in the folder", () => ({ cwd: "/tmp\0" }), NUL],
    ["a NUL in a variable", () => ({ env: { A: "\0" } }), NUL],
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
