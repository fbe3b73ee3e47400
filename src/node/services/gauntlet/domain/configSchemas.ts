/**
 * Defines the keys of the configuration files (G4). Each key has one row: its schema with the text about the expected
 * value, its default, and whether the user is shown a change of it. Types and JSON Schemas follow from the rows.
 *
 * A key without a value counts as absent. `noEffect` keys are accepted because the original tool, an older program,
 * has them. All schemas use zod/mini, because the full zod takes as long to load as the rest of a run that has nothing
 * to do.
 */
import { tryOr } from "@/common/errors";
import picomatch from "picomatch";
import * as z from "zod/mini";
import { configuredReport, REPORT_FILES } from "@/node/services/gauntlet/domain/runReportFormats";
import { PRIORITIES } from "@/node/services/gauntlet/domain/reviewViolations";
import { MINUTES } from "@/node/services/gauntlet/messages/shared";

/** `run_in_ci` → `runInCi` */
type Camel<Key> = Key extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Key;
type Frozen<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** The values of a section for the program: without keys that have no effect, and without null. */
type Read<Fields> = {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? never : Camel<Key>]: Frozen<
    Fields[Key]
  >;
} & {
  readonly [
    Key in keyof Fields as undefined extends Fields[Key]
      ? Fields[Key] extends undefined
        ? never
        : Camel<Key>
      : never
  ]?: Frozen<Fields[Key]>;
};

/** Returns the schema of a mapping with these keys, which reads them in camel case. */
export function section<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  expected = "expected a mapping"
) {
  const mapping = z.object(shape, expected);
  return z.pipe(
    mapping,
    z.transform((fields: z.output<typeof mapping>) => {
      const given = Object.entries(fields).filter(([, value]) => value != null);
      return Object.fromEntries(given.map(([key, value]) => [camelCase(key), value])) as Read<
        z.output<typeof mapping>
      >;
    })
  );
}

function camelCase(key: string): string {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the schema of a key that may be absent. */
export function optional<Schema extends z.ZodMiniType, Default = undefined>(
  schema: Schema,
  otherwise?: Default
) {
  const read = (value: z.output<Schema> | null | undefined) =>
    (value ?? otherwise) as NonNullable<z.output<Schema>> | Default;
  return z.pipe(z.nullish(schema), z.transform(read));
}

/** Returns the schema of a section that may be absent. Its keys then have their defaults. */
function subsection<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const schema = section(shape);
  return optional(schema, schema.parse({}, { jitless: true }));
}

const quietKeys = new WeakSet<z.ZodMiniType>();

/** Marks a key of a check whose change is not shown to the user (G20d). Every change of a review is shown. */
function quiet<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  quietKeys.add(schema);
  return schema;
}

export const noEffect = quiet(
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform(() => undefined)
    )
  )
);
const flag = <Default = undefined>(otherwise?: Default) =>
  optional(z.boolean("expected true or false"), otherwise);
const text = (what: string) =>
  z
    .string(`expected ${what}`)
    .check(z.refine((value) => value.trim() !== "" && !value.includes("\0"), `expected ${what}`));
const texts = (what: string) => z.array(text("text"), `expected a list of ${what}`);
const shell = text("a shell command");
const whole = (expected: string, least: number, most = Number.MAX_SAFE_INTEGER) =>
  z
    .int(`expected ${expected}`)
    .check(z.minimum(least, `expected ${expected}`), z.maximum(most, `expected ${expected}`));
const count = (least: number) => whole(`a whole number of at least ${least}`, least);
const positive = (expected: string) =>
  z.number(`expected ${expected}`).check(z.positive(`expected ${expected}`));
const globs = z.array(
  text("a glob").check(z.refine(isGlob, "expected a glob")),
  "expected a list of globs"
);
const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, `expected one of ${values.join(", ")}`);

/** Larger limits are reduced to a day: a very large one would overflow the timer and end the gate at once. */
const MAX_TIMEOUT_S = 86_400;
const seconds = z.pipe(
  positive("a number of seconds greater than 0"),
  z.transform((value: number) => Math.min(value, MAX_TIMEOUT_S))
);
/** The default limit in seconds (G11, G12a). */
const DEFAULT_TIMEOUT_S = 300;
/** Each retry costs the time of the check. */
const MAX_RETRIES = 5;

/** The keys of a check (G4). */
export const checkKeys = {
  command: shell,
  /** Used instead of `command` from the second run of an episode on. */
  rerun_command: quiet(optional(shell)),
  /** Relative to the project root; the default is the folder of the entry point. */
  working_directory: quiet(optional(text("a folder"))),
  /** Globs of the files that the check reads, for the cache (G21). */
  inputs: quiet(optional(globs)),
  /** How often it runs again, alone, after it failed within its time limit (G36). Absent: never. */
  retries: quiet(optional(whole(`a whole number from 0 to ${MAX_RETRIES}`, 0, MAX_RETRIES))),
  /** It looks at commits as well, so it is due if HEAD changed since its pass. */
  reads: quiet(optional(z.enum(["history"], "expected history"))),
  /** Used instead of `command` if that does not see a change (G32, G33). */
  full: optional(shell),
  /** Repairs what the command rejects, before the gates run (G35). */
  fix: quiet(optional(shell)),
  fix_scope: quiet(optional(z.enum(["files", "all"], "expected files or all"))),
  /** Globs of the files for `{files}` and `{files0}` (G32). */
  files: optional(globs),
  /** Globs: the check is due only if a changed file matches one (G32). */
  when: optional(globs),
  /** Where its findings are (G37). `readFindings` reads it. */
  findings: quiet(z.nullish(z.any())),
  parallel: quiet(flag(false)),
  /** For sequential checks only: after a failure, sequential jobs that have not started are skipped. */
  fail_fast: quiet(flag(false)),
  /** The program uses the values as they are written. */
  env: quiet(
    optional(
      z.record(
        z.string().check(z.regex(/^[^=\0]+$/, "expected the name of a variable")),
        z.union([text("text"), z.literal(""), z.number(), z.boolean()], "expected text"),
        "expected a mapping of names to values"
      )
    )
  ),
  /** Keys of models that it gets from the environment; others are withheld (G11). */
  pass_env: quiet(optional(texts("names of variables"))),
  run_in_ci: quiet(flag(true)),
  run_locally: flag(true),
  timeout: quiet(optional(seconds, DEFAULT_TIMEOUT_S)),
  name: noEffect,
  fix_instructions: noEffect,
  fix_instructions_file: noEffect,
  fix_with_skill: noEffect,
};
export const checkSchema = section(checkKeys, "expected a definition, as in `command: npm test`");

/** Returns the keys of a check, other than `command`, whose changes are shown to the user (G20d). */
export function shownKeys(
  keys: Readonly<Record<string, z.ZodMiniType>>
): { key: string; field: string; otherwise: unknown }[] {
  return Object.entries(keys).flatMap(([key, schema]) =>
    key === "command" || quietKeys.has(schema)
      ? []
      : [{ key, field: camelCase(key), otherwise: schema.safeParse(undefined).data }]
  );
}

/** The programs of the known reviewers, by their names in configurations (G12a). */
export const REVIEWER_PROGRAMS = {
  claude: "claude",
  codex: "codex",
  gemini: "gemini",
  "github-copilot": "copilot",
  cursor: "agent",
  opencode: "opencode",
  qwen: "qwen",
} as const;

/** The keys of a review (G4, G12). */
const reviewKeys = {
  cli_preference: optional(texts("names of reviewers")),
  model: optional(text("the name of a model")),
  num_reviews: optional(count(1), 1),
  /** `alongside`: it starts together with the checks of its entry point. Absent: after they passed (G41). */
  after: optional(z.enum(["checks", "alongside"])),
  parallel: flag(true),
  enabled: flag(true),
  run_in_ci: flag(true),
  run_locally: flag(true),
  timeout: optional(seconds, DEFAULT_TIMEOUT_S),
  name: noEffect,
  cli_tool: noEffect,
  fail_fast: noEffect,
  ignore_pattern: noEffect,
  include_context: noEffect,
  include_full_repo: noEffect,
  fail_pattern: noEffect,
  pass_pattern: noEffect,
  prompt_file: noEffect,
  skill_name: noEffect,
};
export const reviewSchema = section(reviewKeys);
export const inlineReviewSchema = section({
  ...reviewKeys,
  builtin: oneOf(["code-quality", "security", "error-handling", "test-integrity"]),
});

export const entryPointSchema = section(
  {
    /** As written: `.`, a folder, `packages/*`. */
    path: text("a folder in the project, or a glob for folders").check(
      z.refine(isInside, "expected a path inside the project")
    ),
    exclude: optional(globs, [] as string[]),
    /** Paths of other entry points, as written. Absent: as the packages of a workspace state (G34). */
    depends_on: optional(texts("paths of entry points")),
    checks: optional(z.array(z.unknown(), "expected a list of checks, as in `[lint, test]`")),
    reviews: optional(z.array(z.unknown(), "expected a list of reviews, as in `[security]`")),
  },
  "expected an entry point, as in `- path: src`"
);

const REPORT = `${Object.keys(REPORT_FILES).join(", ")}, or one of them with a file of the project, such as junit=reports/junit.xml`;
const NO_COMMANDS: Readonly<Record<string, string>> = {};
const BRANCH = "the name of a branch";
export const ENTRY_POINTS = "expected a list of at least one entry point, as in `- path: src`";

const stopHook = {
  enabled: flag(),
  verify_fixes: flag(),
  auto_push_pr: noEffect,
  auto_fix_pr: noEffect,
};

/** The keys of `.gauntlet/config.yml` (G4). */
export const configSchema = section({
  base_branch: optional(
    text(BRANCH).check(z.refine((name) => !name.startsWith("-"), `expected ${BRANCH}`))
  ),
  /** Relative to the project root, and inside it. Absent: the default (G15). */
  log_dir: optional(text("a folder in the project")),
  allow_parallel: flag(true),
  /** Absent: the number of cores. */
  max_parallel: optional(count(1)),
  /** Number of runs allowed after the first. */
  max_retries: optional(count(0), 3),
  /** Maximum size of the reason for an agent, in tokens. The default is that of the reason (G37). */
  reason_budget: optional(whole("a number of tokens from 300 to 2000", 300, 2_000)),
  /** The reports that each run and stop writes (G50). Absent: none. */
  report: optional(
    z.array(
      text(REPORT).check(
        z.refine((value) => configuredReport(value) !== undefined, `expected ${REPORT}`)
      ),
      "expected a list of reports, as in `[html]`"
    )
  ),
  rerun_new_issue_threshold: optional(oneOf(PRIORITIES), "high" as const),
  cli: subsection({
    default_preference: optional(texts("names of reviewers"), [] as string[]),
    check_usage_limit: flag(),
    /** Shell commands of the user's own reviewers, by name. */
    commands: optional(
      z.record(z.string(), shell, "expected a mapping of names to shell commands"),
      NO_COMMANDS
    ),
    adapters: noEffect,
  }),
  debug_log: subsection({
    enabled: flag(false),
    max_size_mb: optional(positive("a number greater than 0"), 10),
  }),
  /** The project's settings of the hook. The user's own file and variables are separate (G6). */
  stop_hook: subsection({ ...stopHook, run_interval_minutes: noEffect }),
  /** Globs of files, such as lock files, that concern every folder of every entry point. */
  global_dependencies: optional(globs, [] as string[]),
  /** Names with a command, with a definition, or with nothing for the gate of a file. */
  checks: optional(z.record(z.string(), z.unknown(), "expected a mapping, as in `test: npm test`")),
  entry_points: z.optional(z.array(z.unknown(), ENTRY_POINTS).check(z.minLength(1, ENTRY_POINTS))),
  fail_fast: noEffect,
  parallel: noEffect,
  logging: noEffect,
  max_previous_logs: noEffect,
});

/** The keys of the user's own file for all projects (G6). */
export const globalConfigSchema = section({
  stop_hook: subsection({
    ...stopHook,
    fix: flag(),
    run_interval_minutes: optional(
      z.number(`expected ${MINUTES}`).check(z.nonnegative(`expected ${MINUTES}`))
    ),
  }),
  debug_log: noEffect,
  logging: noEffect,
});

function isInside(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..") && isGlob(path);
}

/** picomatch throws on longer globs. */
const MAX_GLOB_CHARS = 4_096;

function isGlob(glob: string): boolean {
  if (glob.length > MAX_GLOB_CHARS) return false;
  if (/^[\w./-]*$/.test(glob)) return true; // Most globs are plain paths, which need no compilation.
  return tryOr(() => picomatch(glob), undefined) !== undefined;
}
