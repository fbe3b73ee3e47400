/**
 * Applies the user's own file of a project, `.gauntlet/config.local.yml`, over the files of the team: it changes
 * settings and gates and turns gates off, both with a warning, and adds checks (G6a).
 */
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import { SourceNode, type Slot } from "@/common/source/SourceNode";

/** Keys that change gates by name. */
const GATES: readonly string[] = ["checks", "reviews"];
/** A key that belongs to the user's settings for all projects. */
const ELSEWHERE = "stop_hook";

export class LocalConfig {
  /** The definitions of reviews, of the team and of the user. */
  readonly reviews: SourceNode[] = [];
  readonly #used = new Set<SourceNode>();
  readonly #off = new Set<string>();
  readonly #changed: Set<string>;

  /** @param root the content of the file, if there is one */
  constructor(
    private readonly root: SourceNode | undefined,
    private readonly problems: DiagnosticList
  ) {
    const keys = root?.children.map(({ key }) => key) ?? [];
    this.#changed = new Set(keys.filter((key) => ![...GATES, ELSEWHERE].includes(key)));
    for (const key of GATES) {
      const node = root?.child(key);
      if (node !== undefined && node.kind !== "mapping" && node.value !== null)
        problems.add("error", node, "expected a mapping, as in `test: false`");
    }
    const misplaced = root?.child(ELSEWHERE);
    if (misplaced !== undefined)
      problems.add(
        "error",
        misplaced.atKey,
        "it turns off every gate; use ~/.config/agent-gauntlet/config.yml, or the command pause"
      );
  }

  /** Returns the settings of the team with those of the user. Gates are not among them. */
  settings(team: SourceNode): SourceNode {
    const skipped = [...GATES, ELSEWHERE];
    return this.root === undefined ? team : overlay(team, this.root, undefined, skipped);
  }

  /** Returns a definition of the team with the user's changes. */
  gate(kind: "check" | "review", name: string, team: SourceNode): SourceNode {
    const own = this.#entries(`${kind}s`).find(({ key }) => key === name);
    if (kind === "review") this.reviews.push(team, ...(own ? [own] : []));
    if (own === undefined || own.value === true) return team;
    this.#used.add(own);
    const isOff = own.value === false;
    (isOff ? this.#off : this.#changed).add(name);
    return isOff
      ? overlay(team, single(own, "run_locally", false))
      : overlay(team, asDefinition(own));
  }

  /** Returns the user's own checks: those that have no other definition. Call it after all other gates were read. */
  ownChecks(): SourceNode[] {
    return GATES.flatMap((key) => this.#entries(key)).flatMap((node) => {
      if (this.#used.has(node) || node.value === true) return [];
      if (node.slot?.parent.key === "checks" && node.value !== false) return [node];
      this.problems.add("warning", node.atKey, "it has no effect: the project has no such gate");
      return [];
    });
  }

  /** Reports what differs from the files of the team, so that each session of the user shows it once. */
  report(): void {
    if (this.root === undefined) return;
    const parts = [
      ...(this.#off.size === 0 ? [] : [`these gates do not run: ${[...this.#off].join(", ")}`]),
      ...(this.#changed.size === 0 ? [] : [`changed: ${[...this.#changed].join(", ")}`]),
    ];
    if (parts.length > 0)
      this.problems.add("warning", this.root, `on this machine only, ${parts.join("; ")}`);
  }

  #entries(key: string): readonly SourceNode[] {
    const node = this.root?.child(key);
    return node?.kind === "mapping" ? node.children : [];
  }
}

/** Returns a new tree. Keys of mappings are merged; of everything else, the second value counts. */
function overlay(
  team: SourceNode,
  own: SourceNode,
  slot?: Slot,
  skipped: readonly string[] = []
): SourceNode {
  if (team.kind !== "mapping" || own.kind !== "mapping") return copy(own, slot);
  const made = new SourceNode(team.source, "mapping", team.span, slot);
  const given = own.children.filter(({ key }) => !skipped.includes(key));
  const over = new Map(given.map((child) => [child.key, child]));
  for (const child of team.children) {
    const mine = over.get(child.key);
    if (mine === undefined) copy(child, inside(child, made));
    else overlay(child, mine, inside(mine, made));
    over.delete(child.key);
  }
  for (const child of over.values()) copy(child, inside(child, made));
  return made;
}

function copy(node: SourceNode, slot: Slot | undefined): SourceNode {
  const { source, kind, span, value, written } = node;
  const made = new SourceNode(source, kind, span, slot, value, written);
  for (const child of node.children) copy(child, inside(child, made));
  return made;
}

function inside({ slot, key }: SourceNode, parent: SourceNode): Slot {
  return { key, ...slot, parent };
}

/** Returns the definition that a value stands for: a scalar is a command. */
export function asDefinition(node: SourceNode): SourceNode {
  return node.kind === "scalar" ? single(node, "command", node.value) : node;
}

function single({ source, span }: SourceNode, key: string, value: unknown): SourceNode {
  const made = new SourceNode(source, "mapping", span, undefined);
  new SourceNode(source, "scalar", span, { parent: made, key }, value);
  return made;
}
