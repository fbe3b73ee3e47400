/**
 * The schemas of the configuration files (G4). A message describes the expected value; the code that reports it
 * adds the value that was found. A key without a value counts as absent. `noEffect` keys are accepted because
 * the existing tool has them.
 *
 * Uses zod/mini, as all schemas do: the full zod takes as long to load as the rest of a run that has nothing to do.
 */
import picomatch from "picomatch";
import * as z from "zod/mini";
import { configuredReport, REPORT_FILES } from "@/node/services/gauntlet/domain/reports";
import { PRIORITIES } from "@/node/services/gauntlet/domain/review";
import { MINUTES } from "@/node/services/gauntlet/messages/shared";

const BUILTIN_REVIEWS = ["code-quality", "security", "error-handling", "test-integrity"] as const;

/** Larger limits are reduced to a day: a very large one would overflow the timer and end the gate at once. */
const MAX_TIMEOUT_S = 86_400;
/** picomatch throws on longer globs. */
const MAX_GLOB_CHARS = 4_096;

const flag = z.nullish(z.boolean("expected true or false"));
const noEffect = z.optional(z.unknown());
const text = (what: string) =>
  z
    .string(`expected ${what}`)
    .check(z.refine((value) => value.trim() !== "" && !value.includes("\0"), `expected ${what}`));
/** Each retry costs the time of the check. */
const MAX_RETRIES = 5;
const RETRIES = `expected a whole number from 0 to ${MAX_RETRIES}`;
const count = (least: number) =>
  z
    .int(`expected a whole number of at least ${least}`)
    .check(z.minimum(least, `expected a whole number of at least ${least}`));
const texts = (what: string) => z.array(text("text"), `expected a list of ${what}`);
const seconds = z.pipe(
  z
    .number("expected a number of seconds greater than 0")
    .check(z.positive("expected a number of seconds greater than 0")),
  z.transform((value: number) => Math.min(value, MAX_TIMEOUT_S))
);
const globs = z.nullish(
  z.array(text("a glob").check(z.refine(isGlob, "expected a glob")), "expected a list of globs")
);
const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object(shape, "expected a mapping");

const stopHook = {
  enabled: flag,
  verify_fixes: flag,
  auto_push_pr: noEffect,
  auto_fix_pr: noEffect,
};

/** A name with a command, with a definition, or with nothing for the gate of a file. */
const gates = z.nullish(
  z.record(z.string(), z.unknown(), "expected a mapping, as in `test: npm test`")
);

const REPORT = `expected ${Object.keys(REPORT_FILES).join(", ")}, or one of them with a file of the project, such as junit=reports/junit.xml`;
const REASON_BUDGET = "expected a number of tokens from 300 to 2000";
export const ENTRY_POINTS = "expected a list of at least one entry point, as in `- path: src`";

export const configSchema = section({
  base_branch: z.nullish(
    text("the name of a branch").check(
      z.refine((name) => !name.startsWith("-"), "expected the name of a branch")
    )
  ),
  log_dir: z.nullish(text("a folder in the project")),
  allow_parallel: flag,
  max_parallel: z.nullish(count(1)),
  max_retries: z.nullish(count(0)),
  reason_budget: z.nullish(
    z.int(REASON_BUDGET).check(z.minimum(300, REASON_BUDGET), z.maximum(2_000, REASON_BUDGET))
  ),
  report: z.nullish(
    z.array(
      text(REPORT).check(z.refine((value) => configuredReport(value) !== undefined, REPORT)),
      "expected a list of reports, as in `[html]`"
    )
  ),
  rerun_new_issue_threshold: z.nullish(
    z.enum(PRIORITIES, `expected one of ${PRIORITIES.join(", ")}`)
  ),
  cli: z.nullish(
    section({
      default_preference: z.nullish(texts("names of reviewers")),
      check_usage_limit: flag,
      commands: z.nullish(
        z.record(
          z.string(),
          text("a shell command"),
          "expected a mapping of names to shell commands"
        )
      ),
      adapters: noEffect,
    })
  ),
  debug_log: z.nullish(
    section({
      enabled: flag,
      max_size_mb: z.nullish(
        z
          .number("expected a number greater than 0")
          .check(z.positive("expected a number greater than 0"))
      ),
    })
  ),
  stop_hook: z.nullish(section({ ...stopHook, run_interval_minutes: noEffect })),
  global_dependencies: globs,
  checks: gates,
  entry_points: z.optional(z.array(z.unknown(), ENTRY_POINTS).check(z.minLength(1, ENTRY_POINTS))),
  fail_fast: noEffect,
  parallel: noEffect,
  logging: noEffect,
  max_previous_logs: noEffect,
});

/** The user's own file (G6). */
export const globalConfigSchema = section({
  stop_hook: z.nullish(
    section({
      ...stopHook,
      fix: flag,
      run_interval_minutes: z.nullish(
        z.number(`expected ${MINUTES}`).check(z.nonnegative(`expected ${MINUTES}`))
      ),
    })
  ),
  debug_log: noEffect,
  logging: noEffect,
});

export const entryPointSchema = z.object(
  {
    path: text("a folder in the project, or a glob for folders").check(
      z.refine(isInside, "expected a path inside the project")
    ),
    exclude: globs,
    depends_on: z.nullish(texts("paths of entry points")),
    checks: z.nullish(z.array(z.unknown(), "expected a list of checks, as in `[lint, test]`")),
    reviews: z.nullish(z.array(z.unknown(), "expected a list of reviews, as in `[security]`")),
  },
  "expected an entry point, as in `- path: src`"
);

const gate = { run_in_ci: flag, run_locally: flag, parallel: flag, timeout: z.nullish(seconds) };

const definition = "expected a definition, as in `command: npm test`";
export const checkSchema = z.object(
  {
    ...gate,
    command: text("a shell command"),
    rerun_command: z.nullish(text("a shell command")),
    full: z.nullish(text("a shell command")),
    working_directory: z.nullish(text("a folder")),
    fail_fast: flag,
    retries: z.nullish(
      z.int(RETRIES).check(z.minimum(0, RETRIES), z.maximum(MAX_RETRIES, RETRIES))
    ),
    env: z.nullish(
      z.record(
        z.string().check(z.regex(/^[^=\0]+$/, "expected the name of a variable")),
        z.union([text("text"), z.literal(""), z.number(), z.boolean()], "expected text"),
        "expected a mapping of names to values"
      )
    ),
    pass_env: z.nullish(texts("names of variables")),
    fix: z.nullish(text("a shell command")),
    fix_scope: z.nullish(z.enum(["files", "all"], "expected files or all")),
    inputs: globs,
    reads: z.nullish(z.enum(["history"], "expected history")),
    files: globs,
    when: globs,
    // Read by readFindings.
    findings: z.nullish(z.any()),
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
  cli_preference: z.nullish(texts("names of reviewers")),
  num_reviews: z.nullish(count(1)),
  after: z.nullish(z.enum(["checks", "alongside"])),
  model: z.nullish(text("the name of a model")),
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

export const inlineReviewSchema = z.extend(reviewSchema, {
  builtin: z.enum(BUILTIN_REVIEWS, `expected one of ${BUILTIN_REVIEWS.join(", ")}`),
});

function isInside(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..") && isGlob(path);
}

function isGlob(glob: string): boolean {
  if (glob.length > MAX_GLOB_CHARS) return false;
  if (/^[\w./-]*$/.test(glob)) return true; // Most globs are plain paths, which need no compilation.
  try {
    picomatch(glob);
    return true;
  } catch {
    return false;
  }
}
