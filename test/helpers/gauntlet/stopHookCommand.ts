/** `agent-gauntlet stop-hook` as a host starts it, in a separate process. */
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { agentGauntletBin } from "@test/helpers/built";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { tempDir } from "@test/helpers/tempDir";

export interface StopHookAnswer {
  readonly decision: string;
  readonly status: string;
  readonly message: string;
  readonly reason?: string;
  readonly stopReason?: string;
  readonly systemMessage?: string;
}

export interface StopHookEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StopHookOptions {
  readonly command?: "stop-hook" | "turn-start";
  /** Whether a person has not trusted the gates as they are. */
  readonly untrusted?: boolean;
  /** Arguments after the command. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Options for Node itself. */
  readonly flags?: readonly string[];
  readonly bin?: string;
  /** The standard input, if it is not a socket to the test. */
  readonly stdin?: "ignore" | number;
}

export const NOT_ACTIVE = '{"stop_hook_active":false}\n';

/** Starts a command, which is killed when the test ends. */
export async function start(cwd: string, options?: StopHookOptions): Promise<StopHookCommand> {
  const command = await StopHookCommand.start(cwd, options);
  onTestFinished(() => void command.child.kill("SIGKILL"));
  return command;
}

/** Sends the input, leaves it open, and returns the answer. */
export async function stop(cwd: string, input = NOT_ACTIVE, options: StopHookOptions = {}) {
  const command = await start(cwd, options);
  return await command.send(input).answer();
}

/** Returns the answer, after checks that apply to every answer (G23). */
export function parseAnswer(end: StopHookEnd): StopHookAnswer & { readonly told: string } {
  const { code, stdout, stderr } = end;
  const lines = stdout.split("\n");
  if (code !== 0 || lines.length !== 2 || lines[1] !== "") {
    throw new Error(`no answer: ${JSON.stringify({ code, stdout, stderr })}`);
  }
  const stray = stderr.split("\n").filter((line) => !/^(\[gauntlet\] .*)?$/.test(line));
  if (stray.length > 0) throw new Error(`without the prefix: ${stray.join("\n")}`);
  const told = stderr.replaceAll(/^\[gauntlet\] /gm, "");
  return { ...(JSON.parse(stdout) as StopHookAnswer), told };
}

export class StopHookCommand {
  readonly end: Promise<StopHookEnd>;

  private constructor(readonly child: ChildProcess) {
    this.end = this.#end();
    // The command may end before it has read its whole input.
    child.stdin?.on("error", () => undefined);
  }

  static async start(cwd: string, options: StopHookOptions = {}): Promise<StopHookCommand> {
    const { command = "stop-hook", args: words = [] } = options;
    const { flags = [], bin = agentGauntletBin } = options;
    const { env = {}, stdin = "pipe" } = options;
    const stdio: StdioOptions = [stdin, "pipe", "pipe"];
    const home = env.HOME ?? (await tempDir());
    if (command === "stop-hook" && options.untrusted !== true) {
      for (const dir of [cwd, env.CLAUDE_PROJECT_DIR ?? cwd]) await trustNow(dir, home);
    }
    const args = [...flags, bin, command, ...words];
    return new StopHookCommand(
      spawn(process.execPath, args, { cwd, env: { ...PROJECT_ENV, HOME: home, ...env }, stdio })
    );
  }

  /** Sends input, and leaves standard input open. */
  send(input: string | Uint8Array): this {
    this.child.stdin?.write(input);
    return this;
  }

  close(input = ""): this {
    this.child.stdin?.end(input);
    return this;
  }

  async answer(): Promise<StopHookAnswer & { readonly told: string }> {
    return parseAnswer(await this.end);
  }

  async #end(): Promise<StopHookEnd> {
    const { child } = this;
    const [stdout, stderr, [code]] = await Promise.all([
      child.stdout === null ? "" : text(child.stdout),
      child.stderr === null ? "" : text(child.stderr),
      once(child, "exit") as Promise<[number | null]>,
    ]);
    child.stdin?.destroy();
    return { code, stdout, stderr };
  }
}
