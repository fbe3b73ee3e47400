/** A block of lines below all other output that is redrawn whenever it changes. */
import { knownSize, type Output } from "@/cli/context";
import { displayWidth } from "@/cli/render/displayWidth";
import { OWN_ESC } from "@/common/foreignText";

const ESC = `${OWN_ESC}[`;
const CLEAR_BELOW = `${ESC}J`;
/** Makes the terminal cut long lines. If they wrapped, the number of rows to move up would be unknown. */
const NO_WRAP = `${ESC}?7l`;
const WRAP = `${ESC}?7h`;
const DEFAULT_ROWS = 24;
const DEFAULT_COLUMNS = 80;

export class LiveLines {
  /** Whether {@link show} draws the block. */
  readonly live: boolean;
  readonly #output: Output;
  /** The widths of the lines on the screen. */
  #shown: readonly number[] = [];
  #lines: readonly string[] = [];

  constructor(output: Output, live: boolean) {
    this.#output = output;
    this.live = live;
  }

  /** The current width of the terminal. */
  get columns(): number {
    return knownSize(this.#output.columns, DEFAULT_COLUMNS);
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
    if (text !== "") this.#output.write(text);
  }

  /** Returns the height of the block. A terminal that became narrower has wrapped its lines. */
  #shownRows(): number {
    const { columns } = this;
    return this.#shown.reduce((rows, width) => rows + Math.max(Math.ceil(width / columns), 1), 0);
  }

  /** Returns the lines that fit the screen, because lines that have scrolled off cannot be redrawn. */
  #fitting(): readonly string[] {
    const room = Math.max(knownSize(this.#output.rows, DEFAULT_ROWS) - 2, 1);
    if (this.#lines.length <= room) return this.#lines;
    const kept = this.#lines.slice(0, room - 1);
    return [...kept, `  … and ${this.#lines.length - kept.length} more`];
  }
}
