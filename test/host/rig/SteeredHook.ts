/** A hook that a test controls: it reports each run with its input, and runs the test's command. */
import { EventEmitter, once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { StopHookInput } from "@/node/services/hooks/contract/types";

/** One run of the hook. */
export interface HookRun {
  readonly pid: number;
  readonly input: StopHookInput;
  /** Runs this shell line in the hook, which ends afterwards. */
  readonly answer: (line: string) => void;
  /** Settled when the hook's process has ended. */
  readonly gone: Promise<void>;
}

export class SteeredHook {
  /** The number of runs. */
  count = 0;
  readonly #news = new EventEmitter();
  readonly #runs: HookRun[] = [];

  private constructor(private readonly server: Server) {
    server.on("connection", (socket) => void this.#hear(socket));
  }

  static async create(): Promise<SteeredHook> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return new SteeredHook(server);
  }

  /** The command for `settings.json`. */
  get command(): string {
    const { port } = this.server.address() as AddressInfo;
    return [
      `exec 3<>/dev/tcp/127.0.0.1/${port}`,
      `IFS= read -r input; printf '%s\\n' $$ "$input" >&3`,
      `IFS= read -r line <&3; eval "$line"`,
    ].join("; ");
  }

  /** Returns the next run, in the order of their starts. */
  async runs(): Promise<HookRun> {
    while (this.#runs.length === 0) await once(this.#news, "run");
    return this.#runs.shift()!;
  }

  async #hear(socket: Socket): Promise<void> {
    this.count++;
    const gone = new Promise<void>((resolve) => {
      socket
        .once("close", () => {
          resolve();
        })
        .on("error", () => undefined);
    });
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    const pid = Number((await lines.next()).value);
    const sent = await lines.next();
    // It ended before it sent its input.
    if (sent.done === true) return;
    const input = JSON.parse(sent.value) as StopHookInput;
    const answer = (line: string): void => {
      socket.write(`${line}\n`);
    };
    this.#runs.push({ pid, input, answer, gone });
    this.#news.emit("run");
  }
}
