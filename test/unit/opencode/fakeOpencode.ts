/**
 * An opencode with instances of the plugin, which follows the order of calls and events that was recorded with opencode
 * 1.18.33. The agent is a script: it takes the next answer for each message.
 */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { handlersOf } from "@/opencode/eventHandlers";
import { Notices } from "@/opencode/Notices";
import type stopHooks from "@/opencode/plugin";
import type * as opencodeTypes from "@/opencode/opencodeTypes";
import { putFile, tempDir } from "@test/helpers/tempDir";

/** An answer of the agent. `does` runs before it, as its tools would. */
export interface Answer {
  readonly text?: string;
  readonly does?: () => unknown;
  readonly info?: Partial<opencodeTypes.MessageInfo>;
}

export interface FakeOptions {
  readonly settings?: unknown;
  readonly userSettings?: unknown;
  /** Whether the user trusts the project. The default is true. */
  readonly trusted?: boolean;
  /** Absolute, with a `.git` folder; a new one by default. */
  readonly project?: string;
  readonly home?: string;
  /** Number of instances of the plugin. */
  readonly instances?: number;
  readonly isRun?: boolean;
}

let ids = 0;
const newId = (prefix: string): string => `${prefix}_${process.pid}_${ids++}`;

export class FakeOpencode {
  readonly toasts: opencodeTypes.Toast[] = [];
  readonly printed: string[] = [];
  /** The messages that the plugin sent. */
  readonly prompts: opencodeTypes.PromptBody[] = [];
  /** Names of the requests of the plugin. */
  readonly requests: string[] = [];
  readonly answers: Answer[] = [];
  readonly #sessions = new Map<
    string,
    { readonly id: string; readonly parentID?: string; readonly messages: opencodeTypes.Message[] }
  >();
  /** A session of the user. */
  readonly id = this.newSession();
  /** Events that the plugins process. */
  readonly #work = new Set<Promise<unknown>>();
  #plugins: opencodeTypes.PluginHooks[] = [];
  /** The ID of the last event. */
  lastEvent = "";
  /** Set to let every request fail. */
  broken: Error | undefined;

  private constructor(
    readonly project: string,
    readonly home: string
  ) {}

  static async start(options: FakeOptions = {}): Promise<FakeOpencode> {
    const { settings, userSettings, trusted = true, instances = 1, isRun = false } = options;
    const { project = await tempDir(), home = await tempDir() } = options;
    const fake = new FakeOpencode(project, home);
    if (settings !== undefined) await fake.write(".mux/settings.json", settings);
    if (userSettings !== undefined) await fake.write("settings.json", userSettings, `${home}/.mux`);
    await mkdir(join(project, ".git"), { recursive: true });
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      ...(trusted ? { MUX_HOOKS_TRUST: "always" } : {}),
    };
    fake.#plugins = Array.from({ length: instances }, () => {
      const { client } = fake;
      const print = isRun ? (line: string) => void fake.printed.push(line) : undefined;
      const notices = new Notices(client, print);
      return handlersOf({ client, directory: project, place: { env, home }, notices }, isRun);
    });
    return fake;
  }

  /** Uses another build of the plugin, as opencode loads it. */
  async load(plugin: typeof stopHooks): Promise<void> {
    this.#plugins = [await plugin({ client: this.client, directory: this.project })];
  }

  async write(path: string, content: unknown, folder = this.project): Promise<void> {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await putFile(join(folder, path), text, 0o755);
  }

  async read(path: string): Promise<string> {
    return await readFile(join(this.project, path), "utf8");
  }

  newSession(parentID?: string): string {
    const id = newId("ses");
    this.#sessions.set(id, { id, messages: [], ...(parentID === undefined ? {} : { parentID }) });
    return id;
  }

  messagesOf(id: string): opencodeTypes.Message[] {
    return this.#sessions.get(id)!.messages;
  }

  /** Adds a message, and resolves when the agent has answered and every instance has processed its stop. */
  async say(id: string, text: string, part: Partial<opencodeTypes.Part> = {}): Promise<void> {
    const options = { agent: "build", model: { providerID: "scripted", modelID: "m" } };
    await this.#answer(id, { ...options, parts: [{ type: "text", text, ...part }] });
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Emits an event to every instance. Resolves when they have processed it, for which opencode does not wait. */
  async emit(type: string, properties: unknown, id = newId("evt")): Promise<void> {
    this.lastEvent = id;
    const event: opencodeTypes.OpencodeEvent = { id, type, properties };
    const work = Promise.all(this.#plugins.map((plugin) => plugin.event!({ event })));
    this.#work.add(work);
    await work;
    this.#work.delete(work);
  }

  async abort(id: string): Promise<void> {
    await this.emit("session.idle", { sessionID: id });
  }

  /** Runs the tool `task` of an agent. Resolves to the result that the agent gets. */
  async task(parentID: string, childID: string, prompt: string): Promise<string> {
    const call = { tool: "task", sessionID: parentID, callID: newId("call") };
    for (const plugin of this.#plugins) await plugin["tool.execute.before"]!(call);
    const parts = [{ type: "text", text: prompt }];
    await this.#answer(childID, { agent: "explore", parts });
    const text = this.messagesOf(childID).at(-1)!.parts.at(-1)!.text ?? "";
    const output = `<task id="${childID}"><task_result>${text}</task_result></task>`;
    const result: opencodeTypes.ToolResult = { output, metadata: { sessionId: childID } };
    for (const plugin of this.#plugins) await plugin["tool.execute.after"]!(call, result);
    return result.output;
  }

  async dispose(): Promise<void> {
    await this.#plugins[0]!.dispose!();
  }

  /** Adds a message and the answer of the agent, and emits the event of its stop. */
  async #answer(id: string, { parts, ...options }: opencodeTypes.PromptBody): Promise<void> {
    const messages = this.messagesOf(id);
    for (const plugin of this.#plugins) await plugin["chat.message"]!({ sessionID: id }, { parts });
    const user = { id: newId("msg"), role: "user", time: { created: Date.now() }, ...options };
    messages.push({ info: user, parts });
    const { text = "Done.", does, info } = this.answers.shift() ?? {};
    await does?.();
    const answer = { id: newId("msg"), role: "assistant", finish: "stop", agent: options.agent };
    messages.push({ info: { ...answer, ...info }, parts: [{ type: "text", text }] });
    void this.emit("session.idle", { sessionID: id });
  }

  get client(): opencodeTypes.OpencodeClient {
    const reply = async <T>(name: string, data: () => T | Promise<T>): Promise<{ data: T }> => {
      this.requests.push(name);
      if (this.broken !== undefined) throw this.broken;
      return { data: await data() };
    };
    return {
      session: {
        get: ({ path: { id } }) => reply("session.get", () => this.#sessions.get(id)!),
        messages: ({ path: { id }, query: { limit } }) =>
          reply("session.messages", () => this.messagesOf(id).slice(-limit)),
        prompt: ({ path: { id }, body }) =>
          reply("session.prompt", async () => {
            this.prompts.push(body);
            await this.#answer(id, body);
          }),
        abort: ({ path: { id } }) => reply("session.abort", () => id),
      },
      tui: { showToast: ({ body }) => Promise.resolve({ data: void this.toasts.push(body) }) },
      app: { log: () => Promise.resolve({ data: true }) },
    };
  }

  /** Expects exactly one toast with this text. */
  expectToast(text: RegExp): void {
    expect(this.toasts.map(({ message }) => message)).toContainEqual(expect.stringMatching(text));
  }
}
