/** A running server of a host, and one chat in it as its user sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { onTestFailed, onTestFinished } from "vitest";
import { killGroup } from "@test/helpers/process/processes";
import type { AtEnd } from "@test/host/model/ScriptedModel";
import { type HostRig, MODEL } from "@test/host/rig/HostRig";

export interface ChatEvent {
  readonly type: string;
  readonly id?: string;
  readonly role?: string;
  readonly messageId?: string;
  readonly detail?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** Of a card that shows a hook or a notice. */
  readonly args?: { readonly script: string; readonly display_name: string };
  readonly result?: unknown;
  readonly text?: string;
  readonly parts?: readonly { readonly text?: string }[];
}

export const TOKEN = "test";
const OPTIONS = { model: MODEL, agentId: "exec", mode: "exec", thinkingLevel: "off" };

export class HostServer {
  private constructor(
    readonly url: string,
    readonly rig: HostRig,
    readonly process: ChildProcess
  ) {}

  /** Starts a server that ends with the test. */
  static async start(rig: HostRig, atEnd: AtEnd = onTestFinished): Promise<HostServer> {
    const [program, args] = rig.command("server", "--port", "0", "--auth-token", TOKEN);
    // Some launch commands start the host through other programs. All of them are killed as one process group.
    const child = spawn(program, args, { cwd: rig.root, env: rig.env, detached: true });
    atEnd(async () => {
      const isOver = child.exitCode !== null || child.signalCode !== null;
      killGroup(child.pid);
      if (!isOver) await once(child, "exit");
    });
    child.stderr.on("data", (text: Buffer) => (rig.stderr += text.toString()));
    for await (const line of createInterface({ input: child.stdout })) {
      const [url] = /http:\/\/localhost:\d+/.exec(line) ?? [];
      if (url === undefined) continue;
      child.stdout.resume();
      return new HostServer(url, rig, child);
    }
    throw new Error(`The host ended: ${rig.stderr}`);
  }

  /** Resolves when the host's process has ended. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const gone = once(this.process, "exit");
    this.process.kill(signal);
    await gone;
  }

  /** Opens a chat in a new workspace, by default in the project's own folder. */
  async openChat(runtimeConfig: object = { type: "local" }): Promise<Chat> {
    const { project: projectPath } = this.rig;
    const { metadata } = (await this.call("workspace/create", {
      projectPath,
      branchName: "topic",
      trunkBranch: "main",
      runtimeConfig,
    })) as { metadata: { id: string } };
    return await Chat.open(this, metadata.id);
  }

  async call(path: string, body: object): Promise<unknown> {
    const response = await this.post(path, body);
    return await response.json();
  }

  async post(path: string, body: object): Promise<Response> {
    return await fetch(`${this.url}/api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body),
    });
  }
}

export class Chat {
  /** All events since the chat was opened. */
  readonly events: ChatEvent[] = [];
  readonly #news = new EventEmitter();
  #read = 0;

  private constructor(
    private readonly server: HostServer,
    readonly workspaceId: string
  ) {}

  static async open(server: HostServer, workspaceId: string): Promise<Chat> {
    const chat = new Chat(server, workspaceId);
    onTestFailed(() => {
      console.error(server.rig.stderr, chat.events.map(({ type }) => type).join(" "));
    });
    const { body } = await server.post("workspace/onChat", { workspaceId });
    void chat.#listen(Readable.fromWeb(body!)).catch(() => undefined);
    await chat.next("caught-up");
    return chat;
  }

  async send(message: string, options: object = {}): Promise<void> {
    const { workspaceId } = this;
    const all = { ...OPTIONS, ...options };
    await this.server.call("workspace/sendMessage", { workspaceId, message, options: all });
  }

  /** Returns the ID of the next message that the user sends. */
  async sent(): Promise<string> {
    for (;;) {
      const { id = "", role } = await this.next("message");
      if (role === "user") return id;
    }
  }

  /** Retries the turn, as the user's button does. */
  async retry(): Promise<void> {
    const { workspaceId } = this;
    await this.server.call("workspace/resumeStream", { workspaceId, options: OPTIONS });
  }

  /** Interrupts the turn, as Escape does. */
  async interrupt(): Promise<void> {
    const { workspaceId } = this;
    await this.server.call("workspace/interruptStream", { workspaceId });
  }

  /** Returns the next event of that type after those of earlier calls. */
  async next(type: string): Promise<ChatEvent> {
    for (;;) {
      const at = this.events.findIndex((event, i) => i >= this.#read && event.type === type);
      const event = this.events[at];
      if (event !== undefined) {
        this.#read = at + 1;
        return event;
      }
      await once(this.#news, "event");
    }
  }

  /** Sends a message, and returns the text of the answer that ends the turn. */
  async ask(message: string, options?: object): Promise<string> {
    await this.send(message, options);
    return await this.answer();
  }

  /** Returns the text of the next turn that ends. */
  async answer(): Promise<string> {
    const { parts = [] } = await this.next("stream-end");
    return parts.map(({ text = "" }) => text).join("");
  }

  async #listen(stream: Readable): Promise<void> {
    for await (const line of createInterface({ input: stream })) {
      if (!line.startsWith("data:")) continue;
      const event = JSON.parse(line.slice("data:".length)) as ChatEvent & { json?: ChatEvent };
      this.events.push(event.json ?? event);
      this.#news.emit("event");
    }
  }
}
