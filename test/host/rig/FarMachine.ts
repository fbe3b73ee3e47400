/** Another machine for a host's SSH workspaces: a real sshd on loopback, which the host's ssh knows as `box`. */
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Sshd } from "@test/helpers/remote/sshd";
import { pathOf } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import type { AtEnd } from "@test/host/model/ScriptedModel";

export class FarMachine {
  private constructor(
    readonly sshd: Sshd,
    private readonly bin: string
  ) {}

  static async start(atEnd: AtEnd): Promise<FarMachine> {
    const sshd = await Sshd.start();
    atEnd(() => sshd.dispose());
    const bin = join(await tempDir(), "bin");
    await mkdir(bin);
    // Otherwise ssh would read the configuration of the user who runs the test.
    const ssh = `#!/bin/sh\nexec ${pathOf("ssh") ?? "ssh"} -F '${sshd.config}' "$@"\n`;
    await writeFile(join(bin, "ssh"), ssh);
    await chmod(join(bin, "ssh"), 0o755);
    return new FarMachine(sshd, bin);
  }

  get home(): string {
    return this.sshd.home;
  }

  /** The environment in which the host finds the machine. */
  get env(): NodeJS.ProcessEnv {
    return { PATH: `${this.bin}:${process.env.PATH}` };
  }

  /** The user's settings for a workspace on that machine. */
  get runtimeConfig(): object {
    return { type: "ssh", host: this.sshd.alias, srcBaseDir: "~/src" };
  }

  /** Returns the checkout that contains this file. */
  async checkoutWith(file: string): Promise<string> {
    const all = await readdir(join(this.home, "src"), { recursive: true });
    const found = all.find((name) => name.endsWith(`/${file}`));
    if (found === undefined) throw new Error(`${file} is nowhere in ${all.join(", ")}`);
    return join(this.home, "src", found.slice(0, -file.length));
  }
}
