/** The tables of `docs/performance.md`, made from the results. */
import { limitOf } from "../../bench/limits";
import { grouped } from "./chart";
import { nameOf, PLANS } from "./charts";
import type { Figure, Figures, Growth, Machine } from "./results";

type Row = readonly string[];

/** Returns a Markdown table as oxfmt formats it. The first column is text, and the others are numbers. */
export function formatTable(head: Row, rows: readonly Row[], texts = 1): string {
  const widths = head.map((_, i) => Math.max(4, ...[head, ...rows].map((row) => row[i]!.length)));
  const lineOf = (row: Row) => {
    const cells = row.map((cell, i) => {
      return i < texts ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!);
    });
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, i) =>
    i < texts ? "-".repeat(width) : `${"-".repeat(width - 1)}:`
  );
  return [lineOf(head), `| ${rule.join(" | ")} |`, ...rows.map(lineOf)].join("\n");
}

/** Returns the generated parts of the page, by the names of their markers. */
export function tables({ machine, figures }: Figures, growth: Growth): Map<string, string> {
  const page = new FigureTables(figures, machine);
  const grown = Object.keys(PLANS).map((plot) => [plot, growthTable(growth, plot)] as const);
  return new Map([
    ["machine", describe(machine)],
    ["start", page.start()],
    ["programs", page.programs()],
    ["detection", page.against(DETECTION, "git status")],
    ["hooks", page.against(HOOKS, "floor")],
    ["other", page.others()],
    ["phases", page.phases()],
    ...grown,
  ]);
}

const START = [
  "stop-hook-marker",
  "stop-hook-again",
  "stop-hook-no-config",
  "nothing-to-do",
  "stop-hook-nothing",
];
const DETECTION = [
  "changes-10k",
  "changes-100k",
  "changes-edited",
  "changes-modified",
  "changes-untracked",
];
const HOOKS = ["exec", "exec-32", "hook", "hook-32", "stop", "remote-hook", "checks-sleeping"];
const OTHERS = [
  "git-processes",
  "git-processes-run",
  "no-hook",
  "limit-obeys",
  "limit-ignores",
  "limit-orphan",
  "output-cpu",
  "output-memory",
  "log-cpu",
  "log-memory",
  "large-host",
  "large-host-block",
  "remote-hook-sessions",
];
const PHASES = [
  "phase-node",
  "phase-stop-hook",
  "phase-run",
  "phase-run-git",
  "phase-check",
  "phase-check-git",
];

/** A part of the results may be missing, for example without `ssh`. Its rows are left out. */
class FigureTables {
  readonly #byName: ReadonlyMap<string, Figure>;
  readonly #versions: readonly { suffix: string; major: string }[];

  constructor(figures: readonly Figure[], { node, otherNode }: Machine) {
    this.#byName = new Map(figures.map((figure) => [figure.name, figure]));
    const other =
      otherNode === undefined
        ? []
        : [{ suffix: `@${majorOf(otherNode)}`, major: majorOf(otherNode) }];
    this.#versions = [{ suffix: "", major: majorOf(node) }, ...other];
  }

  start(): string {
    const head = ["figure", "Node", "`node -e 0`", "ours", "ratio", "p25–p75", "goal"];
    const rows = this.#perVersion(START).map(({ figure, major }) => [
      plainClaim(figure),
      major,
      ms(figure.ms?.floor),
      ms(figure.ms?.ours),
      ...ratio(figure),
    ]);
    return formatTable(head, rows);
  }

  programs(): string {
    const head = ["checks", "Node", "`node -e 0`", "ours", "lint-staged", "lefthook", "pre-commit"];
    const goals = ["ours / lint-staged", "goal", "(ours − node) / lefthook", "goal"];
    const rows = [1, 8, 32].flatMap((count) =>
      this.#perVersion([`checks-${count}`]).flatMap(({ figure, major, suffix }) => {
        const net = this.#byName.get(`checks-${count}-net${suffix}`);
        if (net === undefined) return [];
        const times = ["node", "ours", "lint-staged", "lefthook", "pre-commit"];
        const [value, , goal] = ratio(figure);
        const [netValue, , netGoal] = ratio(net);
        const durations = times.map((side) => ms(figure.ms?.[side]));
        return [[String(count), major, ...durations, value, goal, netValue, netGoal]];
      })
    );
    return formatTable([...head, ...goals], rows, 0);
  }

  against(ids: readonly string[], floor: string): string {
    const rows = this.#found(ids).map((figure) => [
      plainClaim(figure),
      ms(figure.ms?.floor),
      ms(figure.ms?.ours),
      ...ratio(figure),
    ]);
    const name = floor === "floor" ? "compared with" : `\`${floor}\``;
    return formatTable(["figure", name, "ours", "ratio", "p25–p75", "goal"], rows);
  }

  others(): string {
    const rows = this.#found(OTHERS).map((figure) => {
      const [value, spread, goal] = ratio(figure);
      return [figure.claim, unitOf(figure), value, spread, goal];
    });
    return formatTable(["figure", "unit", "value", "p25–p75", "goal or limit"], rows, 2);
  }

  phases(): string {
    const head = ["part", ...this.#versions.map(({ major }) => `Node ${major}`)];
    const rows = this.#found(PHASES).map((figure) => [
      figure.claim,
      ...this.#versions.map(({ suffix }) => ms(this.#byName.get(figure.id + suffix)?.value)),
    ]);
    return formatTable(head, rows);
  }

  #found(ids: readonly string[]): Figure[] {
    return ids.flatMap((id) => this.#byName.get(id) ?? []);
  }

  #perVersion(ids: readonly string[]) {
    return ids.flatMap((id) =>
      this.#versions.flatMap(({ suffix, major }) => {
        const figure = this.#byName.get(id + suffix);
        return figure === undefined ? [] : [{ figure, major, suffix }];
      })
    );
  }
}

function growthTable(growth: Growth, plot: string): string {
  const points = growth.points.filter((point) => point.plot === plot).sort((a, b) => a.x - b.x);
  const sides = (PLANS[plot]?.sides ?? []).filter((side) => points.some(({ ms }) => side in ms));
  const head = [PLANS[plot]?.xLabel ?? "", ...sides.map((side) => `${nameOf(side)} (ms)`)];
  const rows = points.map((point) => [
    grouped(point.x),
    ...sides.map((side) => {
      const duration = point.ms[side];
      if (duration === undefined) return "–";
      return `${digits(duration.value)} (${digits(duration.p25)}–${digits(duration.p75)})`;
    }),
  ]);
  return formatTable(head, rows, 0);
}

function describe(machine: Machine): string {
  const nodes = [machine.node, machine.otherNode].filter((version) => version !== undefined);
  const parts = [
    `${machine.cores === 2 ? "two" : machine.cores} cores`,
    machine.system,
    `Node ${nodes.join(" and ")}`,
    `git ${machine.git}`,
    ...(["lefthook", "lint-staged", "pre-commit"] as const).flatMap((name) => {
      return machine[name] === undefined ? [] : [`${name} ${machine[name]}`];
    }),
  ];
  const load = machine.load?.toFixed(2) ?? "unknown";
  return `Measured on: ${parts.join(", ")}.\nLoad of the machine, the highest one at the beginning of a part: ${load}.`;
}

/** Returns the value, the quartiles and the goal of a figure. */
function ratio(figure: Figure): [string, string, string] {
  const show = (value: number) => (figure.unit === "ratio" ? value.toFixed(2) : digits(value));
  const { p25, p75 } = figure;
  const spread = p25 === undefined || p75 === undefined ? "–" : `${show(p25)}–${show(p75)}`;
  const goal = goalOf(figure);
  return [show(figure.value), spread, goal === undefined ? "–" : show(goal)];
}

/** Returns the goal of a figure, or its limit if there is no lower goal. */
function goalOf({ id, major }: Figure): number | undefined {
  const limit = limitOf(id, major);
  return limit?.goal ?? limit?.budget;
}

function plainClaim({ claim }: Figure): string {
  return claim.replace(/, against (?:one git status|node -e 0)$/, "");
}

function unitOf({ unit }: Figure): string {
  return unit === "ratio" ? "×" : unit;
}

function ms(value: number | undefined): string {
  return value === undefined ? "–" : `${digits(value)} ms`;
}

/** Returns a number with three digits: 0.25, 12.3, 1,234. */
function digits(value: number): string {
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, Math.abs(value)))));
  return grouped(Number(value.toFixed(places)));
}

function majorOf(version: string): string {
  return version.split(".")[0] ?? version;
}
