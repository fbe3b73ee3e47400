/** The exit codes of commands over SSH, as a caller of the process gets them (H33). */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentGauntletBin, muxHooksBin } from "@test/helpers/freshBuild";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { execFileAsync, runToEnd } from "@test/helpers/process/processes";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { masterPids } from "@test/helpers/remote/sshSessions";
import { putFile, tempDir } from "@test/helpers/tempDir";

const SETTINGS = {
  hooks: { Stop: [{ hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] },
};
const CONFIG = "entry_points:\n  - path: .\n    checks: [no]\n";

describe.runIf(hasSshd)("the exit code over SSH", () => {
  let sshd: Sshd;
  let env: NodeJS.ProcessEnv;

  /** Adds a file below the home of the other machine. */
  const write = (path: string, text: string) => putFile(join(sshd.home, path), text);

  beforeAll(async () => {
    sshd = await Sshd.start({ env: { PATH: process.env.PATH ?? "" } });
    const here = await tempDir();
    const ssh = `#!/bin/sh\nexec /usr/bin/ssh -F '${sshd.config}' "$@"\n`;
    await writeFile(join(here, "ssh"), ssh, { mode: 0o755 });
    const PATH = `${here}:${process.env.PATH ?? ""}`;
    env = { PATH, HOME: here, MUX_HOOKS_TRUST: "always" };
    await write("work/.mux/settings.json", JSON.stringify(SETTINGS));
    await write("work/.gauntlet/config.yml", CONFIG);
    await write("work/.gauntlet/checks/no.yml", "command: exit 3\n");
    await execFileAsync("git", ["init", "-q", join(sshd.home, "work")]);
  });
  afterAll(() => sshd.dispose());

  test.each([
    ["mux-hooks test Stop", 3],
    ["agent-gauntlet run", 1],
  ])("of %s is %d", async (words, expected) => {
    const [name, ...args] = words.split(" ");
    const bin = name === "mux-hooks" ? muxHooksBin : agentGauntletBin;
    const line = [bin, ...args, "--workspace", `ssh://box${sshd.home}/work`];
    const { code } = await runToEnd(process.execPath, line, { env, cwd: env.HOME });
    expect(code).toBe(expected);
  });

  test("a program that only awaits its runtime ends after the connection has", async () => {
    expect(await runInFreshNode("disposesSsh", [sshd.config])).toBe("disposed");
    expect(await masterPids(sshd)).toEqual([]);
  });
});
