/** A project with hooks in a real opencode, which uses a scripted model on loopback. Home and project are temporary. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { repository } from "@test/helpers/freshBuild";
import { createRepository } from "@test/helpers/newRepository";
import { execFileAsync } from "@test/helpers/process/processes";
import { freePort } from "@test/helpers/remote/sshd";
import { PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { type ModelRequest, type Reply, ScriptedModel } from "@test/host/model/ScriptedModel";
import { endOf, type HostEnd } from "@test/hosts/rig/HostRig";
import { commandOf } from "@test/hosts/rig/installed";
import { opencodeConfig } from "@test/hosts/rig/opencodeConfig";

export interface OpencodeOptions {
  readonly replies: readonly Reply[];
  /** Files of the project's first commit, by their paths, and of the home, after `~/`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the user trusts the project. The default is true. */
  readonly trusted?: boolean;
  /** A program that descends from opencode. */
  readonly program?: "opencode" | "kilo";
}

export class OpencodeRig {
  private constructor(
    readonly project: string,
    readonly model: ScriptedModel,
    private readonly env: NodeJS.ProcessEnv,
    private readonly program: string
  ) {}

  static async create(options: OpencodeOptions): Promise<OpencodeRig> {
    const { replies, files = {}, trusted = true, program = "opencode" } = options;
    const model = await ScriptedModel.start([TITLE, ...replies]);
    const [project, home] = [await tempDir(), await tempDir()];
    const own = {
      CONFIG_CONTENT: JSON.stringify(opencodeConfig("@ai-sdk/anthropic", model.url)),
      DISABLE_AUTOUPDATE: "1",
      DISABLE_MODELS_FETCH: "1",
      DISABLE_DEFAULT_PLUGINS: "1",
      DISABLE_LSP_DOWNLOAD: "1",
    };
    const named = Object.entries(own).map(([name, value]) => [
      `${program.toUpperCase()}_${name}`,
      value,
    ]);
    const env = {
      ...PROJECT_ENV,
      HOME: home,
      TMPDIR: process.env.TMPDIR,
      ...(trusted ? { MUX_HOOKS_TRUST: "always" } : {}),
      ...(Object.fromEntries(named) as NodeJS.ProcessEnv),
    };
    const rig = new OpencodeRig(project, model, env, program);
    const plugin = join(repository, "dist", "opencode.js");
    const all = {
      "a.txt": "a\n",
      [`.${program}/plugins/stop-hooks.js`]: `export { default } from ${JSON.stringify(plugin)};\n`,
      ...files,
    };
    for (const [path, content] of Object.entries(all)) await rig.write(path, content);
    createRepository(project, env);
    // Without this, opencode waits at its start for an installation from the registry.
    const settings = "fetch-retries=0\nfetch-timeout=1\nregistry=http://127.0.0.1:9\n";
    await writeFile(join(home, ".npmrc"), settings);
    return rig;
  }

  async write(path: string, content: string): Promise<void> {
    const file = path.startsWith("~/")
      ? join(this.env.HOME ?? "", path.slice(2))
      : join(this.project, path);
    await putFile(file, content, content.startsWith("#!") ? 0o755 : undefined);
  }

  /** Returns what a command of this package prints in the project. */
  async call(...words: readonly string[]): Promise<string> {
    const options = { cwd: this.project, env: this.env };
    return (await execFileAsync(process.execPath, words, options)).stdout;
  }

  async read(path: string): Promise<string> {
    return await readFile(join(this.project, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.project, path));
  }

  /** The user's text in each request for an answer of the agent, in order. */
  get said(): string[] {
    return this.model.requests.filter((request) => !isTitle(request)).map(({ said }) => said);
  }

  /** Runs `opencode run` to its end. */
  async run(message: string, ...args: readonly string[]): Promise<HostEnd> {
    return await endOf(this.#start("run", ...args, message));
  }

  /** Starts `opencode serve`. */
  async serve(): Promise<OpencodeServer> {
    // Port 0 is 4096 for opencode, where a server of another test or of the user may listen.
    const port = String(await freePort());
    const child = this.#start("serve", "--port", port, "--hostname", "127.0.0.1");
    child.stderr!.resume();
    for await (const line of createInterface({ input: child.stdout! })) {
      const url = /http:\/\/\S+/.exec(line)?.[0];
      if (url === undefined) continue;
      child.stdout!.resume();
      return await OpencodeServer.connect(url, child);
    }
    throw new Error("opencode serve ended before it listened");
  }

  #start(...args: readonly string[]): ChildProcess {
    const [program = "", ...words] = commandOf(this.program) ?? [];
    const child = spawn(program, [...words, ...args], {
      cwd: this.project,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }
}

interface ServerEvent {
  readonly type: string;
  readonly properties: Record<string, unknown>;
}

/** The HTTP interface of `opencode serve`. */
export class OpencodeServer {
  readonly events: ServerEvent[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(
    private readonly url: string,
    readonly child: ChildProcess
  ) {}

  static async connect(url: string, child: ChildProcess): Promise<OpencodeServer> {
    const server = new OpencodeServer(url, child);
    const closed = new AbortController();
    onTestFinished(() => {
      closed.abort();
    });
    const response = await fetch(`${url}/event`, { signal: closed.signal });
    void server.#listen(response.body!).catch(() => undefined);
    return server;
  }

  async post(path: string, body: unknown = {}): Promise<unknown> {
    const response = await fetch(`${this.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${answer}`);
    return answer === "" ? undefined : (JSON.parse(answer) as unknown);
  }

  async newSession(): Promise<string> {
    const { id } = (await this.post("/session", { title: "Test" })) as { id: string };
    return id;
  }

  /** Sends a message. Resolves when the agent has answered, which is before its hooks end. */
  async say(id: string, message: string): Promise<void> {
    await this.post(`/session/${id}/message`, { parts: [{ type: "text", text: message }] });
  }

  /** The messages of all toasts. */
  get toasts(): string[] {
    return this.events
      .filter(({ type }) => type === "tui.toast.show")
      .map(({ properties }) => String(properties.message));
  }

  /** Resolves as soon as the condition is met, which is checked at each event. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  async #listen(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((each) => each.startsWith("data: "))) {
        this.events.push(JSON.parse(line.slice("data: ".length)) as ServerEvent);
      }
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    }
  }
}

/** opencode asks a model for the title of a new session, at any time. */
function isTitle({ body }: ModelRequest): boolean {
  return body.includes("You are a title generator");
}

const TITLE: Reply = { when: isTitle, text: "Test", times: 1_000 };
