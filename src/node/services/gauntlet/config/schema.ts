/**
 * The shapes of the configuration files (§2, G4). A message says what is expected; what was found is added where it
 * is told. A key without a value counts as absent. `noEffect` keys are those of the existing tool.
 */
import picomatch from "picomatch";
import * as z from "zod";

const BUILTIN_REVIEWS = ["code-quality", "security", "error-handling", "test-integrity"] as const;

const PRIORITIES = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** A limit above a day would overflow the timer and end the gate at once. */
const MAX_TIMEOUT_S = 86_400;
/** picomatch refuses longer ones with an exception. */
const LONGEST_PATH = 4_096;

const flag = z.boolean("expected true or false").nullish();
const noEffect = z.unknown().optional();
const text = (what: string) =>
  z
    .string(`expected ${what}`)
    .refine((value) => value.trim() !== "" && !value.includes("\0"), `expected ${what}`);
const count = (least: number) =>
  z
    .int(`expected a whole number from ${least}`)
    .min(least, `expected a whole number from ${least}`);
const texts = (what: string) => z.array(text("text"), `expected a list of ${what}`);
const seconds = z
  .number("expected a number of seconds above 0")
  .positive("expected a number of seconds above 0")
  .transform((value) => Math.min(value, MAX_TIMEOUT_S));
const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object(shape, "expected keys with values");

const stopHook = {
  enabled: flag,
  verify_fixes: flag,
  auto_push_pr: noEffect,
  auto_fix_pr: noEffect,
};

export const configSchema = section({
  base_branch: text("the name of a branch")
    .refine((name) => !name.startsWith("-"), "expected the name of a branch")
    .nullish(),
  log_dir: text("a folder of the project").nullish(),
  allow_parallel: flag,
  max_parallel: count(1).nullish(),
  max_retries: count(0).nullish(),
  rerun_new_issue_threshold: z
    .enum(PRIORITIES, `expected one of ${PRIORITIES.join(", ")}`)
    .nullish(),
  cli: section({
    default_preference: texts("names of reviewers").nullish(),
    check_usage_limit: flag,
    commands: z
      .record(z.string(), text("a shell command"), "expected names with shell commands")
      .nullish(),
    adapters: noEffect,
  }).nullish(),
  debug_log: section({
    enabled: flag,
    max_size_mb: z
      .number("expected a number above 0")
      .positive("expected a number above 0")
      .nullish(),
  }).nullish(),
  stop_hook: section({ ...stopHook, run_interval_minutes: noEffect }).nullish(),
  entry_points: z.array(z.unknown(), "expected a list of entry points, as in `- path: src`"),
  fail_fast: noEffect,
  parallel: noEffect,
  logging: noEffect,
  max_previous_logs: noEffect,
});

/** The person's own file (G6). */
export const globalConfigSchema = section({
  stop_hook: section({
    ...stopHook,
    run_interval_minutes: z
      .number("expected a number of minutes from 0")
      .nonnegative("expected a number of minutes from 0")
      .nullish(),
  }).nullish(),
  debug_log: noEffect,
  logging: noEffect,
});

export const entryPointSchema = z.object(
  {
    path: text("a folder of the project, or a glob of folders").refine(
      isInside,
      "expected a path that stays in the project"
    ),
    exclude: z
      .array(text("a glob").refine(isGlob, "expected a glob"), "expected a list of globs")
      .nullish(),
    checks: z.array(z.unknown(), "expected a list of checks, as in `[lint, test]`").nullish(),
    reviews: z.array(z.unknown(), "expected a list of reviews, as in `[security]`").nullish(),
  },
  "expected an entry point, as in `- path: src`"
);

const gate = { run_in_ci: flag, run_locally: flag, parallel: flag, timeout: seconds.nullish() };

const definition = "expected a definition, as in `command: npm test`";
export const checkSchema = z.object(
  {
    ...gate,
    command: text("a shell command"),
    rerun_command: text("a shell command").nullish(),
    working_directory: text("a folder").nullish(),
    fail_fast: flag,
    env: z
      .record(
        z.string().regex(/^[^=\0]+$/, "expected the name of a variable"),
        z.union([text("text"), z.literal(""), z.number(), z.boolean()], "expected text"),
        "expected names with values"
      )
      .nullish(),
    inputs: z
      .array(text("a glob").refine(isGlob, "expected a glob"), "expected a list of globs")
      .nullish(),
    name: noEffect,
    fix_instructions: noEffect,
    fix_instructions_file: noEffect,
    fix_with_skill: noEffect,
  },
  definition
);

export const reviewSchema = section({
  ...gate,
  enabled: flag,
  cli_preference: texts("names of reviewers").nullish(),
  num_reviews: count(1).nullish(),
  model: text("the name of a model").nullish(),
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
});

export const inlineReviewSchema = reviewSchema.extend({
  builtin: z.enum(BUILTIN_REVIEWS, `expected one of ${BUILTIN_REVIEWS.join(", ")}`),
});

function isInside(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..") && isGlob(path);
}

function isGlob(glob: string): boolean {
  if (glob.length > LONGEST_PATH) return false;
  try {
    picomatch(glob);
    return true;
  } catch {
    return false;
  }
}
