/** A project, mostly a repository, and a home for calls of `mux-stop-hooks init`. */
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { doctor } from "@/cli/gauntlet/commands/doctor";
import { init, type InitOptions } from "@/cli/gauntlet/commands/init";
import { uninstall } from "@/cli/gauntlet/commands/uninstall";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { planHook } from "@/cli/gauntlet/init/hooks/planHook";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import type { ExitCode } from "@/cli/context";
import { createRuntime, hookLoadOptions } from "@/wiring";
import { loadHookSettings, type HookSettings } from "@/node/services/hooks/index";
import { ended, testContext, type Called, type TestContext } from "@test/helpers/cliContext";
import { GitProject, gitEnv } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

export interface InitCall {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Input typed at a terminal. It ends afterwards, unless `prepare` is given. */
  readonly typed?: string;
  /** Gets the context before the command begins. */
  readonly prepare?: (context: TestContext) => void;
}

export const CTRL_C = "\u0003";

/** Types the first keys at once, and the answer each time that a text is shown. Ctrl-C sends a signal, as in line mode. */
export function typing(first: string, shown: string, answer: string): InitCall {
  return {
    typed: "",
    prepare: ({ stdin, stdout, interrupt }) => {
      const write = stdout.write.bind(stdout);
      const act: () => unknown = answer === CTRL_C ? interrupt : () => stdin.write(answer);
      stdout.write = (text) => {
        write(text);
        if (text.includes(shown)) void delay(0).then(act);
      };
      if (first !== "") stdin.write(first);
    },
  };
}

export class InitProject extends GitProject {
  private constructor(
    dir: string,
    readonly home: string
  ) {
    super(dir);
  }

  /** Creates a project with one commit on `main`. */
  static override async create(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }) {
    const project = new InitProject(await tempDir(), await tempDir());
    project.begin(files);
    return project;
  }

  /** Creates a project without a repository, in which each call starts a third of the processes. */
  static async withoutGit(files: Readonly<Record<string, string>> = {}) {
    const project = new InitProject(await tempDir(), await tempDir());
    project.write(files);
    return project;
  }

  async init(options: InitOptions = {}, call: InitCall = {}): Promise<Called> {
    return await this.#call((context) => init(options, context), call);
  }

  async uninstall(options: Parameters<typeof uninstall>[0] = {}, call: InitCall = {}) {
    return await this.#call((context) => uninstall({ yes: true, ...options }, context), call);
  }

  async doctor(options: Parameters<typeof doctor>[0] = {}, call: InitCall = {}): Promise<Called> {
    return await this.#call((context) => doctor(options, context), call);
  }

  /** Plans the hook of this host, as `init` does. */
  async plan(host: string, env?: NodeJS.ProcessEnv): ReturnType<typeof planHook> {
    return await planHook(
      HOOK_HOSTS.find(({ name }) => name === host)!,
      this.place(env)
    );
  }

  /** Returns the place that `init` works with. */
  place(env: NodeJS.ProcessEnv = {}): InitPlace {
    const context = this.#context({ env });
    return { ...context, runtime: createRuntime(gitEnv()), projectDir: this.dir };
  }

  async #call(command: (context: TestContext) => Promise<ExitCode>, call: InitCall) {
    const { typed, prepare } = call;
    const context = this.#context(call);
    prepare?.(context);
    if (typed !== undefined && prepare === undefined) context.stdin.end(typed);
    return await ended(context, command(context));
  }

  #context({ cwd = this.dir, env = {}, typed }: InitCall): TestContext {
    return testContext(
      { cwd, home: this.home },
      { env: { ...gitEnv(), HOME: this.home, NO_COLOR: "1", ...env }, tty: typed !== undefined }
    );
  }

  read(path: string): string {
    return readFileSync(this.at(path), "utf8");
  }

  json(path: string): unknown {
    return JSON.parse(this.read(path));
  }

  chmod(path: string, mode: number): void {
    chmodSync(this.at(path), mode);
  }

  /** Loads the hooks that a host of this user finds in the project. */
  async hooks(env: NodeJS.ProcessEnv = {}): Promise<HookSettings> {
    const place = { env, home: this.home };
    const runtime = createRuntime(gitEnv());
    return await loadHookSettings(runtime, this.dir, hookLoadOptions(runtime, place));
  }

  /** Returns every file except git's own, with its bytes. */
  files(): Record<string, string> {
    const names = readdirSync(this.dir, { recursive: true }).map(String);
    const own = names.filter((name) => name !== ".git" && !name.startsWith(".git/")).sort();
    return Object.fromEntries(own.map((name) => [name, this.#contentOf(join(this.dir, name))]));
  }

  #contentOf(path: string): string {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
    return stats.isFile() ? readFileSync(path, "latin1") : "no file";
  }
}
