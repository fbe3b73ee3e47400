/** Requests to `codex app-server`: JSON-RPC with one message per line. */
import { err, ok, type Result } from "neverthrow";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import { clip, visible } from "@/common/text";
import type { LineChannel } from "@/node/runtime/process/converse";

const SHOWN_CHARS = 300;

export class AppServer {
  #requests = 0;
  /** The method of the last request. */
  method = "initialize";

  constructor(private readonly channel: LineChannel) {}

  async initialize(): Promise<Result<JsonObject, string>> {
    const clientInfo = { name: "agent-gauntlet", title: "agent-gauntlet", version: "1" };
    const answer = await this.request("initialize", {
      clientInfo,
      capabilities: { experimentalApi: true },
    });
    this.channel.send(JSON.stringify({ method: "initialized" }));
    return answer;
  }

  /** Returns the result of a request, or why there is none. Skips notifications. */
  async request(method: string, params: JsonObject): Promise<Result<JsonObject, string>> {
    this.method = method;
    const id = ++this.#requests;
    this.channel.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const line = await this.channel.receive();
      if (line === undefined) {
        const { code, signal } = await this.channel.exited;
        const how = signal ?? `exit code ${code}`;
        return err(`codex app-server ended before it answered ${method} (${how})`);
      }
      const answer = parseJson(line).unwrapOr(undefined);
      // A request of the server may have the same ID.
      if (!isJsonObject(answer) || answer.id !== id || "method" in answer) continue;
      if (isJsonObject(answer.result)) return ok(answer.result);
      const { error } = answer;
      const message = isJsonObject(error) ? String(error.message) : "no result";
      const shown = visible(clip(message, SHOWN_CHARS));
      return err(`codex app-server rejected ${method}: ${shown}`);
    }
  }
}
