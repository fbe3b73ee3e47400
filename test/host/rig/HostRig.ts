/** A project with hooks, a home, and a host that uses a scripted model. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gitEnv } from "@test/helpers/gitProject";
import { createRepository } from "@test/helpers/newRepository";
import { repository } from "@test/helpers/freshBuild";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { type AtEnd, type Reply, ScriptedModel } from "@test/host/model/ScriptedModel";
import type { Host } from "@test/host/rig/hosts";

export const MODEL = "anthropic:claude-sonnet-4-5";
export const preload = join(repository, "dist", "host", "register.cjs");

export interface RigOptions {
  readonly replies: readonly Reply[];
  /** `.mux/settings.json` of the project. */
  readonly settings?: unknown;
  /** `settings.json` of the user. */
  readonly userSettings?: unknown;
  /** Files of the project's first commit, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the host and mux-stop-hooks hooks trust the project. The default is true. */
  readonly trusted?: boolean;
  /** If false, the host runs without the plugin. */
  readonly plugin?: boolean | "by NODE_OPTIONS";
  /** The file of the plugin. The default is that of this repository. */
  readonly preload?: string;
  /** Variables to add to the host's environment. */
  readonly env?: NodeJS.ProcessEnv;
}

/** For tests that compare everything that the host prints: each session has a notice about the variable. */
export const NO_TRUST_VARIABLE = { MUX_HOOKS_TRUST: undefined };

export interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

export class HostRig {
  readonly model: ScriptedModel;
  readonly project: string;
  /** The host's folder for this user. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts the host, instead of Node with its entry point. */
  launchCommand?: readonly string[];
  /** The host's standard error so far. */
  stderr = "";
  readonly #preloads: string[] = [];

  private constructor(
    readonly folder: string,
    private readonly host: Host,
    /** The host's `dist`, or the single file of a bundle. */
    readonly dist: string,
    model: ScriptedModel,
    { plugin = true, trusted = true, env = {}, preload: file = preload }: RigOptions
  ) {
    if (plugin === true) this.#preloads.push(file);
    this.model = model;
    this.project = join(folder, "project");
    this.root = join(folder, "home", ".mux");
    this.env = {
      PATH: process.env.PATH,
      npm_config_update_notifier: "false",
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      MUX_ROOT: this.root,
      XUM_ROOT: this.root,
      MUX_DISABLE_TELEMETRY: "1",
      XUM_DISABLE_TELEMETRY: "1",
      DO_NOT_TRACK: "1",
      CI: "1",
      NODE_ENV: "production",
      GIT_CONFIG_NOSYSTEM: "1",
      ...(plugin === "by NODE_OPTIONS"
        ? { NODE_OPTIONS: `--no-warnings --require="${preload}"` }
        : {}),
      ...(trusted ? { MUX_HOOKS_TRUST: "always" } : {}),
      ...env,
    };
  }

  static async create(host: Host, options: RigOptions, atEnd?: AtEnd): Promise<HostRig> {
    const { replies, settings, userSettings, files = {}, trusted = true } = options;
    const model = await ScriptedModel.start(replies, atEnd);
    const folder = await tempDir();
    const dist = await host.provide(join(folder, "host"));
    const rig = new HostRig(folder, host, dist, model, options);
    const folders = [join(rig.project, ".mux"), rig.root, String(rig.env.TMPDIR)];
    for (const folder of folders) await mkdir(folder, { recursive: true });

    await rig.#writeJson("providers.jsonc", { anthropic: { apiKey: "x", baseUrl: model.url } });
    const project = [rig.project, { workspaces: [], trusted }];
    await rig.#writeJson("config.json", { projects: [project] });
    if (userSettings !== undefined) await rig.#writeJson("settings.json", userSettings);
    if (settings !== undefined) {
      await writeFile(rig.path(".mux", "settings.json"), JSON.stringify(settings));
    }
    for (const [name, text] of Object.entries({ "README.md": "A project.\n", ...files })) {
      await putFile(rig.path(name), text);
    }
    rig.commit();
    return rig;
  }

  path(...names: string[]): string {
    return join(this.project, ...names);
  }

  /** Writes a file and creates its folder. */
  async write(file: string, text: string): Promise<void> {
    await putFile(file, text);
  }

  /** Makes the host load this code after the plugin. */
  async preload(code: string): Promise<void> {
    const file = join(this.folder, `probe${this.#preloads.length}.cjs`);
    await writeFile(file, code);
    this.#preloads.push(file);
  }

  /** Returns the program and the arguments that start the host. */
  command(name: "run" | "server" | "acp", ...args: string[]): [string, string[]] {
    const [program, ...words] = this.launchCommand ?? [];
    if (program !== undefined) return [program, [...words, name, ...args]];
    const preloads = this.#preloads.flatMap((file) => ["--require", file]);
    const command = this.host.isBundle ? [this.dist] : [join(this.dist, "cli", "index.js"), name];
    return [process.execPath, [...preloads, ...command, ...args]];
  }

  /** Sends one message by `mux run`, and waits for the exit. */
  async run(...args: string[]): Promise<Ended> {
    const [program, words] = this.command("run", "--model", MODEL, ...args, "Say hello");
    return await new Promise((resolve) => {
      const child = execFile(
        program,
        words,
        { cwd: this.project, env: this.env, timeout: 600_000 },
        (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout, stderr });
        }
      );
      child.stdin?.end();
    });
  }

  /** Returns the status files of the hosts that run with hooks. */
  async statuses(): Promise<{ pid: number }[]> {
    const folder = join(this.root, "attached-hosts");
    const names = await readdir(folder).catch(() => []);
    const whole = names.filter((name) => name.endsWith(".json"));
    const texts = await Promise.all(whole.map((name) => readFile(join(folder, name), "utf8")));
    return texts.map((text) => JSON.parse(text) as { pid: number });
  }

  async #writeJson(name: string, value: unknown): Promise<void> {
    await writeFile(join(this.root, name), JSON.stringify(value));
  }

  /** Creates a repository with all files. */
  commit(): void {
    createRepository(this.project, gitEnv());
  }
}
