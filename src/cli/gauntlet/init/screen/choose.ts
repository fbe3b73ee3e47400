/** Lets the user select checks and agents on one screen. */
import type { CliContext } from "@/cli/context";
import { describeChanges } from "@/cli/gauntlet/init/changes";
import type { InitPlan, PlannedHost } from "@/cli/gauntlet/init/InitPlan";
import type { ScreenItem } from "@/cli/gauntlet/init/screen/screenLines";
import { askSelection } from "@/cli/gauntlet/init/screen/SelectionScreen";
import { shortPath } from "@/cli/render/format";
import * as messages from "@/cli/gauntlet/messages/initScreen";

export interface Choice {
  /** Names of checks. */
  readonly checks: ReadonlySet<string>;
  /** Names of hosts. */
  readonly hosts: ReadonlySet<string>;
}

/** Returns the selection before the user changes it. `hosts` are those of `--hook`. */
export function defaultChoice({ checks }: InitPlan, hosts: readonly string[]): Choice {
  const preselected = checks.filter(({ isPreselected }) => isPreselected);
  return { checks: new Set(preselected.map(({ name }) => name)), hosts: new Set(hosts) };
}

/** Returns undefined if the user cancels. There is no screen if there is nothing to select. */
export async function choose(
  plan: InitPlan,
  initial: Choice,
  signal: AbortSignal,
  context: CliContext
): Promise<Choice | undefined> {
  let choice = initial;
  let at: string | undefined;
  for (;;) {
    const items = itemsOf(plan, choice);
    if (items.length === 0) return choice;
    const answer = await askSelection({ title: messages.TITLE, items, at, signal }, context);
    if (answer.kind === "cancelled") return undefined;
    choice = choiceOf(answer.selected);
    if (answer.kind === "accepted") return choice;
    at = answer.at;
    const lines = await changesOf(plan, choice);
    context.stdout.write(`${lines.join("\n")}\n\n`);
  }
}

/** Returns the differences that this choice would write, if no check were tried. */
export async function changesOf(plan: InitPlan, { checks, hosts }: Choice): Promise<string[]> {
  const files = plan.configFiles(checks, new Map(), new Date());
  const plans = plan.hosts.filter(({ host }) => hosts.has(host.name)).map((one) => one.plan);
  return await describeChanges(plan.place, files, plans);
}

const CHECK = "check:";
const HOST = "host:";

function choiceOf(ids: ReadonlySet<string>): Choice {
  const named = (prefix: string): Set<string> =>
    new Set([...ids].flatMap((id) => (id.startsWith(prefix) ? [id.slice(prefix.length)] : [])));
  return { checks: named(CHECK), hosts: named(HOST) };
}

function itemsOf({ checks, hosts, place }: InitPlan, choice: Choice): ScreenItem[] {
  return [
    ...checks.map(({ name, command, entryPoints, reason }) => ({
      id: `${CHECK}${name}`,
      group: messages.CHECKS,
      label: entryPoints.every((path) => path === ".")
        ? command
        : messages.commandIn(command, entryPoints),
      hint: reason,
      isSelected: choice.checks.has(name),
    })),
    ...hosts.filter(canInstall).map(({ host, plan }) => ({
      id: `${HOST}${host.name}`,
      group: messages.AGENTS,
      label: host.title,
      hint: filesOf(plan, place.projectDir, place.home),
      isSelected: choice.hosts.has(host.name),
    })),
  ];
}

/** Returns whether there is something to install or to update. */
function canInstall({ plan: { edits } }: PlannedHost): boolean {
  return edits.isOk() && edits.value.length > 0;
}

function filesOf({ edits }: PlannedHost["plan"], projectDir: string, home: string): string {
  const paths = new Set(edits.unwrapOr([]).map(({ path }) => path));
  return [...paths].map((path) => shortPath(path, projectDir, home)).join(", ");
}
