/** The lines of the screen of `init`. */
import { knownSize, type CliContext } from "@/cli/context";
import { displayWidth, padToWidth, truncateToWidth } from "@/cli/render/displayWidth";
import { styleFor } from "@/cli/render/style";
import { visible } from "@/common/text";
import * as messages from "@/cli/gauntlet/messages/initScreen";

export interface ScreenItem {
  /** Unique on the screen. */
  readonly id: string;
  /** The heading under which it is listed. Items of a group follow each other. */
  readonly group: string;
  readonly label: string;
  /** Why it is here. */
  readonly hint: string;
  readonly isSelected: boolean;
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
/** Title, keys, headings and blank lines. */
const OTHER_ROWS = 10;

/** Returns lines that fit the terminal: one that wraps, or scrolls off, could not be redrawn. */
export function screenLines(
  { title, items, selected, cursor }: ScreenState,
  { stdout, env }: Pick<CliContext, "stdout" | "env">
): string[] {
  const { bold, cyan, dim, green } = styleFor(stdout, env);
  const columns = knownSize(stdout.columns, DEFAULT_COLUMNS) - 1;
  const room = Math.max(knownSize(stdout.rows, DEFAULT_ROWS) - OTHER_ROWS, 1);
  const labelColumns = columns - BOX_COLUMNS;
  const widest = Math.max(0, ...items.map(({ label }) => displayWidth(visible(label))));
  const first = cursor === undefined ? 0 : Math.max(0, cursor - room + 1);
  const shown = items.slice(first, first + room);
  const lines = [bold(truncateToWidth(title, columns))];
  for (const [i, { id, group, label, hint }] of shown.entries()) {
    if (shown[i - 1]?.group !== group) lines.push("", truncateToWidth(group, columns));
    const pointer = first + i === cursor ? cyan(">") : " ";
    const box = selected.has(id) ? green("[x]") : "[ ]";
    const text = truncateToWidth(visible(label), labelColumns);
    const hintColumns = labelColumns - widest - 2;
    const reason =
      hintColumns < MIN_HINT_COLUMNS ? "" : dim(truncateToWidth(visible(hint), hintColumns));
    lines.push(
      `${pointer} ${box} ${reason === "" ? text : `${padToWidth(text, widest)}  ${reason}`}`
    );
  }
  const hidden = items.length - shown.length;
  if (hidden > 0) lines.push(`      ${dim(messages.moreItems(hidden))}`);
  lines.push("", dim(truncateToWidth(messages.KEYS, columns)), "");
  return lines;
}
