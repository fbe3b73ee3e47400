/**
 * Shows the screen of `init`, on which the user selects checks and agents. Also returns the selection of a call
 * without a screen, and the differences that a selection would write.
 */
import { posix } from "node:path";
import { MultiSelectPrompt, isCancel } from "@clack/core";
import { Writable, type Readable } from "node:stream";
import { knownSize, type CliContext, type Output } from "@/cli/context";
import { displayWidth, padToWidth, truncateToWidth, shortPath } from "@/cli/render/formatText";
import { styleFor } from "@/cli/render/style";
import { firstNames, OWN_ESC, terminalText, visible } from "@/common/safeText";
import { isOfRoot } from "@/cli/gauntlet/init/configText";
import { describeChanges } from "@/cli/gauntlet/init/describeChanges";
import type { InitPlan, PlannedHost } from "@/cli/gauntlet/init/InitPlan";
import type { PlanOptions } from "@/cli/gauntlet/init/hooks/planHook";
import { preselect } from "@/cli/gauntlet/init/hooks/hookHosts";

export interface ScreenItem {
  /** Unique on the screen. */
  readonly id: string;
  /** The heading under which it is listed. Items of a group follow each other. */
  readonly group: string;
  readonly label: string;
  /** The reason or the place, behind the label. */
  readonly hint: string;
  readonly isSelected: boolean;
  /** Whether it is shown only with its reason. */
  readonly isDisabled?: boolean;
}

export interface ScreenState {
  readonly items: readonly ScreenItem[];
  readonly selected: ReadonlySet<string>;
  /** The index of the item with the cursor; absent once the screen has ended. */
  readonly cursor: number | undefined;
}

const TITLE = "Select the checks that must pass before an agent can stop:";
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;
/** The width of the cursor and of the box, with their spaces. */
const BOX_COLUMNS = 6;
/** A shorter hint is not shown. */
const MIN_HINT_COLUMNS = 12;
/** Title, keys, and blank lines. */
const OTHER_ROWS = 4;
/** A blank line, the heading, and the number of hidden items. */
const GROUP_ROWS = 3;

/** Shows the items with their selection until the user accepts, cancels, or wants to see what it would write. */
async function askSelection(
  items: readonly ScreenItem[],
  cursorAt: string | undefined,
  stop: AbortSignal,
  context: CliContext
): Promise<{
  readonly end: "accepted" | "diffs" | "cancelled";
  readonly selected: ReadonlySet<string>;
  readonly at?: string;
}> {
  const ended = new AbortController();
  const close = (): void => {
    ended.abort();
  };
  const wanted = { diffs: false };
  const prompt = new MultiSelectPrompt({
    options: items.map((item) => ({ value: item.id, item, disabled: item.isDisabled === true })),
    initialValues: items.filter(({ isSelected }) => isSelected).map(({ id }) => id),
    cursorAt,
    required: false,
    input: context.stdin as Readable,
    output: streamTo(context.stdout),
    signal: AbortSignal.any([stop, ended.signal]),
    render() {
      const selected = new Set(this.value);
      const cursor = this.state === "active" || this.state === "initial" ? this.cursor : undefined;
      // The library measures and wraps what it gets, so colors are real escapes by then, and all others are text.
      return terminalText(screenLines({ items, selected, cursor }, context).join("\n"));
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
 * Returns a stream for the library, whose escapes are our own. A terminal that does not know its width reports 0, by
 * which every letter would be wrapped.
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
  { items, selected, cursor }: ScreenState,
  { stdout, env }: Pick<CliContext, "stdout" | "env">
): string[] {
  const { bold, cyan, dim, green } = styleFor(stdout, env);
  const columns = knownSize(stdout.columns, DEFAULT_COLUMNS) - 1;
  const labelColumns = columns - BOX_COLUMNS;
  // A label that leaves no room for a hint has the line for itself, and takes no hint from the others.
  const widths = items.map(({ label }) => displayWidth(visible(label)));
  const withHint = labelColumns - MIN_HINT_COLUMNS - 2;
  const widest = Math.max(0, ...widths.filter((width) => width <= withHint));
  const lines = [bold(truncateToWidth(TITLE, columns))];
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
 * Divides the rows among the groups, so that a long group hides no other one. A small group gives its unused rows to
 * the others. If there are too few rows, only the group with the cursor is visible. Returns for each group the indexes
 * of its visible items, without `end`, and the number of those that are hidden.
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

export interface Choice {
  /** Names of checks. */
  readonly checks: ReadonlySet<string>;
  /** Names of hosts. */
  readonly hosts: ReadonlySet<string>;
  /** Whether agents get a line in their instructions. */
  readonly note: boolean;
}

/** The options of the hooks, and the hosts of `--hook`; absent if that was not given. */
export type ChoiceOptions = Pick<PlanOptions, "shared" | "limit"> & {
  readonly hook?: readonly string[];
};

/** Returns the selection of a call without a screen: no host that was not named. */
export function namedChoice({ checks }: InitPlan, hook: readonly string[] = []): Choice {
  const names = checks.flatMap(({ name, isPreselected }) => (isPreselected ? [name] : []));
  return { checks: new Set(names), hosts: new Set(hook), note: false };
}

/**
 * Returns the selection of the user, or undefined if they cancel. There is no screen if there is nothing to select.
 * Hosts that were named by `--hook` and need no edit are part of the result, so that the caller reports them.
 */
export async function choose(
  plan: InitPlan,
  options: ChoiceOptions,
  signal: AbortSignal,
  context: CliContext
): Promise<Choice | undefined> {
  const hosts = await offeredHosts(plan, options);
  const open = new Set(hosts.map(({ host }) => host.name));
  const done = (options.hook ?? []).filter((name) => !open.has(name));
  // Hosts with an installed hook are not part of the screen.
  const proposed = options.hook ?? preselect(plan.hosts).map(({ name }) => name);
  const offered = proposed.filter((name) => open.has(name));
  let choice = namedChoice(plan, offered);
  let at: string | undefined;
  for (;;) {
    const items = itemsOf(plan, hosts, choice);
    if (items.every(({ id, isDisabled }) => isDisabled === true || id === NOTE)) break;
    const answer = await askSelection(items, at, signal, context);
    if (answer.end === "cancelled") return undefined;
    const selectedOf = (prefix: string, names: Iterable<string>): Set<string> =>
      new Set([...names].filter((name) => answer.selected.has(prefix + name)));
    const checks = plan.checks.map(({ name }) => name);
    choice = {
      checks: selectedOf(CHECK, checks),
      hosts: selectedOf(HOST, open),
      note: answer.selected.has(NOTE),
    };
    if (answer.end === "accepted") break;
    at = answer.at;
    const lines = await changesOf(plan, choice, options);
    context.stdout.write(`${lines.join("\n")}\n\n`);
  }
  return { ...choice, hosts: new Set([...choice.hosts, ...done]) };
}

/** Returns the differences that this choice would write, if no check were tried. */
export async function changesOf(
  plan: InitPlan,
  { checks, hosts, note }: Choice,
  options: ChoiceOptions
): Promise<string[]> {
  const chosen = plan.chosen(checks, new Map());
  const now = new Date();
  const edit = plan.configEdit(chosen, now);
  const planned = await plan.planHooks(hosts, options, chosen);
  return await describeChanges(plan.place, plan.configFiles(chosen, now), [
    ...(edit === undefined ? [] : [edit]),
    ...planned.flatMap((one) => one.plan.edits.unwrapOr([])),
    ...(note && plan.note !== undefined ? [plan.note] : []),
  ]);
}

/** Returns the named hosts and those on this machine, or else all, if there is something to install or to update. */
async function offeredHosts(plan: InitPlan, options: ChoiceOptions): Promise<PlannedHost[]> {
  const found = plan.hosts.filter(
    (one) => one.found || options.hook?.includes(one.host.name) === true
  );
  const listed = found.length === 0 ? plan.hosts : found;
  const alone = listed.map(({ host }) => plan.planHooks(new Set([host.name]), options));
  const planned = (await Promise.all(alone)).flat();
  return planned.filter(({ plan: { edits } }) => edits.isOk() && edits.value.length > 0);
}

const CHECK = "check:";
const HOST = "host:";
const NOTE = "note";

function itemsOf(
  { checks, leftOut, note, place }: InitPlan,
  hosts: readonly PlannedHost[],
  choice: Choice
): ScreenItem[] {
  return [
    ...checks.map(({ name, command, entryPoints, reason }) => ({
      id: `${CHECK}${name}`,
      group: "Checks",
      label: isOfRoot({ entryPoints }) ? command : `${command} (in ${firstNames(entryPoints, 1)})`,
      hint: reason,
      isSelected: choice.checks.has(name),
    })),
    ...leftOut.map(({ command, reason, why }) => ({
      id: `left:${command}`,
      group: "Checks",
      label: command,
      hint: `${why} (${reason})`,
      isSelected: false,
      isDisabled: true,
    })),
    ...hosts.map(({ host, plan: { edits } }) => ({
      id: `${HOST}${host.name}`,
      group: "Agents to install the Stop hook in",
      label: host.install.title,
      hint: [...new Set(edits.unwrapOr([]).map(({ path }) => path))]
        .map((path) => shortPath(path, place.projectDir, place.home))
        .join(", "),
      isSelected: choice.hosts.has(host.name),
    })),
    ...(note === undefined ? [] : [note]).map(({ path }) => ({
      id: NOTE,
      group: "Instructions of the agents",
      label: posix.relative(place.projectDir, path),
      hint: "adds a line: a pass of the agent's own run counts at its stop",
      isSelected: choice.note,
    })),
  ];
}
