/** A project with an embedded session: real hooks, real processes, a scripted agent. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { AgentSession, type AgentSessionOptions } from "@/node/services/agentSession";
import type { ChatEvent } from "@/node/services/session/chatEvents";
import { finalText, type ChatMessage } from "@/common/chatMessage";
import { ScriptedAIService } from "@/node/services/session/scriptedAIService";
import type { SendMessageOptions } from "@/node/services/session/messageQueue";
import type { TurnOutcome } from "@/node/services/session/streamAnswer";
import { turnScriptSchema } from "@/node/services/session/scriptedTurns";
import { projectTools } from "@/node/services/tools/sessionTools";
import { group, HookProject, type Hook } from "@test/helpers/hooks/hookProject";
import { makeGate, type Gate } from "@test/helpers/process/processes";

export interface SessionSetup {
  /** Turns as in a file of turns. */
  turns?: readonly unknown[];
  stop?: readonly Hook[];
  subagentStop?: readonly Hook[];
  /** Settings of the project in addition to the hooks. */
  settings?: Record<string, unknown>;
  /** An existing project, with its settings. */
  project?: HookProject;
  options?: Partial<AgentSessionOptions>;
}

type EventOf<Type extends ChatEvent["type"]> = Extract<ChatEvent, { type: Type }>;

/** A session with all events of its chat. */
export class SessionRig {
  readonly events: ChatEvent[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(
    readonly project: HookProject,
    readonly session: AgentSession
  ) {
    session.onChatEvent((event) => {
      this.events.push(event);
      for (const look of [...this.#waiting]) look();
    });
  }

  static async open(setup: SessionSetup = {}): Promise<SessionRig> {
    const { stop, subagentStop, settings } = setup;
    const project = setup.project ?? (await HookProject.create());
    if (setup.project === undefined) {
      const hooks = {
        ...(stop && { Stop: [group(stop)] }),
        ...(subagentStop && { SubagentStop: [group(subagentStop)] }),
      };
      await project.configure({ ...settings, hooks });
    }
    const opened = await AgentSession.open({
      workspaceId: "workspace-1",
      projectDir: project.dir,
      sessionDir: project.session,
      runtime: project.runtime,
      aiService: scripted(setup.turns ?? ["Done."]),
      createTools: projectTools,
      hooks: { load: project.load },
      defaults: { model: "scripted:agent" },
      ...setup.options,
    });
    const session = opened._unsafeUnwrap();
    onTestFinished(() => session.dispose());
    return new SessionRig(project, session);
  }

  /** Sends a message, and waits until the session is idle. */
  async turn(text = "Do it.", options?: SendMessageOptions): Promise<TurnOutcome> {
    (await this.session.sendMessage(text, options))._unsafeUnwrap();
    const outcome = await this.session.idle();
    return outcome!;
  }

  /** Sends a message, and waits until one of its programs writes to the FIFO `running`. */
  async sendUntilRunning(text = "Fix it."): Promise<void> {
    const running = await makeGate(this.project.dir, "running");
    await this.session.sendMessage(text);
    await passed(running);
  }

  /** Like {@link sendUntilRunning}. `gone` resolves when all programs that hold the FIFO `held` open have ended. */
  async sendUntilHeld(): Promise<{ readonly gone: Promise<string> }> {
    const gone = passed(await makeGate(this.project.dir, "held"));
    await this.sendUntilRunning();
    return { gone };
  }

  /** Resolves with the first event of that type that meets the condition, past or future. */
  async event<Type extends ChatEvent["type"]>(
    type: Type,
    meets: (event: EventOf<Type>) => boolean = () => true
  ): Promise<EventOf<Type>> {
    return await new Promise((resolve) => {
      const look = (): void => {
        const found = this.all(type).find(meets);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  all<Type extends ChatEvent["type"]>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** The messages to the agent, in order. */
  get sent(): string[] {
    return this.session.messages.filter(({ role }) => role === "user").map(textOf);
  }

  get said(): string[] {
    return this.session.messages.filter(({ role }) => role === "assistant").map(textOf);
  }

  get notices(): string[] {
    return this.all("notice").map(({ text }) => text);
  }

  /** Returns the inputs of hooks that run {@link keepsInput}, in order. */
  async inputs(): Promise<Record<string, unknown>[]> {
    return await readJsonLines(this.project.path("inputs.jsonl"));
  }
}

/** The beginning of a hook that records its input. */
export const keepsInput = 'cat >> "$MUX_PROJECT_DIR/inputs.jsonl"';

/** Returns a hook that sends the agent back with `reason` while the turn has had fewer continuations than `times`. */
export function blocks(reason: string, times = 1000): string {
  return `${keepsInput}; [ "$MUX_CONTINUATION" -ge ${times} ] || { echo '${reason}' >&2; exit 2; }`;
}

/**
 * Resolves with the text that a hook writes to a FIFO, once every writer has closed it: `echo > gate` shows that the
 * hook runs. If a hook holds it open (`exec 9> gate`), the hook and all its children have ended by then.
 */
export async function passed(gate: Gate): Promise<string> {
  return await readFile(gate.path, "utf8");
}

export function scripted(turns: readonly unknown[]): ScriptedAIService {
  return new ScriptedAIService(turnScriptSchema.parse({ turns }));
}

export async function readJsonLines(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

export async function readTranscript(sessionDir: string): Promise<ChatMessage[]> {
  return (await readJsonLines(join(sessionDir, "chat.jsonl"))) as unknown as ChatMessage[];
}

function textOf({ parts }: ChatMessage): string {
  return finalText(parts);
}
