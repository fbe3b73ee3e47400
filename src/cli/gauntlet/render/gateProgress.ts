/**
 * Shows the gates of a run on a terminal: the results of those that ended, and below those that run or wait; at the end
 * the counts, the time and the verdict (G30).
 */
import {
  displayWidth,
  padToWidth,
  truncateMiddle,
  truncateToWidth,
  wrapWords,
} from "@/cli/render/formatText";
import { formatDuration } from "@/common/formatDuration";
import { ProgressBlock, type ProgressOptions } from "@/cli/render/liveLines";
import type { Style } from "@/cli/render/style";
import { visible } from "@/common/safeText";
import type { RunEvent, RunResult } from "@/node/services/gauntlet/domain/runResult";
import * as gateTypes from "@/node/services/gauntlet/domain/gate";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import * as plain from "@/node/services/gauntlet/report/eventLines";

const MAX_NAME_WIDTH = 48;
const STATE_WIDTH = 9;
const TIME_WIDTH = 9;
/** The columns of a line without its name: the mark, the state, the time, and the spaces between them. */
const OTHER_WIDTH = 4 + 2 + STATE_WIDTH + 2 + TIME_WIDTH;
const MIN_NAME_WIDTH = 8;
const INDENT = "      ";

const MARKS: Readonly<Record<gateTypes.GateOutcome, readonly [mark: string, color: keyof Style]>> =
  {
    passed: ["✔", "green"],
    known: ["~", "yellow"],
    failed: ["✖", "red"],
    error: ["!", "red"],
    skipped: ["-", "dim"],
    cancelled: ["-", "dim"],
    no_files: ["○", "dim"],
  };

const FLAKY_MARK = ["~", "yellow"] as const;

/** The words for outcomes whose message is not shown, because it would only repeat the words. */
const STATES: Readonly<Partial<Record<gateTypes.GateOutcome, string>>> = {
  no_files: "no files",
  cancelled: "cancelled",
};

/** A line of details below the result of a gate. */
export interface DetailLine {
  readonly text: string;
  /** Whether it is from the output of a program. Such a line may be cut, because the log has all of it. */
  readonly isQuoted?: boolean;
}

export class GateProgress extends ProgressBlock {
  /**
   * The gates that have not ended, by job ID, with the time at which they started. A gate without `since` waits.
   * Undefined until the jobs are known.
   */
  #pending: Map<string, { readonly name: string; readonly since?: number }> | undefined;
  #nameWidth = 0;
  readonly #startedAt: number;

  /** @param options.isQuiet whether only failures and the verdict are shown */
  constructor(private readonly options: ProgressOptions & { readonly isQuiet?: boolean }) {
    super(options);
    this.#startedAt = options.clock.now();
    this.startTicking();
    this.draw();
  }

  /** Shows an event. @param details the lines below the result of a gate */
  onEvent(event: RunEvent, details: readonly DetailLine[] = []): void {
    const { style, clock } = this.options;
    switch (event.type) {
      case "notice": {
        const paint = event.level === "warning" ? style.yellow : style.dim;
        this.#print(plain.eventLines(event).flatMap((line) => this.#wrap(line, "  ").map(paint)));
        break;
      }
      case "plan":
        this.#plan(event.jobs);
        break;
      case "gate-start":
        this.#pending?.set(event.job.id, { name: visible(event.job.id), since: clock.now() });
        this.draw();
        break;
      case "slot-start":
        this.#nameReviewer(event.job.id, `${event.job.id} by ${event.slot.reviewer}`);
        break;
      case "slot-end":
        break;
      case "gate-end":
        this.#end(event.result, details);
        break;
      case "run-end":
        this.stopTicking();
        this.#pending = new Map();
        this.#print(this.#summary(event.result));
        break;
    }
  }

  #end(result: gateTypes.GateResult, details: readonly DetailLine[]): void {
    const gate = this.#pending?.get(result.jobId);
    this.#pending?.delete(result.jobId);
    const neverStarted = gate !== undefined && gate.since === undefined;
    // An interrupt cancels all gates that wait, and their lines would push the others off the screen.
    if (result.outcome === "cancelled" && neverStarted) this.draw();
    else this.#print([...this.#resultLines(result), ...this.#detailLines(details)]);
  }

  #plan(jobs: readonly gateTypes.Job[]): void {
    this.#pending = new Map(jobs.map(({ id }) => [id, { name: visible(id) }]));
    const widths = [...this.#pending.values()].map(({ name }) => displayWidth(name));
    this.#nameWidth = Math.min(Math.max(0, ...widths), MAX_NAME_WIDTH);
    this.draw();
  }

  /** Names the reviewer that answers now. The time is that of the whole review. */
  #nameReviewer(id: string, text: string): void {
    const gate = this.#pending?.get(id);
    if (gate === undefined) return;
    const name = visible(text);
    this.#pending?.set(id, { ...gate, name });
    this.#nameWidth = Math.min(Math.max(this.#nameWidth, displayWidth(name)), MAX_NAME_WIDTH);
    this.draw();
  }

  /** Removes the lines that would be redrawn, because the process ends before the run does. */
  clear(): void {
    this.stopTicking();
    this.options.lines.show([]);
  }

  #print(lines: readonly string[]): void {
    this.print(lines.join("\n"));
  }

  protected override rows(frame: string, now: number): string[] {
    const { style } = this.options;
    if (this.#pending === undefined) return [`  ${frame} finding the changed files`];
    const width = this.#nameColumns();
    const gates = [...this.#pending.values()].map(({ name, since }) => ({
      name: truncateMiddle(name, width),
      since,
    }));
    const running = gates.flatMap(({ name, since }) =>
      since === undefined ? [] : [this.#line(frame, name, "running", formatDuration(now - since))]
    );
    const waiting = gates
      .filter(({ since }) => since === undefined)
      .map(({ name }) => style.dim(this.#line("·", name, "waiting")));
    return [...running, ...waiting];
  }

  #resultLines(result: gateTypes.GateResult): string[] {
    const { jobId, outcome, cachedSince, durationMs, message, flaky, runs = 2 } = result;
    const isFlaky = flaky === true;
    const [mark, color] = isFlaky ? FLAKY_MARK : MARKS[outcome];
    const isCached = cachedSince !== undefined;
    const hasRun = !isCached && gateTypes.hasGivenResult(result);
    const reason = STATES[outcome] === undefined ? (message ?? "") : "";
    const why = isCached
      ? `passed at ${cachedSince}`
      : isFlaky
        ? `failed, then passed on run ${runs}`
        : visible(reason);
    const painted = this.options.style[color](mark);
    const name = visible(jobId);
    const state = isCached ? "cached" : isFlaky ? "flaky" : (STATES[outcome] ?? outcome);
    const time = hasRun ? formatDuration(durationMs) : "";
    const { columns } = this.options.lines;
    const line = this.#line(painted, name, state, time, why);
    if (displayWidth(line) <= columns) return [line];
    const below = why === "" ? [] : this.#wrap(`${INDENT}${why}`, INDENT);
    const short = this.#line(painted, name, state, time);
    if (displayWidth(short) <= columns) return [short, ...below];
    const end = `${state}  ${time}`.trimEnd();
    const dense = `  ${painted} ${name}  ${end}`;
    if (displayWidth(dense) <= columns) return [dense, ...below];
    // The name stays whole, because a person may have to copy it.
    return [`  ${painted} ${name}`, `${INDENT}${end}`, ...below];
  }

  #detailLines(details: readonly DetailLine[]): string[] {
    const { lines, style } = this.options;
    return details.flatMap(({ text, isQuoted }) =>
      isQuoted === true
        ? [style.dim(truncateToWidth(text, lines.columns))]
        : this.#wrap(text, `${INDENT}  `)
    );
  }

  #wrap(text: string, indent: string): string[] {
    return text.split("\n").flatMap((line) => wrapWords(line, this.options.lines.columns, indent));
  }

  /** Returns the width of the names, so that a line without a reason fits the terminal. */
  #nameColumns(): number {
    const room = Math.max(this.options.lines.columns - OTHER_WIDTH, MIN_NAME_WIDTH);
    return Math.min(this.#nameWidth, room);
  }

  #line(mark: string, name: string, state: string, time = "", why = ""): string {
    const padded = padToWidth(name, this.#nameColumns());
    const rest = [state.padEnd(STATE_WIDTH), time.padStart(TIME_WIDTH), why].join("  ");
    return `  ${mark} ${padded}  ${rest}`.trimEnd();
  }

  /** Returns the lines of the result. The last one has the verdict. */
  #summary(result: RunResult): string[] {
    const { style, clock, isQuiet } = this.options;
    const paint = isSuccessStatus(result.status) ? style.green : style.red;
    const lines = isQuiet === true ? [] : summaryLines(result, clock.now() - this.#startedAt);
    const verdict = plain.verdictLines(result);
    return [...lines, ...verdict.slice(0, -1)]
      .flatMap((line) => this.#wrap(line, "  "))
      .concat(verdict.slice(-1).map((line) => style.bold(paint(line))));
  }
}

/** Returns the lines above the verdict; none if the run has no gates. */
function summaryLines(result: RunResult, durationMs: number): string[] {
  const { gates } = result;
  if (gates.length === 0) return [];
  const slowest = slowestOf(gates);
  const slow =
    slowest === undefined
      ? ""
      : `; the slowest is ${truncateMiddle(visible(slowest.jobId), MAX_NAME_WIDTH)} (${formatDuration(slowest.durationMs)})`;
  const time = `Time: ${formatDuration(durationMs)}${slow}`;
  return ["", ...plain.resolvedLines(result), gateCounts(gates), time];
}

/** Returns the numbers of gates, each counted once, and of files that fixes changed, without those that are 0. */
function gateCounts(gates: readonly gateTypes.GateResult[]): string {
  const count = (is: (gate: gateTypes.GateResult) => boolean): number => gates.filter(is).length;
  const passed = gates.filter(({ outcome }) => outcome === "passed");
  const fresh = passed.filter(({ cachedSince }) => cachedSince === undefined);
  const flaky = fresh.filter((gate) => gate.flaky === true).length;
  const fixedFiles = new Set(gates.flatMap((gate) => gate.fixedFiles ?? [])).size;
  const parts: readonly (readonly [count: number, what: string])[] = [
    [fresh.length - flaky, "passed"],
    [count(gateTypes.isFailure), "failed"],
    [passed.length - fresh.length, "cached"],
    [count(({ outcome }) => outcome === "known"), "with known failures"],
    [flaky, "flaky"],
    [count(({ outcome }) => outcome === "no_files"), "without files"],
    [count(({ outcome }) => outcome === "skipped" || outcome === "cancelled"), "without a result"],
    [fixedFiles, fixedFiles === 1 ? "file fixed" : "files fixed"],
  ];
  const shown = parts.filter(([number]) => number > 0).map((part) => part.join(" "));
  return `Gates: ${shown.join(", ")}`;
}

/** Returns the gate that took longest, or undefined if fewer than two gates ran. */
function slowestOf(gates: readonly gateTypes.GateResult[]): gateTypes.GateResult | undefined {
  const ran = gates.filter(
    (gate) => gateTypes.hasGivenResult(gate) && gate.cachedSince === undefined
  );
  if (ran.length < 2) return undefined;
  return ran.reduce((slowest, gate) => (gate.durationMs > slowest.durationMs ? gate : slowest));
}
