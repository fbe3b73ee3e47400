/**
 * Knows facts about the programs of a command line: launchers, calls of package.json scripts and of Make targets,
 * programs that write files, and those that end at their first failure, with the command that runs to the end instead
 * (G46). Used to examine the commands of checks, and by `init` to find checks.
 */
import type { ShellWord } from "@/node/services/gauntlet/shell/shellLine";

/** How a command of a package manager selects a script of package.json. */
export type ScriptCall =
  | { readonly kind: "script"; readonly name: string; readonly extra: string }
  /** The script of each package. `fixed` is a command that runs all of them; absent if this one does. */
  | { readonly kind: "packages"; readonly fixed: string | undefined };

/** Returns the values of the words, "" for one that the shell would replace. */
export const values = (words: readonly ShellWord[]): string[] =>
  words.map(({ value }) => value ?? "");

export const joined = (words: readonly ShellWord[]): string =>
  words.map(({ raw }) => raw).join(" ");

/** Returns the words before `--`. */
function beforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
}

const MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const TEST_NAMES = new Set(["test", "t", "tst"]);
const QUIET = /^(?:-s|-q|--silent|--quiet|--if-present|--loglevel=\w{1,10})$/;

/** Returns how a command runs scripts of package.json, or undefined if it runs none that is known. */
export function scriptCall(
  words: readonly ShellWord[],
  scripts: ReadonlyMap<string, string>
): ScriptCall | undefined {
  const [program = "", ...args] = values(words);
  if (!MANAGERS.has(program)) return undefined;
  const packages = packagesCall(program, beforeDashes(args), words);
  if (packages !== undefined) return packages;
  let at = 0;
  while (QUIET.test(args[at] ?? "")) at++;
  const verb = args[at] ?? "";
  const isRun = verb === "run" || (program === "npm" && /^(?:run-script|rum|urn)$/.test(verb));
  if (isRun) {
    at++;
    while (QUIET.test(args[at] ?? "")) at++;
  }
  const word = args[at] ?? "";
  const isTest = !isRun && program !== "bun" && TEST_NAMES.has(word);
  const name = isTest ? "test" : word;
  const isShort = program === "pnpm" || program === "yarn";
  if (!(isRun || isTest || isShort) || !scripts.has(name)) return undefined;
  while (program === "npm" && QUIET.test(args[at + 1] ?? "")) at++;
  const rest = words.slice(at + 2);
  const extra = joined(rest[0]?.value === "--" ? rest.slice(1) : rest);
  // npm keeps options without `--` for itself.
  const isPassed = program !== "npm" || rest.length === 0 || rest[0]?.value === "--";
  return isPassed ? { kind: "script", name, extra } : undefined;
}

function packagesCall(
  program: string,
  args: readonly string[],
  words: readonly ShellWord[]
): ScriptCall | undefined {
  const at = args.findIndex((arg) => arg === "-r" || arg === "--recursive");
  // Behind the name of a program or a script, it is an option of that.
  const isBefore = (arg: string, i: number): boolean =>
    /^(?:-.*|run|exec|test)$/.test(arg) || /^(?:-F|--filter|-C|--dir)$/.test(args[i - 1] ?? "");
  if (program === "pnpm" && at !== -1 && args.slice(0, at).every(isBefore)) {
    const isWhole = args.includes("--no-bail");
    const flagged = [joined(words.slice(0, at + 2)), "--no-bail", joined(words.slice(at + 2))];
    return { kind: "packages", fixed: isWhole ? undefined : flagged.join(" ").trim() };
  }
  // npm runs the script of every package, also after a failure.
  const isAll = args.some((arg) => /^(?:-ws|--workspaces)$/.test(arg));
  return program === "npm" && isAll ? { kind: "packages", fixed: undefined } : undefined;
}

/** Expressions for words that only start the program after them. */
const LAUNCHERS: readonly RegExp[] = [
  /^(?:npx|bunx)(?: (?:--no-install|--no|--yes|-y|--bun))* /,
  /^(?:npm|pnpm) exec (?:-- )?/,
  /^yarn (?:run |exec )?/,
  /^(?:\S{0,300}\/)?python[\d.]{0,6} -m /,
  /^coverage run (?:--?[\w-]{1,30}(?:=\S{1,200})? )*-m /,
  /^(?:bundle exec|poetry run|pdm run|pipenv run|hatch run|uv run(?: --no-sync| --frozen)*|exec|time) /,
];

/** Returns the words from the program on that does the work. */
export function withoutLauncher(words: readonly ShellWord[]): readonly ShellWord[] {
  let rest = words;
  for (let i = 0; i < 3; i++) {
    const text = `${values(rest.slice(0, 6)).join(" ")} `;
    const match = LAUNCHERS.map((one) => one.exec(text)?.[0]).find((found) => found !== undefined);
    const count = match?.trim().split(" ").length ?? rest.length;
    if (count >= rest.length) break;
    rest = rest.slice(count);
  }
  return rest;
}

/**
 * Programs that end at their first failure unless they get a flag, which is added at the end or before `--`. `when` and
 * `unless` match the other words, joined by spaces.
 */
const FLAGS: readonly (readonly [program: RegExp, flag: string, when: RegExp, unless: RegExp])[] = [
  [
    /^cargo$/,
    "--no-fail-fast",
    /^(?:\+\S+ )?(?:t|test|nextest run)(?: |$)/,
    // One binary only.
    /(?:^| )(?:--no-fail-fast|--lib|--doc|--test[ =]\S+|--bin[ =]\S+|--no-run)(?: |$)/,
  ],
  [
    /^(?:\S*\/)?mvnw?$/,
    "-fae",
    /(?:^| )(?:test|verify|package|install|integration-test|compile)(?: |$)/,
    /(?:^| )(?:-fae|-fn|--fail-at-end|--fail-never)(?: |$)/,
  ],
  [/^(?:\S*\/)?gradlew?$/, "--continue", /\S/, /(?:^| )--(?:no-)?continue(?: |$)/],
  [/^turbo$/, "--continue", /^\S/, /(?:^| )--continue(?:=\S+)?(?: |$)/],
  [/^lerna$/, "--no-bail", /^(?:run|exec)(?: |$)/, /(?:^| )--no-bail(?: |$)/],
];

/** Flags by which a program ends at its first failure. */
const BAIL =
  /^(?:--exitfirst|--?failfast|--stop-on-(?:failure|error|defect)|--nxBail|--no-continue)$/;
const BAIL_COUNT = /^--(?:bail|maxfail|fail-fast|max-failures)(?:=(?!0$|false$)\w+)?$/;
/** Matches a program and such a flag of one letter, which may be in a word with others: `-xvs`. */
const SHORT_BAIL =
  /((?:^|\/)(?:(?:pytest|py\.test) -[hlqsvV]*(?=x)|unittest -[bcqv]*(?=f)|playwright -(?=x$)|(?:jest|mocha) -(?=b$)))\w/;

/** Returns the command that does not end at its first failure, or undefined if this one does not. */
export function withoutEarlyEnd(
  words: readonly ShellWord[]
): { readonly command: string; readonly why: string } | undefined {
  const kept = withoutBail(words);
  const tool = withoutLauncher(kept);
  const [program = "", ...args] = values(tool);
  const text = beforeDashes(args).join(" ");
  const row = FLAGS.find(
    ([name, , when, unless]) => name.test(program) && when.test(text) && !unless.test(text)
  );
  if (row !== undefined) {
    const [, flag] = row;
    const end = kept.findIndex(({ value }, i) => value === "--" && i >= kept.length - tool.length);
    const [before, after] = end === -1 ? [kept, []] : [kept.slice(0, end), kept.slice(end)];
    const command = `${joined(before)} ${flag} ${joined(after)}`.trim();
    return { command, why: `${program} ends at its first failure without ${flag}` };
  }
  const removed = words.filter((word) => !kept.includes(word));
  if (removed.length === 0) return undefined;
  return { command: joined(kept), why: `${joined(removed)} ends ${program} at its first failure` };
}

function withoutBail(words: readonly ShellWord[]): readonly ShellWord[] {
  const program = withoutLauncher(words)[0]?.value ?? "";
  return words.flatMap((word, i) => {
    const { value = "" } = word;
    const before = words[i - 1]?.value ?? "";
    // `--bail 1`, `--maxfail 1`
    if (/^[1-9]\d{0,5}$/.test(value) && BAIL_COUNT.test(before) && !before.includes("=")) return [];
    if (BAIL_COUNT.test(value)) return words[i + 1]?.value === "0" ? word : [];
    const left = `${program} ${value}`.replace(SHORT_BAIL, "$1").slice(program.length + 1);
    if (left === value) return BAIL.test(value) ? [] : word;
    return left === "-" ? [] : { raw: left, value: left };
  });
}

/** Programs that run several things, of which they may leave out some after a failure. */
const UNKNOWN =
  /^(?:tox|nox)(?: |$)|^yarn workspaces |^concurrently .*(?<= )(?:-k|--kill-others(?:-on-fail)?)(?: |$)/;
/** Runs of these programs for one environment only, or with a flag for all. */
const UNKNOWN_UNLESS =
  /^tox(?: \S+)* -e ?[\w.-]+(?: |$)|^nox(?: \S+)* (?:-s|--session) [\w.-]+$|^nox(?: \S+)* -?-no-stop-on-first-error/;
/** Programs that run several things, all of them. */
const WHOLE =
  /^(?:go (?:test|vet)|pre-commit run|lefthook run|nx (?:run-many|affected)|dotnet test|concurrently)(?: |$)/;

/** Returns whether the program runs several things, and all of them also after a failure. */
export function isWhole(words: readonly ShellWord[]): boolean {
  return WHOLE.test(values(withoutLauncher(words)).slice(0, 2).join(" "));
}

/** Returns whether it is not known what the program leaves out after a failure. */
export function isUnknown(words: readonly ShellWord[]): boolean {
  const text = values(withoutLauncher(words)).join(" ").slice(0, 1_000);
  const direct = values(words).slice(0, 3).join(" ");
  return (UNKNOWN.test(text) || UNKNOWN.test(`${direct} `)) && !UNKNOWN_UNLESS.test(text);
}

/** Returns the scripts that a name of npm-run-all selects, which may be a pattern such as `lint:*`. */
export function matchingScripts(pattern: string, names: Iterable<string>): string[] {
  if (!pattern.includes("*")) return [pattern];
  // A start with another `*` is that of no script.
  const start = pattern.replace(/\*{1,2}$/, "");
  const isDeep = pattern.endsWith("**");
  return [...names].filter(
    (name) => name.startsWith(start) && (isDeep || !name.slice(start.length).includes(":"))
  );
}

const MAKES_FILES =
  /^(?:rm|rimraf|mkdir|cp|mv|ln|touch|shx|del|del-cli|cpy|copyfiles|tsup|tsdown|rollup|webpack|esbuild|unbuild|ncc|napi|prisma|graphql-codegen|openapi-typescript|babel|swc)(?: |$)|^[\w.-]+ build(?: |$)/;
const BUILD_NAME =
  /^(?:build|compile|bundle|transpile|dist|generate|codegen|gen|clean|prepare|install|deps|node_modules|init|setup|bootstrap|download|vendor|tools|tidy)(?:$|[:_-])/;

/** Returns whether a name is the usual one of a script or a target that writes files for others. */
export function isBuildName(name: string): boolean {
  return BUILD_NAME.test(name.replace(/^(?:pre|post)(?=[a-z])/, ""));
}

/** Returns the targets that make gets, without options and their numbers (`-j 4`), and without variables. */
export function makeTargets(args: readonly string[]): string[] {
  return args.filter((arg) => !/^-|=|^[\d.]+$/.test(arg));
}

/** Returns whether later commands need what this one writes. */
export function writesFiles(words: readonly ShellWord[], compiles: boolean): boolean {
  const text = values(withoutLauncher(words)).join(" ").slice(0, 1_000);
  if (/^(?:vue-)?tsc(?: |$)/.test(text)) return compiles && !/ --noEmit(?: |$)/.test(text);
  return MAKES_FILES.test(text);
}

/** Programs that a shell finds without the folder of installed packages. */
const SYSTEM =
  /^(?:node|npm|npx|pnpm|yarn|bun|bunx|deno|make|gmake|just|task|sh|bash|zsh|env|exec|time|command|python[\d.]*|pip\d?|uv|uvx|poetry|pytest|tox|nox|ruff|mypy|ruby|bundle|rake|go|gofmt|cargo|rustup|java|javac|mvn|gradle|dotnet|php|composer|docker|git|test|\[|echo|printf|true|false|exit|rm|cp|mv|ln|mkdir|touch|cat|grep|sed|awk|find|xargs|diff|curl|wget|sleep|ls|chmod|pre-commit)$/;

export function isSystemProgram(program: string): boolean {
  return SYSTEM.test(program) || program.includes("/");
}
