/** Hosts for GNU parallel: several sshd on this machine, each with its own home. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { execFileAsync } from "@test/helpers/process/processes";
import { Sshd } from "@test/helpers/remote/sshd";

export class BuildHosts {
  private constructor(
    private readonly all: readonly Sshd[],
    /** The environment for GNU parallel. */
    readonly env: Readonly<Record<string, string>>
  ) {}

  /** @param env the environment of every program on these hosts */
  static async start(names: readonly string[], env: Record<string, string>): Promise<BuildHosts> {
    // sshd starts in the home of the machine's user, which is not the home of this host.
    const forceCommand = 'cd "$HOME" && exec "$SHELL" -c "$SSH_ORIGINAL_COMMAND"';
    const all = await Promise.all(names.map((alias) => Sshd.start({ alias, env, forceCommand })));
    const [first] = all;
    const config = join(first?.folder ?? "", "all_hosts");
    await writeFile(config, all.map((sshd) => sshd.hostBlock(sshd.alias)).join(""));
    const own = { PARALLEL_SSH: `ssh -F ${config}`, PARALLEL_HOME: join(first?.folder ?? "", "p") };
    return new BuildHosts(all, own);
  }

  get homes(): string[] {
    return this.all.map(({ home }) => home);
  }

  /** Clones the repository as `name` into each home, with its current branch. */
  async clone(repository: string, name: string): Promise<void> {
    for (const home of this.homes) {
      await execFileAsync("git", ["clone", "--quiet", repository, join(home, name)]);
    }
  }

  /** Trusts the gates of the clones, as a person on each host did. */
  async trust(name: string): Promise<void> {
    for (const home of this.homes) await trustNow(join(home, name), home);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.all.map((sshd) => sshd.dispose()));
  }
}
