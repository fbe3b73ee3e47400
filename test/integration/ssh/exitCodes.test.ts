/** The exit code of a command over SSH, as a caller of the process gets it, and the end of its connection (H33). */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { muxHooksBin } from "@test/helpers/freshBuild";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { runToEnd } from "@test/helpers/process/processes";
import { hasSshd, Sshd } from "@test/helpers/remote/sshd";
import { masterPids } from "@test/helpers/remote/sshSessions";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { pathOf } from "@scripts/programs.mjs";

const SETTINGS = {
  hooks: { Stop: [{ hooks: [{ type: "command", command: "echo no >&2; exit 2" }] }] },
};

describe.runIf(hasSshd)("the exit code over SSH", () => {
  let sshd: Sshd;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    sshd = await Sshd.start({ env: { PATH: process.env.PATH ?? "" } });
    const here = await tempDir();
    const ssh = `#!/bin/sh\nexec ${pathOf("ssh")} -F '${sshd.config}' "$@"\n`;
    await writeFile(join(here, "ssh"), ssh, { mode: 0o755 });
    const PATH = `${here}:${process.env.PATH ?? ""}`;
    env = { PATH, HOME: here, MUX_HOOKS_TRUST: "always" };
    await putFile(join(sshd.home, "work/.mux/settings.json"), JSON.stringify(SETTINGS));
  });
  afterAll(() => sshd.dispose());

  test("of mux-hooks test Stop is 3", async () => {
    const line = [muxHooksBin, "test", "Stop", "--workspace", `ssh://box${sshd.home}/work`];
    const { code } = await runToEnd(process.execPath, line, { env, cwd: env.HOME });
    expect(code).toBe(3);
  });

  test("a program that only awaits its runtime ends after the connection has", async () => {
    expect(await runInFreshNode("disposesSsh", [sshd.config])).toBe("disposed");
    expect(await masterPids(sshd)).toEqual([]);
  });
});
