/**
 * Reads the commands of a project's GitHub workflows, because `init` prefers checks that a workflow runs (G29). To
 * compare, recognizes the kind and the tool of a shell command, and commands that never end.
 */
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { CHECK_KINDS, type CheckKind } from "@/cli/gauntlet/init/detect/types";
import { isBuildName, values, withoutLauncher } from "@/node/services/gauntlet/shell/programFacts";
import { namedScripts, type NamedScript } from "@/node/services/gauntlet/shell/scriptsAndTasks";
import { parseShellLine } from "@/node/services/gauntlet/shell/shellLine";

const WORKFLOWS = ".github/workflows";
/** Workflows and lines beyond these numbers are not read. */
const MAX_WORKFLOWS = 30;
const MAX_LINES = 500;

/** Matches the words of a command without its launcher, joined by spaces. */
const KNOWN: Readonly<Record<CheckKind, RegExp>> = {
  test: /^(?:(?:c8|nyc)(?: -\S+)* )?(?:vitest|jest|mocha|ava|tap|tape|borp|uvu|jasmine|node(?: -\S+)* --test|(?:bun|deno|go|dotnet|composer) test|gotestsum|cargo (?:test|nextest)|py\.?test|unittest|rspec|rake (?:test|spec)|(?:\S*\/)?(?:phpunit|pest)|(?:\S*\/)?(?:mvnw?|gradlew?)(?: \S+)* (?:test|check|verify)|react-scripts test)(?: |$)/,
  lint: /^(?:eslint|oxlint|xo|standard|tslint|stylelint|biome (?:ci|check|lint)|deno lint|ruff(?: check)?|flake8|pylint|golangci-lint|go vet|staticcheck|cargo clippy|rubocop|(?:\S*\/)?phpcs|shellcheck|pre-commit run|lefthook run)(?: |$)(?!format)/,
  format:
    /^(?:prettier|oxfmt|black|isort|cargo fmt|deno fmt|ruff format)(?= ).* (?:--check(?:-only)?|--diff|--list-different|-c|-l)(?: |$)|^(?:biome format(?!.* --write)|gofmt -\w*[ld]|dprint check|dotnet format .*--verify-no-changes)/,
  types:
    /^(?:tsc|vue-tsc|tsgo|mypy|pyright|basedpyright|ty check|pyrefly check|(?:\S*\/)?(?:phpstan|psalm)|svelte-check|flow check|cargo check)(?: |$)/,
};

/** Programs whose first word selects what they do. */
const WITH_VERB =
  /^(?:go|cargo|ruff|biome|mvnw?|gradlew?|dotnet|composer|rake|deno|bun|npm|pnpm|yarn|make|just|task|pre-commit|lefthook)$/;

/** Matches a command that waits for changes of files, so that it never ends. */
export const WATCHES =
  /(?:^|\s)(?:--watch(?:All)?(?:=true)?|watch)(?:\s|$)|\b(?:tsc|mocha|ava|vitest)\b[^;&|]{0,200}\s-w(?:\s|$)|(?:^|[\s;&|])(?:cargo-watch|watchexec|nodemon|chokidar|entr)(?:\s|$)/;

/** Returns the first kind of check that a line runs, if a tool of {@link KNOWN} does it. */
export function kindOf(line: string): CheckKind | undefined {
  const calls = callsIn(line).map((words) => words.join(" ").slice(0, 1_000));
  return CHECK_KINDS.find((kind) => calls.some((call) => KNOWN[kind].test(call)));
}

/** Returns the programs that a line runs, each with the word that selects what it does: `pytest`, `go test`. */
export function toolsIn(line: string): string[] {
  return callsIn(line).map(([program = "", ...args]) => {
    const name = program.slice(program.lastIndexOf("/") + 1);
    const words = args.filter((arg) => !/^[-{]|^run$/.test(arg));
    return WITH_VERB.test(name) ? `${name} ${words[0] ?? ""}`.trim() : name;
  });
}

/** Returns the programs of {@link toolsIn} that {@link KNOWN} contains. */
function knownToolsIn(line: string): string[] {
  const calls = parseShellLine(line)?.items ?? [];
  return calls.flatMap(({ text }) => (kindOf(text) === undefined ? [] : toolsIn(text)));
}

/** Returns the words of each program call in a line, without its launcher and the assignments before it. */
function callsIn(line: string): string[][] {
  return (parseShellLine(line)?.items ?? []).flatMap(({ group, words }) => {
    if (group !== undefined) return callsIn(group);
    const plain = words.filter(({ raw }) => !/^\w+=/.test(raw) && !/^(?:env|cross-env)$/.test(raw));
    return [values(withoutLauncher(plain))];
  });
}

/** The scripts and the tools that the workflows of a project run. */
export class Evidence {
  /** Scripts by their key of {@link namedScripts}, and tools of {@link KNOWN}, each with the name of a workflow. */
  readonly #found = new Map<string, { readonly workflow: string; readonly script?: NamedScript }>();

  private constructor(private readonly project: ProjectFolder) {}

  /** Reads the lines of the workflows. A line that runs in another folder, or that cannot be split, is ignored. */
  static async read(project: ProjectFolder): Promise<Evidence> {
    const evidence = new Evidence(project);
    const names = project.find(".github") === undefined ? [] : await project.list(WORKFLOWS);
    let left = MAX_LINES;
    for (const workflow of names.filter((one) => /\.ya?ml$/.test(one)).slice(0, MAX_WORKFLOWS)) {
      const lines = linesOf(await project.data(`${WORKFLOWS}/${workflow}`)).slice(0, left);
      left -= lines.length;
      for (const line of lines) {
        const scripts = await namedScripts(line, ".", project.scripts);
        for (const key of [...scripts.keys(), ...knownToolsIn(line)]) {
          if (evidence.#found.has(key)) continue;
          evidence.#found.set(key, { workflow, script: scripts.get(key) });
        }
      }
    }
    return evidence;
  }

  /** Returns the workflow that runs the command, by the same script or the same tool. */
  async workflowOf(command: string): Promise<string | undefined> {
    const [script] = (await namedScripts(command, ".", this.project.scripts)).keys();
    return this.#found.get(script ?? knownToolsIn(command)[0] ?? "")?.workflow;
  }

  /** Returns the names of these scripts with those first that a workflow runs, also ones without a usual name. */
  order(
    tool: "npm" | "make" | "just" | "task",
    kind: CheckKind,
    usual: readonly string[],
    textOf: (name: string) => string | undefined
  ): string[] {
    const run = [...this.#found.values()].flatMap(({ script }) =>
      script?.tool === tool && script.folder === "." ? (script.name ?? []) : []
    );
    const others = run.filter(
      (name) => !UNSUITABLE.test(name) && !isBuildName(name) && kindOf(textOf(name) ?? "") === kind
    );
    const known = usual.filter((name) => run.includes(name));
    return [...new Set([...known, ...others, ...usual])];
  }
}

/** Matches the names of scripts that need more than the project, or that change it. */
const UNSUITABLE =
  /(?:^|[:_-])(?:e2e|integration|browsers?|bench(?:mark)?|release|publish|deploy|fix|write|watch|update|ci)(?:$|[:_-])|^(?:pre|post)(?=[a-z])/;

/** Returns the lines of all steps that run in the root of the project. */
function linesOf(workflow: Readonly<Record<string, unknown>>): string[] {
  const hasFolder = (value: unknown): boolean =>
    Object.hasOwn(objectAt(value, "defaults", "run"), "working-directory");
  if (hasFolder(workflow)) return [];
  return Object.values(objectAt(workflow, "jobs")).flatMap((job) => {
    const { steps } = objectAt(job);
    if (!Array.isArray(steps) || hasFolder(job)) return [];
    return steps.flatMap((step: unknown) => {
      const { run, "working-directory": folder = "." } = objectAt(step);
      return typeof run === "string" && folder === "."
        ? run.replaceAll("\\\n", " ").split("\n")
        : [];
    });
  });
}
