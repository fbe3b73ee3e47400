/** Draws a block of lines below all other output, and redraws it on each change; `ProgressBlock` adds a spinner. */
import { knownSize, type Clock, type Output } from "@/cli/context";
import { displayWidth } from "@/cli/render/formatText";
import type { Style } from "@/cli/render/style";
import { OWN_ESC } from "@/common/safeText";

const ESC = `${OWN_ESC}[`;
const CLEAR_BELOW = `${ESC}J`;
/** Makes the terminal cut long lines. If they wrapped, the number of rows to move up would be unknown. */
const NO_WRAP = `${ESC}?7l`;
const WRAP = `${ESC}?7h`;
const DEFAULT_ROWS = 24;
const DEFAULT_COLUMNS = 80;

/** The block, and the permanent text above it. */
export class LiveLines {
  /** The widths of the lines on the screen. */
  #shown: readonly number[] = [];
  #lines: readonly string[] = [];

  /** @param live whether {@link show} draws the block */
  constructor(
    private readonly output: Output,
    readonly live: boolean
  ) {}

  /** The current width of the terminal. */
  get columns(): number {
    return knownSize(this.output.columns, DEFAULT_COLUMNS);
  }

  /** Replaces the block. */
  show(lines: readonly string[]): void {
    this.#lines = lines;
    this.#draw("");
  }

  /** Prints permanent text above the block and can replace the block. Adds a final line break if there is none. */
  print(text: string, lines = this.#lines): void {
    this.#lines = lines;
    this.#draw(text.endsWith("\n") ? text : `${text}\n`);
  }

  #draw(above: string): void {
    const lines = this.live ? this.#fitting() : [];
    const rows = this.#shownRows();
    const back = rows === 0 ? "" : `${ESC}${rows}A${ESC}G${CLEAR_BELOW}`;
    const block = lines.length === 0 ? "" : `${NO_WRAP}${lines.join("\n")}\n${WRAP}`;
    const { columns } = this;
    this.#shown = lines.map((line) => Math.min(displayWidth(line), columns));
    const text = `${back}${above}${block}`;
    if (text !== "") this.output.write(text);
  }

  /** Returns the height of the block on the screen. A terminal that became narrower has wrapped its lines. */
  #shownRows(): number {
    const { columns } = this;
    return this.#shown.reduce((rows, width) => rows + Math.max(Math.ceil(width / columns), 1), 0);
  }

  /** Returns the lines that fit the screen, because lines that have scrolled off cannot be redrawn. */
  #fitting(): readonly string[] {
    const room = Math.max(knownSize(this.output.rows, DEFAULT_ROWS) - 2, 1);
    if (this.#lines.length <= room) return this.#lines;
    const kept = this.#lines.slice(0, room - 1);
    return [...kept, `  … and ${this.#lines.length - kept.length} more`];
  }
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;

export interface ProgressOptions {
  readonly lines: LiveLines;
  readonly style: Style;
  readonly clock: Clock;
}

/** A block with a line for each hook or gate that runs now, with a spinner that moves. */
export abstract class ProgressBlock {
  #stopTicking: (() => void) | undefined;

  constructor(protected readonly view: ProgressOptions) {}

  /** Returns the lines of the block. @param now by the clock */
  protected abstract rows(spinner: string, now: number): string[];

  protected startTicking(): void {
    this.#stopTicking ??= this.view.clock.every(FRAME_MS, () => {
      this.draw();
    });
  }

  protected stopTicking(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  protected draw(): void {
    this.view.lines.show(this.#block());
  }

  /** Prints permanent text above the block. */
  protected print(text: string): void {
    this.view.lines.print(text, this.#block());
  }

  #block(): string[] {
    const { style, clock } = this.view;
    const now = clock.now();
    return this.rows(style.cyan(FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? ""), now);
  }
}
