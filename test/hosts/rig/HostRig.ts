/** A project with a gauntlet and a real agent command line that works on it. Home and project are temporary. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { agentGauntletBin, repository } from "@test/helpers/freshBuild";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { CHECKED_SRC } from "@test/helpers/hooks/stopHookProject";
import { execFileAsync, killGroup } from "@test/helpers/process/processes";
import { PACKAGE } from "@test/helpers/gauntlet/hostFiles";
import { shellWord } from "@test/helpers/hooks/hookProject";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { HostModel, type Replies } from "@test/hosts/model/HostModel";
import type { HostReply } from "@test/hosts/model/wireFormat";
import { ClosedNetwork } from "@test/hosts/rig/ClosedNetwork";
import type { HookCommands, HookScope, HostDriver } from "@test/hosts/rig/hostDriver";
import { commandOf } from "@test/hosts/rig/installed";

/** What the scripted agent can do in its project. */
export interface ScriptedAgent {
  readonly project: string;
  /** Replies with calls of the host's own tools by which the agent makes the check fail. */
  readonly breaks: readonly HostReply[];
  /** Such calls that fix the file after that. */
  readonly fixes: readonly HostReply[];
  /** Such calls that change the file after that, but do not fix it. */
  readonly attempts: readonly HostReply[];
}

export interface HostRigOptions {
  readonly replies: (agent: ScriptedAgent) => Replies;
  /** More lines of the gauntlet's configuration. */
  readonly config?: string;
  /** The command of the only check, which runs in `src`. The default fails if `note.txt` is broken. */
  readonly check?: string;
  /** More lines of the check. */
  readonly fields?: string;
  /** Files of the last commit. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whose settings have the hooks; `init --shared` installs those of the team. The default is the user. */
  readonly scopes?: readonly (HookScope | "team")[];
  /** More variables of the host. */
  readonly env?: (home: string) => Readonly<Record<string, string>>;
  /** Whether the user trusts the hooks. The default is true. */
  readonly isTrusted?: boolean;
  /** The seconds after which the host ends a hook. The default is 300. */
  readonly endsHooksAfterS?: number;
  /** Replaces the commands of the hooks. */
  readonly commands?: (
    installed: HookCommands,
    home: string
  ) => HookCommands | Promise<HookCommands>;
}

export interface HostEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The branch of the work begins after it. */
const COMMIT_TO_MAIN =
  "git add --all && git commit --quiet --message=files && git branch --force main";

export class HostRig {
  private constructor(
    readonly driver: HostDriver,
    readonly gauntlet: GauntletProject,
    readonly home: string,
    readonly model: HostModel,
    readonly network: ClosedNetwork,
    private readonly command: readonly string[],
    private readonly env: NodeJS.ProcessEnv
  ) {}

  /** Creates a project in which nothing has changed since the last commit: its agent changes `src/note.txt`. */
  static async create(driver: HostDriver, options: HostRigOptions): Promise<HostRig> {
    const { replies, config = "", check = "! grep bad note.txt" } = options;
    const { fields = "", files: committed = {} } = options;
    const { scopes = ["user"], isTrusted = true, commands = (same) => same } = options;
    const { endsHooksAfterS = 300 } = options;
    const network = await ClosedNetwork.start();
    const gauntlet = await GauntletProject.create(`${config}${CHECKED_SRC}`, {
      ok: `command: ${JSON.stringify(check)}\n${fields}`,
    });
    for (const [path, content] of Object.entries({ "src/note.txt": "first\n", ...committed }))
      await gauntlet.write(path, content);
    await gauntlet.shell(COMMIT_TO_MAIN);
    const home = await tempDir();
    const edit = (before: string, after: string): HostReply[] =>
      driver.edit(gauntlet.path("src/note.txt"), before, after).map((call) => ({ tools: [call] }));
    const agent = {
      project: gauntlet.dir,
      breaks: edit("first", "bad"),
      fixes: edit("bad", "good"),
      attempts: edit("bad", "bad again"),
    };
    const model = await HostModel.start(driver.format, replies(agent));
    const place = { home, project: gauntlet.dir, modelUrl: model.url };
    const files = { ...driver.files(place) };
    for (const scope of scopes) {
      if (scope === "team") continue;
      const hooks = driver.hooks(place, await commands(hookCommands(driver.name), home), scope);
      // Some hosts take milliseconds.
      const limit = /(?<="timeout(?:Sec)?":)300/;
      files[hooks.path] = textOf(hooks.content).replace(limit, String(endsHooksAfterS));
    }
    for (const [path, content] of Object.entries(files)) await putFile(path, content);
    if (scopes.includes("team")) await installForTeam(driver.name, gauntlet, home);
    if (scopes.some((scope) => scope !== "user")) await gauntlet.commit("hooks");
    const command = commandOf(driver.name) ?? [];
    const own = { HOME: home, TMPDIR: process.env.TMPDIR, ...network.env };
    const env = { ...PROJECT_ENV, ...own, ...driver.env(place), ...options.env?.(home) };
    const rig = new HostRig(driver, gauntlet, home, model, network, command, env);
    await trustNow(gauntlet.dir, home);
    if (isTrusted) await rig.trust();
    return rig;
  }

  /** Makes the user trust all hooks, where the host asks for it. */
  async trust(): Promise<void> {
    await this.driver.trust?.(this.command, this.env, this.gauntlet.dir);
  }

  /** Lets the host answer one message to its end. */
  async say(message = "Do it."): Promise<HostEnd> {
    return await this.start(...this.driver.begin(message)).end;
  }

  /** Continues the last session with another message. */
  async sayMore(message: string): Promise<HostEnd> {
    return await this.start(...this.driver.resume(message)).end;
  }

  /** Starts the host in a process group of its own, as a shell does. */
  start(...args: readonly string[]): {
    readonly child: ChildProcess;
    readonly end: Promise<HostEnd>;
  } {
    const [program = "", ...words] = this.command;
    const child = spawn(program, [...words, ...args], {
      cwd: this.gauntlet.dir,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    onTestFinished(() => {
      killGroup(child.pid);
    });
    return { child, end: endOf(child) };
  }
}

/** Installs this package as a dependency of the project, and runs `init --shared`. */
async function installForTeam(host: string, gauntlet: GauntletProject, home: string) {
  await gauntlet.write("package.json", JSON.stringify(PACKAGE));
  await gauntlet.write(".gitignore", "node_modules\n");
  await mkdir(gauntlet.path("node_modules/.bin"), { recursive: true });
  await symlink(repository, gauntlet.path("node_modules/mux-stop-hooks"));
  await symlink(agentGauntletBin, gauntlet.path("node_modules/.bin/agent-gauntlet"));
  await execFileAsync(process.execPath, [agentGauntletBin, "init", "--hook", host, "--shared"], {
    cwd: gauntlet.dir,
    env: { ...PROJECT_ENV, HOME: home },
  });
}

function hookCommands(host: string): HookCommands {
  const program = `node ${shellWord(agentGauntletBin)}`;
  return {
    stop: `${program} stop-hook --verify --host ${host} --limit 300`,
    turnStart: `${program} turn-start`,
  };
}

function textOf(content: object | string): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** Returns the output and the exit of a program. */
export async function endOf(child: ChildProcess): Promise<HostEnd> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  return { code, signal, stdout, stderr };
}
