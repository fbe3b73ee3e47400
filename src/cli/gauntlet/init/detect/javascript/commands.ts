/** The checks of one package: its scripts, else the usual commands of its installed tools. */
import { WATCHES, type Evidence } from "@/cli/gauntlet/init/detect/evidence";
import { javascriptFix } from "@/cli/gauntlet/init/detect/fixes";
import type { PackageJson } from "@/cli/gauntlet/init/detect/javascript/packageJson";
import type { PackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { CHECK_KINDS, type CheckKind, type Suggestion } from "@/cli/gauntlet/init/detect/types";

/** Names of scripts in the order of preference. */
const SCRIPTS: Readonly<Record<CheckKind, readonly string[]>> = {
  test: ["test", "test:unit", "unit"],
  lint: ["lint", "lint:check", "eslint"],
  format: ["format:check", "format-check", "fmt:check", "check:format", "prettier:check"],
  types: ["typecheck", "type-check", "check-types", "check:types", "types", "tsc"],
};

/** The script that `npm init` writes. */
const NO_TEST = "no test specified";
/** A script that ends only with `CI`. */
const ENDS_IN_CI =
  /^(?!.*\bCI=)(?!.*--watchAll[= ]false).*\b(?:react-scripts|react-app-rewired|craco) test\b/;

/** Returns the name of the script for that kind, or undefined if there is none that ends by itself. */
export function findScript(
  kind: CheckKind,
  { scripts }: PackageJson,
  evidence?: Evidence
): string | undefined {
  const names = evidence?.order("npm", kind, SCRIPTS[kind], (name) => scripts.get(name));
  return (names ?? SCRIPTS[kind]).find((name) => {
    const command = scripts.get(name);
    return command !== undefined && !command.includes(NO_TEST) && !WATCHES.test(command);
  });
}

export function suggestScripts(
  pack: PackageJson,
  { name: tool, run, exec }: PackageManager,
  evidence?: Evidence,
  entryPoint = "."
): Suggestion[] {
  return CHECK_KINDS.flatMap((kind): Suggestion[] => {
    const script = findScript(kind, pack, evidence);
    if (script === undefined) return [];
    const reason = `package.json has "${script}"`;
    // Scripts of several members may have the same name and run different tools.
    const repair =
      entryPoint === "." ? javascriptFix(pack.scripts.get(script) ?? "", exec) : undefined;
    const [program = ""] = run(script).split(" ", 1);
    const ends = ENDS_IN_CI.test(pack.scripts.get(script)?.slice(0, 1_000) ?? "") ? "CI=1 " : "";
    const command = `${ends}${run(script)}`;
    return [{ kind, tool, command, program, repair, reason, entryPoint, origin: "script" }];
  });
}

interface ToolRow {
  readonly kind: CheckKind;
  readonly tool: string;
  readonly line: string;
  /** Matches a configuration file in the root of the project. */
  readonly config: RegExp;
}

const TOOLS: readonly ToolRow[] = [
  { kind: "types", tool: "typescript", line: "tsc --noEmit", config: /^tsconfig\.json$/ },
  { kind: "lint", tool: "eslint", line: "eslint .", config: /^(?:eslint\.config\.|\.eslintrc)/ },
  { kind: "lint", tool: "@biomejs/biome", line: "biome ci", config: /^biome\.jsonc?$/ },
  { kind: "lint", tool: "oxlint", line: "oxlint", config: /^\.oxlintrc\.json$/ },
  { kind: "format", tool: "prettier", line: "prettier --check .", config: /^\.?prettier/ },
  { kind: "format", tool: "oxfmt", line: "oxfmt --check", config: /^\.oxfmtrc\.jsonc?$/ },
  { kind: "test", tool: "vitest", line: "vitest run", config: /^(?:vitest|vite)\.config\./ },
  { kind: "test", tool: "jest", line: "jest", config: /^jest\.config\./ },
];

/** Suggests the tools that are installed and configured, for the kinds without a script. */
export function suggestTools(
  pack: PackageJson,
  { exec }: PackageManager,
  evidence: Evidence,
  match: (config: RegExp) => string | undefined
): Suggestion[] {
  const kinds = new Set<CheckKind>(CHECK_KINDS.filter((kind) => findScript(kind, pack, evidence)));
  return TOOLS.flatMap(({ kind, tool, line, config }): Suggestion[] => {
    const file = match(config);
    if (kinds.has(kind) || file === undefined || !pack.dependencies.has(tool)) return [];
    kinds.add(kind);
    const reason = `${tool} is a dependency, and ${file} exists`;
    const repair = javascriptFix(line, exec);
    return [{ kind, tool, command: exec(line), repair, reason, entryPoint: ".", origin: "script" }];
  });
}
