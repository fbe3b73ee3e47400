/** What a run tells: to its listener at once, to its log and its result later. */
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";

export class RunReporter {
  readonly #notices: (RunEvent & { type: "notice" })[] = [];

  constructor(private readonly options: Pick<RunOptions, "silent" | "listener">) {}

  /** So far, in order. */
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

  /** A listener that throws changes no result. */
  emit(event: RunEvent): void {
    const { silent, listener } = this.options;
    if (silent === true) return;
    try {
      listener?.(event);
    } catch {
      // What shows the run has failed; the run has not.
    }
  }
}
