/** The exit codes of commands over SSH, as a caller of the process gets them (H33). */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentGauntletBin, ensureBuilt, muxHooksBin } from "@test/helpers/built";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { execFileAsync } from "@test/helpers/process/processes";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { masterPids } from "@test/helpers/remote/sshSessions";
import { tempDir } from "@test/helpers/tempDir";

const SETTINGS = {
  hooks: { Stop: [{ hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] },
};
const CONFIG = "entry_points:\n  - path: .\n    checks: [no]\n";

describe.runIf(hasSshd)("the exit code over SSH", () => {
  let sshd: Sshd;
  let env: NodeJS.ProcessEnv;

  /** Adds a file below the home of the other machine. */
  async function write(path: string, text: string): Promise<void> {
    const file = join(sshd.home, path);
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, text);
  }

  beforeAll(async () => {
    await ensureBuilt();
    sshd = await Sshd.start({ env: { PATH: process.env.PATH ?? "" } });
    const here = await tempDir();
    const ssh = `#!/bin/sh\nexec /usr/bin/ssh -F '${sshd.config}' "$@"\n`;
    await writeFile(join(here, "ssh"), ssh, { mode: 0o755 });
    const PATH = `${here}:${process.env.PATH ?? ""}`;
    await writeFile(join(here, "turns.yml"), "turns: [Done.]\n");
    env = { PATH, HOME: here, MUX_HOOKS_TRUST: "always" };
    await mkdir(join(sshd.home, "empty"));
    await write("work/.mux/settings.json", JSON.stringify(SETTINGS));
    await write("work/.gauntlet/config.yml", CONFIG);
    await write("work/.gauntlet/checks/no.yml", "command: exit 3\n");
    await execFileAsync("git", ["init", "-q", join(sshd.home, "work")]);
  }, 120_000);
  afterAll(() => sshd.dispose());

  async function codeOf(bin: string, args: readonly string[], path: string): Promise<unknown> {
    const line = [bin, ...args, "--workspace", `ssh://box${sshd.home}/${path}`];
    return await new Promise((resolve) => {
      execFile(process.execPath, line, { env, cwd: env.HOME }, (error) => {
        resolve(error === null ? 0 : error.code);
      });
    });
  }

  test.each([
    ["list", 1, "missing"],
    ["test Stop", 3, "work"],
    ["run Hello. --script turns.yml", 0, "empty"],
    ["trust", 1, "work"],
  ])("mux-hooks %s: %d in a folder that is %s", async (args, code, path) => {
    expect(await codeOf(muxHooksBin, args.split(" "), path)).toBe(code);
  });

  test.each([
    ["run", 1, "work"],
    ["review", 0, "work"],
    ["status", 0, "work"],
  ])("agent-gauntlet %s: %d in a folder that is %s", async (args, code, path) => {
    expect(await codeOf(agentGauntletBin, args.split(" "), path)).toBe(code);
  });

  test.each(["run", "known list"])("agent-gauntlet %s: 1 without a configuration", async (args) => {
    expect(await codeOf(agentGauntletBin, args.split(" "), "empty")).toBe(1);
  });

  test("a program that only awaits its runtime ends after the connection has", async () => {
    expect(await runInFreshNode("disposesSsh", [sshd.config])).toBe("disposed");
    expect(await masterPids(sshd)).toEqual([]);
  });
});
