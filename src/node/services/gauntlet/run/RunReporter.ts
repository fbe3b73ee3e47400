/** Emits a run's events to its listener at once, and collects its notices for the log and the result. */
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";

export class RunReporter {
  readonly #notices: (RunEvent & { type: "notice" })[] = [];
  /** The warnings about something that weakens the gates (G25a). */
  readonly weakened: string[] = [];

  constructor(private readonly options: Pick<RunOptions, "silent" | "listener">) {}

  /** Returns the notices so far, in order. */
  get notices(): readonly RunEvent[] {
    return this.#notices;
  }

  get warnings(): string[] {
    return this.#notices.filter(({ level }) => level === "warning").map(({ text }) => text);
  }

  report(level: "info" | "warning", text: string): void {
    const event = { type: "notice", level, text } as const;
    this.#notices.push(event);
    this.emit(event);
  }

  weaken(text: string): void {
    this.weakened.push(text);
    this.report("warning", text);
  }

  /** Emits an event. A listener that throws does not change the result. */
  emit(event: RunEvent): void {
    const { silent, listener } = this.options;
    if (silent === true) return;
    try {
      listener?.(event);
    } catch {
      // Only the display of the run has failed, not the run.
    }
  }
}
