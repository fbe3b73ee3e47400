/** Rows of `chat.jsonl` as Mux writes them, for tests of the transcript in Claude Code's format. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type { JsonObject } from "@/common/json";
import { completeInput } from "@/node/services/hooks/contract/makeInput";
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { stopInput } from "@test/helpers/hooks/hookProject";
import { projectClaudeTranscripts } from "@/node/services/hooks/transcript/writeClaudeTranscripts";

export interface ClaudeRow extends JsonObject {
  readonly type: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly message: JsonObject & { readonly content: unknown; readonly id?: string };
}

/** 2026-01-01 */
const START = 1_767_225_600_000;

export class MuxChat {
  #sequence = 0;

  constructor(
    readonly path: string,
    private readonly projectDir: string
  ) {}

  /** Returns the next row. */
  row(role: string, parts: unknown, metadata: JsonObject = {}): JsonObject {
    const historySequence = this.#sequence++;
    const timestamp = START + historySequence * 1_000;
    return {
      id: `${role}-${historySequence}`,
      role,
      parts,
      metadata: { historySequence, timestamp, ...metadata },
      workspaceId: "w",
    };
  }

  user(content: string, metadata?: JsonObject): JsonObject {
    return this.row("user", [text(content)], metadata);
  }

  assistant(parts: readonly unknown[], metadata?: JsonObject): JsonObject {
    return this.row("assistant", parts, { model: "anthropic:claude-opus-4-5", ...metadata });
  }

  async write(...rows: readonly unknown[]): Promise<void> {
    await writeFile(this.path, toLines(rows));
  }

  async append(...rows: readonly unknown[]): Promise<void> {
    await appendFile(this.path, toLines(rows));
  }

  input(more: Partial<StopHookInput> = {}) {
    return completeInput(stopInput(this.projectDir, this.path, { session_id: "w", ...more }));
  }

  /** Brings the copies up to date, as before a stop. */
  async project(more: Partial<StopHookInput> = {}, files = new LocalRuntime()) {
    const place = { files, machine: "local", projectDir: this.projectDir };
    return await projectClaudeTranscripts(place, this.input(more));
  }

  /** Brings the copy up to date and returns its rows. */
  async claudeRows(more: Partial<StopHookInput> = {}): Promise<ClaudeRow[]> {
    return await readRows((await this.project(more)).own);
  }
}

export async function readRows(path: string): Promise<ClaudeRow[]> {
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as ClaudeRow);
}

function toLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");
}

export function text(content: string): JsonObject {
  return { type: "text", text: content };
}

let calls = 0;

/** Returns the part of a tool call. Without an output the tool is still running. */
export function tool(toolName: string, input: unknown, output?: unknown): JsonObject {
  const call = { type: "dynamic-tool", toolCallId: `toolu_${calls++}`, toolName, input };
  return output === undefined
    ? { ...call, state: "input-available" }
    : { ...call, state: "output-available", output };
}
