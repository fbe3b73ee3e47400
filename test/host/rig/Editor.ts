/** An editor that is connected to `mux acp` by standard input and output. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { HostRig } from "@test/host/rig/HostRig";

interface Message {
  readonly method?: string;
  readonly id?: number;
  readonly result?: object;
  readonly error?: object;
  readonly params?: { readonly update?: { readonly content?: { readonly text?: string } } };
}

export class Editor {
  /** The agent's output so far. */
  text = "";
  /** The methods that the agent has called. */
  readonly called = new Set<string>();
  readonly #waiting = new Map<number, (message: Message) => void>();
  #count = 0;

  private constructor(
    private readonly child: ChildProcess,
    private sessionId = ""
  ) {}

  /** Opens one session in the rig's project. The process ends with the test. */
  static async start(rig: HostRig): Promise<Editor> {
    const [program, args] = rig.command("acp");
    const child = spawn(program, args, { cwd: rig.project, env: rig.env });
    onTestFinished(async () => {
      if (child.kill("SIGKILL")) await once(child, "exit");
    });
    child.stderr.on("data", (text: Buffer) => (rig.stderr += text.toString()));
    const editor = new Editor(child);
    createInterface({ input: child.stdout }).on("line", (line) => {
      editor.#hear(JSON.parse(line) as Message);
    });
    const clientCapabilities = { terminal: true };
    await editor.#call("initialize", { protocolVersion: 1, clientCapabilities });
    const opened = await editor.#call("session/new", { cwd: rig.project, mcpServers: [] });
    editor.sessionId = (opened as { sessionId: string }).sessionId;
    return editor;
  }

  /** Resolves with the stop reason. */
  async prompt(text: string): Promise<string> {
    const { sessionId } = this;
    const answer = await this.#call("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    return (answer as { stopReason: string }).stopReason;
  }

  async #call(method: string, params: object): Promise<object> {
    const id = ++this.#count;
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { result, error } = await answered;
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  #hear(message: Message): void {
    if (message.method !== undefined) this.called.add(message.method);
    this.text += message.params?.update?.content?.text ?? "";
    if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
  }
}
