/** Shows the user of the host the progress of hooks, and their notices, in the chat (H24). */
import type { Card, ChatCards, ChatSession } from "@/host/session/ChatCards";
import type { HookEvent, HookRun } from "@/node/services/hooks/index";

export class HostProgress {
  /** The cards of the hooks that run, by their numbers. */
  readonly #cards = new Map<number, Card>();
  #started = 0;

  constructor(private readonly options: { session: ChatSession; cards: ChatCards }) {}

  onEvent(event: HookEvent): void {
    const { session, cards } = this.options;
    switch (event.type) {
      case "hooks-start":
        this.#started = performance.now();
        break;
      case "hook-start": {
        const { title: script, timeoutMs, index } = event;
        const title = `${event.event} hook${event.total === 1 ? "" : ` ${index} of ${event.total}`}: ${event.label}`;
        const card = cards.start(session, { title, script, timeoutMs });
        if (card !== undefined) this.#cards.set(index, card);
        break;
      }
      case "hook-output":
        this.#cards.get(event.index)?.output(event.text, event.isError);
        break;
      case "hook-end":
        this.#cards.get(event.index)?.end(describeRun(event.run));
        this.#cards.delete(event.index);
        break;
      case "hooks-end":
        // After an interrupt, hooks may still be running.
        this.cancelled();
        break;
      case "notice":
        cards.notify(session, event.text, event.level);
        break;
    }
  }

  /** Ends the cards of all hooks that run. A page draws no end of a card after that of its message. */
  cancelled(): void {
    for (const card of this.#cards.values()) {
      const durationMs = performance.now() - this.#started;
      card.end({ exitCode: 130, output: "", error: "cancelled", durationMs });
    }
    this.#cards.clear();
  }
}

/** Describes the result of a hook: what it sent back to the agent, or printed. */
function describeRun(run: HookRun): Parameters<Card["end"]>[0] {
  const { outcome, reason, context, stdout = "", stderr = "", end, warnings, durationMs } = run;
  const printed = [stdout, stderr].filter((text) => text !== "").join("\n");
  const output = reason ?? context ?? printed;
  const code = end?.kind === "exited" ? end.code : undefined;
  switch (outcome) {
    case "pass":
    case "end":
      return { exitCode: code ?? 0, output, durationMs };
    case "background":
      return { exitCode: 0, output: "runs in the background", durationMs };
    case "block":
    case "feedback":
      return { exitCode: code ?? 2, output, error: "the agent was sent back to work", durationMs };
    case "failed":
    case "ignored":
    case "cancelled": {
      const error = warnings.length === 0 ? outcome : warnings.join("\n");
      return { exitCode: code ?? 1, output, error, durationMs };
    }
  }
}
