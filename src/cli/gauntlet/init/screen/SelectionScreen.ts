import { MultiSelectPrompt, isCancel } from "@clack/core";
import { Writable, type Readable } from "node:stream";
import { knownSize, type CliContext, type Output } from "@/cli/context";
import { screenLines, type ScreenItem } from "@/cli/gauntlet/init/screen/screenLines";

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

export type ScreenAnswer =
  | { readonly kind: "accepted"; readonly selected: ReadonlySet<string> }
  /** The user wants to see what the selection would write. */
  | {
      readonly kind: "diffs";
      readonly selected: ReadonlySet<string>;
      readonly at: string | undefined;
    }
  | { readonly kind: "cancelled" };

export interface ScreenOptions {
  readonly title: string;
  readonly items: readonly ScreenItem[];
  /** The item with the cursor. */
  readonly at?: string;
  readonly signal: AbortSignal;
}

/** Shows the items with their selection until the user accepts, cancels, or wants to see the differences. */
export async function askSelection(
  { title, items, at, signal }: ScreenOptions,
  context: CliContext
): Promise<ScreenAnswer> {
  const ended = new AbortController();
  const end = (): void => {
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
      return screenLines({ title, items, selected, cursor }, context).join("\n");
    },
  });
  prompt.on("key", (char) => {
    if (char !== "d") return;
    wanted.diffs = true;
    end();
  });
  // A terminal that was closed sends no key.
  context.stdin.once("end", end);
  try {
    const answer = await prompt.prompt();
    const selected = new Set(prompt.value);
    if (wanted.diffs) return { kind: "diffs", selected, at: items[prompt.cursor]?.id };
    return isCancel(answer) ? { kind: "cancelled" } : { kind: "accepted", selected };
  } finally {
    context.stdin.off("end", end);
  }
}

/** A stream for the library. A terminal that does not know its width reports 0, and every letter would be wrapped. */
function streamTo(output: Output): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      output.write(text);
      done();
    },
  });
  return Object.defineProperties(stream, {
    columns: { get: () => knownSize(output.columns, DEFAULT_COLUMNS) },
    rows: { get: () => knownSize(output.rows, DEFAULT_ROWS) },
  });
}
