/** Lets the user select checks and agents on one screen. */
import { ok } from "neverthrow";
import type { CliContext } from "@/cli/context";
import { describeChanges } from "@/cli/gauntlet/init/changes";
import type { InitPlan, PlannedHost } from "@/cli/gauntlet/init/InitPlan";
import { preselect } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { ScreenItem } from "@/cli/gauntlet/init/screen/screenLines";
import { askSelection } from "@/cli/gauntlet/init/screen/SelectionScreen";
import { shortPath } from "@/cli/render/format";

export interface Choice {
  /** Names of checks. */
  readonly checks: ReadonlySet<string>;
  /** Names of hosts. */
  readonly hosts: ReadonlySet<string>;
}

export interface ChoiceOptions {
  /** The hosts of `--hook`; absent if the option was not given. */
  readonly hook?: readonly string[] | undefined;
  /** Whether hooks are written for the whole team. */
  readonly shared: boolean;
  /** The time limit of the hooks. */
  readonly limit?: number | undefined;
}

/** Returns the selection of a call without a screen: no host that was not named. */
export function namedChoice(
  { checks }: InitPlan,
  { hook = [] }: Pick<ChoiceOptions, "hook">
): Choice {
  const preselected = checks.filter(({ isPreselected }) => isPreselected);
  return { checks: new Set(preselected.map(({ name }) => name)), hosts: new Set(hook) };
}

/** Returns the selection that the screen begins with. Hosts with an installed hook are not part of it. */
function proposedChoice(plan: InitPlan, options: ChoiceOptions, open: ReadonlySet<string>): Choice {
  const { checks } = namedChoice(plan, options);
  const names = options.hook ?? preselect(plan.hosts).map(({ name }) => name);
  return { checks, hosts: new Set(names.filter((name) => open.has(name))) };
}

/**
 * Returns undefined if the user cancels. There is no screen if there is nothing to select. Hosts that were named by
 * `--hook` and need no edit are part of the result, so that the caller reports them.
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
  let choice = proposedChoice(plan, options, open);
  let at: string | undefined;
  for (;;) {
    const items = itemsOf(plan, hosts, choice);
    if (items.every(({ isDisabled }) => isDisabled)) break;
    const answer = await askSelection(
      { title: "Select the checks that must pass before an agent can stop:", items, at, signal },
      context
    );
    if (answer.kind === "cancelled") return undefined;
    choice = choiceOf(answer.selected);
    if (answer.kind === "accepted") break;
    at = answer.at;
    const lines = await changesOf(plan, choice, options);
    context.stdout.write(`${lines.join("\n")}\n\n`);
  }
  return { ...choice, hosts: new Set([...choice.hosts, ...done]) };
}

/** Returns the differences that this choice would write, if no check were tried. */
export async function changesOf(
  plan: InitPlan,
  { checks, hosts }: Choice,
  options: ChoiceOptions
): Promise<string[]> {
  const chosen = plan.chosen(checks, new Map());
  const now = new Date();
  const edit = plan.configEdit(chosen, now);
  const planned = await plan.planHooks(hosts, options);
  return await describeChanges(plan.place, plan.configFiles(chosen, now), [
    ...(edit === undefined ? [] : [{ edits: ok([edit]) }]),
    ...planned.map((one) => one.plan),
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

function choiceOf(ids: ReadonlySet<string>): Choice {
  const named = (prefix: string): Set<string> =>
    new Set([...ids].flatMap((id) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : [])));
  return { checks: named(CHECK), hosts: named(HOST) };
}

function itemsOf(
  { checks, leftOut, place }: InitPlan,
  hosts: readonly PlannedHost[],
  choice: Choice
): ScreenItem[] {
  return [
    ...checks.map(({ name, command, entryPoints, reason }) => ({
      id: `${CHECK}${name}`,
      group: "Checks",
      label: entryPoints.every((path) => path === ".") ? command : commandIn(command, entryPoints),
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
    ...hosts.map(({ host, plan }) => ({
      id: `${HOST}${host.name}`,
      group: "Agents to install the Stop hook in",
      label: host.install.title,
      hint: filesOf(plan, place.projectDir, place.home),
      isSelected: choice.hosts.has(host.name),
    })),
  ];
}

function filesOf({ edits }: PlannedHost["plan"], projectDir: string, home: string): string {
  const paths = new Set(edits.unwrapOr([]).map(({ path }) => path));
  return [...paths].map((path) => shortPath(path, projectDir, home)).join(", ");
}

/** A command that runs in other folders than the root of the project. */
function commandIn(command: string, folders: readonly string[]): string {
  const [first = "", ...others] = folders;
  return `${command} (in ${first}${others.length === 0 ? "" : ` and ${others.length} more`})`;
}
