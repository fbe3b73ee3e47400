/** The screen of `init`, on which the user selects items. */
import { MultiSelectPrompt, isCancel } from "@clack/core";
import { Writable, type Readable } from "node:stream";
import { knownSize, type CliContext, type Output } from "@/cli/context";
import { displayWidth, padToWidth, truncateToWidth } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { OWN_ESC, terminalText } from "@/common/foreignText";
import { visible } from "@/common/text";

export interface ScreenItem {
  /** Unique on the screen. */
  readonly id: string;
  /** The heading under which it is listed. Items of a group follow each other. */
  readonly group: string;
  readonly label: string;
  /** Why it is here. */
  readonly hint: string;
  readonly isSelected: boolean;
  /** Whether it is shown only with its reason. */
  readonly isDisabled?: boolean;
}

export interface ScreenState {
  readonly title: string;
  readonly items: readonly ScreenItem[];
  readonly selected: ReadonlySet<string>;
  /** The index of the item with the cursor; absent once the screen has ended. */
  readonly cursor: number | undefined;
}

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
/** The width of the cursor and of the box, with their spaces. */
const BOX_COLUMNS = 6;
/** A shorter hint says nothing. */
const MIN_HINT_COLUMNS = 12;
/** Title, keys, and blank lines. */
const OTHER_ROWS = 4;
/** A blank line, the heading, and the number of hidden items. */
const GROUP_ROWS = 3;

/** Shows the items with their selection until the user accepts, cancels, or wants to see what it would write. */
export async function askSelection(
  {
    signal,
    at,
    ...shown
  }: Pick<ScreenState, "title" | "items"> & {
    /** The item with the cursor. */
    readonly at?: string;
    readonly signal: AbortSignal;
  },
  context: CliContext
): Promise<{
  readonly end: "accepted" | "diffs" | "cancelled";
  readonly selected: ReadonlySet<string>;
  readonly at?: string;
}> {
  const { items } = shown;
  const ended = new AbortController();
  const close = (): void => {
    ended.abort();
  };
  const wanted = { diffs: false };
  const prompt = new MultiSelectPrompt({
    options: items.map((item) => ({ value: item.id, item, disabled: item.isDisabled === true })),
    initialValues: items.filter(({ isSelected }) => isSelected).map(({ id }) => id),
    cursorAt: at,
    required: false,
    input: context.stdin as Readable,
    output: streamTo(context.stdout),
    signal: AbortSignal.any([signal, ended.signal]),
    render() {
      const selected = new Set(this.value);
      const cursor = this.state === "active" || this.state === "initial" ? this.cursor : undefined;
      // The library measures and wraps what it gets, so colors are real escapes by then, and all others are text.
      return terminalText(screenLines({ ...shown, selected, cursor }, context).join("\n"));
    },
  });
  prompt.on("key", (char) => {
    if (char !== "d") return;
    wanted.diffs = true;
    close();
  });
  // A terminal that was closed sends no key.
  context.stdin.once("end", close);
  try {
    const answer = await prompt.prompt();
    const selected = new Set(prompt.value);
    const end = wanted.diffs ? "diffs" : isCancel(answer) ? "cancelled" : "accepted";
    return { end, selected, at: items[prompt.cursor]?.id };
  } finally {
    context.stdin.off("end", close);
  }
}

/**
 * A stream for the library, whose escapes are our own. A terminal that does not know its width reports 0, and every letter
 * would be wrapped.
 */
function streamTo(output: Output): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      output.write(text.replaceAll("\u001b", OWN_ESC));
      done();
    },
  });
  return Object.defineProperties(stream, {
    columns: { get: () => knownSize(output.columns, DEFAULT_COLUMNS) },
    rows: { get: () => knownSize(output.rows, DEFAULT_ROWS) },
  });
}

/** Returns lines that fit the terminal: one that wraps, or scrolls off, could not be redrawn. */
export function screenLines(
  { title, items, selected, cursor }: ScreenState,
  { stdout, env }: Pick<CliContext, "stdout" | "env">
): string[] {
  const { bold, cyan, dim, green } = styleFor(stdout, env);
  const columns = knownSize(stdout.columns, DEFAULT_COLUMNS) - 1;
  const labelColumns = columns - BOX_COLUMNS;
  // A label that leaves no room for a hint has the line for itself, and takes no hint from the others.
  const widths = items.map(({ label }) => displayWidth(visible(label)));
  const withHint = labelColumns - MIN_HINT_COLUMNS - 2;
  const widest = Math.max(0, ...widths.filter((width) => width <= withHint));
  const lines = [bold(truncateToWidth(title, columns))];
  for (const { group, first, end, hidden } of visibleParts(items, cursor, stdout.rows)) {
    lines.push("", truncateToWidth(group, columns));
    for (const [i, { id, label, hint, isDisabled }] of items.slice(first, end).entries()) {
      const pointer = first + i === cursor ? cyan(">") : " ";
      const box = isDisabled === true ? dim(" - ") : selected.has(id) ? green("[x]") : "[ ]";
      const paint = isDisabled === true ? dim : String;
      const text = truncateToWidth(visible(label), labelColumns);
      const hintColumns = labelColumns - widest - 2;
      const reason =
        displayWidth(text) > widest || hintColumns < MIN_HINT_COLUMNS
          ? ""
          : dim(truncateToWidth(visible(hint), hintColumns));
      lines.push(
        `${pointer} ${box} ${reason === "" ? paint(text) : `${paint(padToWidth(text, widest))}  ${reason}`}`
      );
    }
    if (hidden > 0) lines.push(`      ${dim(`${hidden} more (move with the arrow keys)`)}`);
  }
  lines.push(
    "",
    dim(truncateToWidth("Space select, d show changes, Enter accept, Ctrl-C cancel", columns)),
    ""
  );
  return lines;
}

/**
 * Divides the rows among the groups, so that a long group hides no other one. A small group gives its unused rows to the
 * others. If there are too few rows, only the group with the cursor is visible. Returns for each group the indexes of its
 * visible items, without `end`, and the number of those that are hidden.
 */
function visibleParts(items: readonly ScreenItem[], cursor = 0, rows: number | undefined) {
  const groups = [...new Set(items.map(({ group }) => group))].map((group) => {
    const start = items.findIndex((item) => item.group === group);
    return { group, start, count: items.filter((item) => item.group === group).length };
  });
  const room = knownSize(rows, DEFAULT_ROWS) - OTHER_ROWS;
  const isAtCursor = ({ start, count }: (typeof groups)[number]): boolean =>
    start <= cursor && cursor < start + count;
  const shown = room < groups.length * (GROUP_ROWS + 1) ? groups.filter(isAtCursor) : groups;
  let left = Math.max(room - shown.length * GROUP_ROWS, 1);
  const sizes = new Map<string, number>();
  for (const [i, { group, count }] of shown.toSorted((a, b) => a.count - b.count).entries()) {
    const size = Math.min(count, Math.floor(left / (shown.length - i)));
    sizes.set(group, size);
    left -= size;
  }
  return shown.map(({ group, start, count }) => {
    const size = sizes.get(group) ?? 0;
    const last = Math.min(Math.max(cursor, start), start + count - 1);
    const first = Math.max(start, last - size + 1);
    return { group, first, end: first + size, hidden: count - size };
  });
}
