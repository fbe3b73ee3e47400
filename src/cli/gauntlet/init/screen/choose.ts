/** Lets the user select checks and agents on one screen. */
import type { CliContext } from "@/cli/context";
import { describeChanges } from "@/cli/gauntlet/init/changes";
import type { InitPlan, PlannedHost } from "@/cli/gauntlet/init/InitPlan";
import type { PlanOptions } from "@/cli/gauntlet/init/hooks/planHook";
import { preselect } from "@/cli/gauntlet/init/hooks/hookHosts";
import { askSelection, type ScreenItem } from "@/cli/gauntlet/init/screen/screen";
import { shortPath } from "@/cli/render/format";

export interface Choice {
  /** Names of checks. */
  readonly checks: ReadonlySet<string>;
  /** Names of hosts. */
  readonly hosts: ReadonlySet<string>;
}

/** The options of the hooks, and the hosts of `--hook`; absent if that was not given. */
export type ChoiceOptions = Pick<PlanOptions, "shared" | "limit"> & {
  readonly hook?: readonly string[];
};

/** Returns the selection of a call without a screen: no host that was not named. */
export function namedChoice(
  { checks }: InitPlan,
  { hook = [] }: Pick<ChoiceOptions, "hook">
): Choice {
  const preselected = checks.filter(({ isPreselected }) => isPreselected);
  return { checks: new Set(preselected.map(({ name }) => name)), hosts: new Set(hook) };
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
  // Hosts with an installed hook are not part of the screen.
  const proposed = options.hook ?? preselect(plan.hosts).map(({ name }) => name);
  let choice = namedChoice(plan, { hook: proposed.filter((name) => open.has(name)) });
  let at: string | undefined;
  for (;;) {
    const items = itemsOf(plan, hosts, choice);
    if (items.every(({ isDisabled }) => isDisabled)) break;
    const answer = await askSelection(
      { title: "Select the checks that must pass before an agent can stop:", items, at, signal },
      context
    );
    if (answer.end === "cancelled") return undefined;
    const selectedOf = (prefix: string, names: Iterable<string>): Set<string> =>
      new Set([...names].filter((name) => answer.selected.has(prefix + name)));
    const checks = plan.checks.map(({ name }) => name);
    choice = { checks: selectedOf(CHECK, checks), hosts: selectedOf(HOST, open) };
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
  { checks, hosts }: Choice,
  options: ChoiceOptions
): Promise<string[]> {
  const chosen = plan.chosen(checks, new Map());
  const now = new Date();
  const edit = plan.configEdit(chosen, now);
  const planned = await plan.planHooks(hosts, options, chosen);
  return await describeChanges(plan.place, plan.configFiles(chosen, now), [
    ...(edit === undefined ? [] : [edit]),
    ...planned.flatMap((one) => one.plan.edits.unwrapOr([])),
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
    ...hosts.map(({ host, plan: { edits } }) => ({
      id: `${HOST}${host.name}`,
      group: "Agents to install the Stop hook in",
      label: host.install.title,
      hint: [...new Set(edits.unwrapOr([]).map(({ path }) => path))]
        .map((path) => shortPath(path, place.projectDir, place.home))
        .join(", "),
      isSelected: choice.hosts.has(host.name),
    })),
  ];
}

/** A command that runs in other folders than the root of the project. */
function commandIn(command: string, folders: readonly string[]): string {
  const [first = "", ...others] = folders;
  return `${command} (in ${first}${others.length === 0 ? "" : ` and ${others.length} more`})`;
}
