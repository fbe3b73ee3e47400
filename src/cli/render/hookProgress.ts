/** Hooks while they run: a line each that counts the time on a terminal, plain lines elsewhere. */
import type { Clock } from "@/cli/context";
import { formatDuration, indent, oneLine } from "@/cli/render/format";
import type { LiveLines } from "@/cli/render/liveLines";
import type { Style } from "@/cli/render/style";
import { plainText, plural } from "@/common/text";
import type { HookEvent, HookOutcome } from "@/node/services/hooks/index";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const NAME_WIDTH = 18;
const STATE_WIDTH = 10;
const TIME_WIDTH = 8;

const MARKS: Readonly<Record<HookOutcome, readonly [mark: string, colour: keyof Style]>> = {
  pass: ["✔", "green"],
  block: ["✖", "red"],
  feedback: ["✎", "yellow"],
  end: ["■", "yellow"],
  failed: ["!", "yellow"],
  cancelled: ["-", "dim"],
  background: ["~", "dim"],
};

interface HookLine {
  readonly name: string;
  readonly label: string;
}

interface RunningHook extends HookLine {
  readonly since: number;
}

export interface HookProgressOptions {
  readonly lines: LiveLines;
  readonly style: Style;
  readonly clock: Clock;
  /** Absolute: what lies in it is named from there. */
  readonly projectDir: string;
  /** Only what runs is shown, while it runs. */
  readonly transient?: boolean;
}

export class HookProgress {
  readonly #options: HookProgressOptions;
  #running: readonly RunningHook[] = [];
  #stopTicking: (() => void) | undefined;

  constructor(options: HookProgressOptions) {
    this.#options = options;
  }

  handle(event: HookEvent): void {
    const { style } = this.#options;
    switch (event.type) {
      case "hooks-start":
        this.#print(style.dim(`${event.event}: ${plural(event.total, "hook")}`));
        break;
      case "hook-start":
        this.#start({ name: event.name, label: this.#label(event.label) });
        break;
      case "hook-end": {
        const { name, title, outcome, durationMs } = event.run;
        const [mark, colour] = MARKS[outcome];
        const line = this.#forget(name) ?? { name, label: this.#label(title) };
        this.#print(hookLine(style[colour](mark), line, outcome, durationMs));
        break;
      }
      case "hooks-end":
        // An interrupt ends the stop before its hooks have ended.
        if (event.result.cancelled === true) this.#running = [];
        break;
      case "notice":
        this.#print(noticeLine(event.level, event.text, style));
        break;
    }
    this.#draw();
  }

  #print(text: string): void {
    const { lines, transient } = this.#options;
    if (transient !== true) lines.print(text);
  }

  #start(hook: HookLine): void {
    const { lines, style, clock } = this.#options;
    this.#running = [...this.#running, { ...hook, since: clock.now() }];
    if (!lines.live) this.#print(style.dim(hookLine("…", hook, "running")));
  }

  #label(text: string): string {
    return oneLine(text).replaceAll(`${this.#options.projectDir}/`, "");
  }

  #forget(name: string): HookLine | undefined {
    const hook = this.#running.find((running) => running.name === name);
    this.#running = this.#running.filter((running) => running !== hook);
    return hook;
  }

  #draw(): void {
    const { lines, style, clock } = this.#options;
    const now = clock.now();
    const frame = style.cyan(FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? "");
    lines.show(this.#running.map((hook) => hookLine(frame, hook, "running", now - hook.since)));
    if (this.#running.length === 0) {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    } else if (lines.live) {
      this.#stopTicking ??= clock.every(FRAME_MS, () => {
        this.#draw();
      });
    }
  }
}

function hookLine(mark: string, { name, label }: HookLine, state: string, ms?: number): string {
  const time = ms === undefined ? "" : formatDuration(ms);
  const columns = [
    name.padEnd(NAME_WIDTH),
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
