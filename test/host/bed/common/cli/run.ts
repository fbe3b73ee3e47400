/** Sends one message and waits for the first turn that ends. A second turn at the same time is an error. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { AgentSession } from "@test/host/bed/v0.28/node/services/agentSession";
import { Config } from "@test/host/bed/common/node/config";
import { AIService } from "@test/host/bed/common/node/services/aiService";
import { bashTool } from "@test/host/bed/common/node/services/bashTool";
import type { ChatEvent } from "@test/host/bed/common/node/types";
import { createRuntimeForWorkspace } from "@test/host/bed/common/node/runtime/runtimeHelpers";
import { addWorktree } from "@test/host/bed/common/node/runtime/worktrees";

const USD_PER_TOKEN = 3e-6;

/** @returns the exit code */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      model: { type: "string" },
      json: { type: "boolean" },
      quiet: { type: "boolean" },
      budget: { type: "string" },
      runtime: { type: "string" },
    },
  });
  const config = new Config(undefined, await mkdtemp(join(tmpdir(), "bed-run-")));
  const aiService = new AIService(config);
  const [type = "local", host] = values.runtime?.split(" ") ?? [];
  const runtimeConfig = host === undefined ? { type } : { type, host, srcBaseDir: "~/src" };
  const projectPath = process.cwd();
  const workspace = config.addWorkspace({ name: "run", projectPath, runtimeConfig });
  createRuntimeForWorkspace(workspace);
  addWorktree(workspace);
  aiService.tools.set("bash", bashTool(config));
  const session = new AgentSession({ workspaceId: workspace.id, config, aiService });
  const printer = new Printer(values);
  const budget = new Budget(Number(values.budget ?? Infinity));
  try {
    const ended = await listen(session, printer, budget);
    const options = { model: values.model ?? "", agentId: "exec" };
    const sent = await session.sendMessage(positionals.join(" "), options);
    if (!sent.success) throw new Error(describe(sent.error));
    await ended.promise;
    printer.finish();
    return budget.isSpent ? 2 : 0;
  } catch (thrown) {
    console.error(String(thrown));
    return 1;
  } finally {
    session.dispose();
    await rm(config.rootDir, { recursive: true });
  }
}

/** @returns a promise of the end of the first turn */
async function listen(
  session: AgentSession,
  printer: Printer,
  budget: Budget
): Promise<{ promise: Promise<void> }> {
  let resolve: () => void;
  let reject: (error: Error) => void;
  const promise = new Promise<void>((...settle) => ([resolve, reject] = settle));
  let active: string | undefined;
  await session.subscribeChat(({ message: event }) => {
    printer.print(event);
    switch (event.type) {
      case "stream-start":
        if (active !== undefined) reject(new Error(`${event.messageId ?? ""} beside ${active}`));
        active = event.messageId;
        break;
      case "usage-delta":
        if (budget.isSpentBy(event.tokens ?? 0)) void session.interruptStream();
        break;
      case "stream-end":
        active = undefined;
        budget.turnEnded();
        resolve();
        break;
      case "stream-error":
        reject(new Error(event.error));
        break;
      case "stream-abort":
        if (budget.isSpent) resolve();
        else reject(new Error("The turn was stopped."));
    }
  });
  return { promise };
}

function describe(error: string | { raw: string }): string {
  return typeof error === "string" ? error : error.raw;
}

/** Limits the cost. During a turn only its own cost counts, and at its end the cost of all turns. */
class Budget {
  isSpent = false;
  #turn = 0;
  #total = 0;

  constructor(private readonly usd: number) {}

  /** @param tokens the tokens of the current turn */
  isSpentBy(tokens: number): boolean {
    this.#turn = tokens * USD_PER_TOKEN;
    this.#compare(this.#turn);
    return this.#turn > this.usd;
  }

  turnEnded(): void {
    this.#total += this.#turn;
    this.#compare(this.#total);
  }

  #compare(cost: number): void {
    if (this.isSpent || cost <= this.usd) return;
    this.isSpent = true;
    console.log("Budget exceeded");
  }
}

class Printer {
  #turn = "";

  constructor(private readonly how: { json?: boolean; quiet?: boolean }) {}

  print(event: ChatEvent): void {
    if (this.how.json === true) console.log(JSON.stringify({ type: "event", payload: event }));
    if (event.type === "stream-start") this.#turn = "";
    if (event.type !== "stream-delta") return;
    this.#turn += event.delta ?? "";
    if (!this.isSilent) process.stdout.write(event.delta ?? "");
  }

  finish(): void {
    if (this.how.quiet === true) process.stdout.write(this.#turn);
    if (this.how.json !== true) process.stdout.write("\n");
  }

  private get isSilent(): boolean {
    return this.how.json === true || this.how.quiet === true;
  }
}
