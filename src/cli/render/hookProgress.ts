/** Shows hooks as they start and end: one live line each with a timer on a terminal, plain lines otherwise. */
import { padToWidth, indent, withinProject } from "@/cli/render/formatText";
import { formatDuration } from "@/common/formatDuration";
import { ProgressBlock, type ProgressOptions } from "@/cli/render/liveLines";
import type { Style } from "@/cli/render/style";
import { plainText, plural } from "@/common/safeText";
import type { HookEvent, HookOutcome } from "@/node/services/hooks/index";

const NAME_WIDTH = 18;
const STATE_WIDTH = 10;
const TIME_WIDTH = 8;

const MARKS: Readonly<Record<HookOutcome, readonly [mark: string, color: keyof Style]>> = {
  pass: ["✔", "green"],
  block: ["✖", "red"],
  feedback: ["✎", "yellow"],
  end: ["■", "yellow"],
  failed: ["!", "yellow"],
  ignored: ["-", "yellow"],
  cancelled: ["-", "dim"],
  background: ["~", "dim"],
};

interface RunningHook {
  readonly name: string;
  readonly label: string;
  /** The start time by {@link Clock.now}, in milliseconds. */
  readonly since: number;
}

interface HookProgressOptions extends ProgressOptions {
  /** Absolute: paths in it are shown relative to it. */
  readonly projectDir: string;
  /** Shows only the running hooks and prints no permanent lines. */
  readonly transient?: boolean;
}

export class HookProgress extends ProgressBlock {
  #running: readonly RunningHook[] = [];

  constructor(private readonly options: HookProgressOptions) {
    super(options);
  }

  handle(event: HookEvent): void {
    const { style, projectDir } = this.options;
    switch (event.type) {
      case "hooks-start":
        this.#print(style.dim(`${event.event}: ${plural(event.total, "hook")}`));
        break;
      case "hook-start":
        this.#start(event.name, withinProject(event.label, projectDir));
        break;
      case "hook-output":
        break;
      case "hook-end": {
        const { name, outcome, durationMs } = event.run;
        const hook = this.#running.find((running) => running.name === name);
        this.#running = this.#running.filter((running) => running !== hook);
        if (hook !== undefined) this.#finish(hook, outcome, durationMs);
        break;
      }
      case "hooks-end":
        if (event.result.cancelled === true) this.#cancelAll();
        break;
      case "notice":
        this.#print(noticeLine(event.level, event.text, style));
        break;
    }
    this.draw();
  }

  #print(text: string): void {
    if (this.options.transient !== true) this.print(text);
  }

  #start(name: string, label: string): void {
    const { lines, style, clock } = this.options;
    const hook = { name, label, since: clock.now() };
    this.#running = [...this.#running, hook];
    if (!lines.live) this.#print(style.dim(hookLine("…", hook, "running")));
  }

  #finish(hook: RunningHook, outcome: HookOutcome, ms: number): void {
    const [mark, color] = MARKS[outcome];
    this.#print(hookLine(this.options.style[color](mark), hook, outcome, ms));
  }

  /** Shows all running hooks as cancelled. An interrupt ends the stop before its hooks exit; their end is ignored. */
  #cancelAll(): void {
    const now = this.options.clock.now();
    const cancelled = this.#running;
    this.#running = [];
    for (const hook of cancelled) this.#finish(hook, "cancelled", now - hook.since);
  }

  protected override draw(): void {
    super.draw();
    if (this.#running.length === 0) this.stopTicking();
    else if (this.options.lines.live) this.startTicking();
  }

  protected override rows(spinner: string, now: number): string[] {
    return this.#running.map((hook) => hookLine(spinner, hook, "running", now - hook.since));
  }
}

function hookLine(mark: string, { name, label }: RunningHook, state: string, ms?: number): string {
  const time = ms === undefined ? "" : formatDuration(ms);
  const columns = [
    padToWidth(name, NAME_WIDTH),
    state.padEnd(STATE_WIDTH),
    time.padStart(TIME_WIDTH),
    label,
  ];
  return `  ${mark} ${columns.join("  ")}`;
}

function noticeLine(level: "info" | "warning", text: string, style: Style): string {
  const clean = plainText(text);
  return level === "info" ? indent(clean, "  ") : style.yellow(indent(`warning: ${clean}`, "  "));
}
