/** Gates on a terminal: those that have ended, with their outcome, and below them those that run or wait (G30). */
import type { Clock } from "@/cli/context";
import { displayWidth, padToWidth } from "@/cli/render/displayWidth";
import { formatDuration } from "@/cli/render/formatDuration";
import type { LiveLines } from "@/cli/render/liveLines";
import type { Style } from "@/cli/render/style";
import { visible } from "@/common/text";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import {
  isFailure,
  type GateOutcome,
  type GateResult,
  type Job,
  type SlotResult,
} from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/status";
import { plainLines } from "@/node/services/gauntlet/report/plainLines";
import * as messages from "@/cli/gauntlet/messages/progress";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const MAX_NAME_WIDTH = 48;
const STATE_WIDTH = 9;
const TIME_WIDTH = 9;

const MARKS: Readonly<Record<GateOutcome, readonly [mark: string, colour: keyof Style]>> = {
  passed: ["✔", "green"],
  failed: ["✖", "red"],
  error: ["!", "red"],
  skipped: ["-", "dim"],
  cancelled: ["-", "dim"],
};

const FLAKY_MARK = ["~", "yellow"] as const;

/** A gate that has not ended. */
interface PendingGate {
  readonly name: string;
  /** When it started, by the clock. Absent: it is waiting. */
  readonly since?: number;
}

export interface GateProgressOptions {
  readonly lines: LiveLines;
  readonly style: Style;
  readonly clock: Clock;
}

/** Returns why a reviewer failed, and where its findings are. */
function slotLines({ slot, reviewer, outcome, message, jsonPath }: SlotResult): string[] {
  if (outcome !== "failed" && outcome !== "error") return [];
  const why = message === undefined ? "" : `: ${visible(message)}`;
  const json = jsonPath === undefined ? [] : [`      ${messages.reviewAt(visible(jsonPath))}`];
  return [`      ${visible(reviewer)}@${slot}${why}`, ...json];
}

export class GateProgress {
  readonly #options: GateProgressOptions;
  readonly #stopTicking: () => void;
  /** By job ID. Absent: the jobs are not known yet. */
  #pending: Map<string, PendingGate> | undefined;
  #nameWidth = 0;

  constructor(options: GateProgressOptions) {
    this.#options = options;
    this.#stopTicking = options.clock.every(FRAME_MS, () => {
      this.#draw();
    });
    this.#draw();
  }

  onEvent(event: RunEvent): void {
    const { style } = this.#options;
    switch (event.type) {
      case "notice": {
        const paint = event.level === "warning" ? style.yellow : style.dim;
        this.#print(plainLines(event).map(paint));
        break;
      }
      case "plan":
        this.#plan(event.jobs);
        break;
      case "gate-start":
        this.#pending?.set(event.job.id, {
          name: visible(event.job.id),
          since: this.#options.clock.now(),
        });
        this.#draw();
        break;
      case "slot-start":
      case "slot-end":
        break;
      case "gate-end":
        this.#pending?.delete(event.result.jobId);
        this.#print(this.#resultLines(event.result));
        break;
      case "run-end":
        this.#stopTicking();
        this.#pending = new Map();
        this.#print(this.#summary(event.result));
        break;
    }
  }

  #plan(jobs: readonly Job[]): void {
    this.#pending = new Map(jobs.map(({ id }) => [id, { name: visible(id) }]));
    const widths = [...this.#pending.values()].map(({ name }) => displayWidth(name));
    this.#nameWidth = Math.min(Math.max(0, ...widths), MAX_NAME_WIDTH);
    this.#draw();
  }

  #print(lines: readonly string[]): void {
    this.#options.lines.print(lines.join("\n"), this.#block());
  }

  #draw(): void {
    this.#options.lines.show(this.#block());
  }

  #block(): string[] {
    const { style, clock } = this.#options;
    const now = clock.now();
    const frame = style.cyan(FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? "");
    if (this.#pending === undefined) return [`  ${frame} ${messages.FINDING_CHANGES}`];
    const gates = [...this.#pending.values()];
    const running = gates.flatMap(({ name, since }) =>
      since === undefined ? [] : [this.#line(frame, name, "running", formatDuration(now - since))]
    );
    const waiting = gates
      .filter(({ since }) => since === undefined)
      .map(({ name }) => style.dim(this.#line("·", name, "waiting")));
    return [...running, ...waiting];
  }

  #resultLines(result: GateResult): string[] {
    const { jobId, outcome, cachedSince, durationMs, message, logPath, flaky, runs = 2 } = result;
    const isFlaky = flaky === true;
    const [mark, colour] = isFlaky ? FLAKY_MARK : MARKS[outcome];
    const isCached = cachedSince !== undefined;
    const hasRun = !isCached && outcome !== "skipped" && outcome !== "cancelled";
    const why = isCached
      ? messages.passedAt(cachedSince)
      : isFlaky
        ? messages.passedOnRun(runs)
        : visible(message ?? "");
    const line = this.#line(
      this.#options.style[colour](mark),
      visible(jobId),
      isCached ? "cached" : isFlaky ? "flaky" : outcome,
      hasRun ? formatDuration(durationMs) : "",
      why
    );
    if (!isFailure(result)) return [line];
    const log = logPath === undefined ? [] : [`      ${messages.logAt(visible(logPath))}`];
    return [line, ...log, ...(result.slots ?? []).flatMap(slotLines)];
  }

  #line(mark: string, name: string, state: string, time = "", why = ""): string {
    const columns = [
      padToWidth(name, this.#nameWidth),
      state.padEnd(STATE_WIDTH),
      time.padStart(TIME_WIDTH),
      why,
    ];
    return `  ${mark} ${columns.join("  ").trimEnd()}`;
  }

  /** Returns the lines of the result. The last one has the verdict. */
  #summary(result: RunResult): string[] {
    const { style } = this.#options;
    const lines = plainLines({ type: "run-end", result });
    const paint = isSuccessStatus(result.status) ? style.green : style.red;
    return [...lines.slice(0, -1), ...lines.slice(-1).map((line) => style.bold(paint(line)))];
  }
}
