/** What a way to check an agent's work costs: rows for the table of `make test-hosts`. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "@test/helpers/built";
import type { RecordedCall } from "@test/hosts/rig/HookRecord";
import { putFile } from "@test/helpers/tempDir";

/** `scripts/testHosts.mjs` prints it. */
const FILE = join(repository, ".cache", "complaints.json");

export interface Figures {
  /** The stops that sent the agent back. */
  readonly blocked: number;
  /** The time that all Stop hooks took. */
  readonly seconds: number;
  /** The length of all reasons, in characters divided by four. */
  readonly tokens: number;
  /** Requests of the agent to its model, if there was an agent. */
  readonly requests?: number;
}

/** Returns the reasons that the Stop hook sent. */
export function reasonsOf(calls: readonly RecordedCall[]): string[] {
  return calls
    .filter(({ hook, answer }) => hook === "stop" && answer !== "")
    .map(
      ({ answer }) => JSON.parse(answer) as { readonly decision?: string; readonly reason?: string }
    )
    .flatMap(({ decision, reason }) => (decision === "block" ? [reason ?? ""] : []));
}

export function figuresOf(calls: readonly RecordedCall[], requests?: number): Figures {
  const reasons = reasonsOf(calls);
  return {
    blocked: reasons.length,
    seconds: calls.reduce((sum, { hook, seconds }) => sum + (hook === "stop" ? seconds : 0), 0),
    tokens: Math.ceil(reasons.join("").length / 4),
    requests,
  };
}

/** Adds a row to the table. */
export async function report(scenario: string, way: string, figures: Figures): Promise<void> {
  const rows = JSON.parse(await readFile(FILE, "utf8").catch(() => "[]")) as object[];
  await putFile(FILE, JSON.stringify([...rows, { scenario, way, ...figures }]));
}
