/**
 * Zod definitions of the settings file: the source of its parsing and its published JSON Schema (H6).
 * Unknown keys are kept everywhere, since the file is shared with other tools (H2).
 */
import * as z from "zod/mini";
import { MAX_CONTINUATIONS_LIMIT } from "@/common/limits";

const flag = (description: string) => z.optional(z.boolean()).check(z.describe(description));
const nonEmpty = z.string().check(z.minLength(1));
const text = (description: string) => nonEmpty.check(z.describe(description));
const texts = (description: string) =>
  z.optional(z.array(z.string())).check(z.describe(description));
const seconds = (description: string) =>
  z.optional(z.number().check(z.positive())).check(z.describe(description));

const common = {
  timeout: seconds("Time limit in seconds, at most 86400; a larger value counts as 86400."),
  statusMessage: z
    .optional(z.string())
    .check(z.describe("Text of the progress line while the hook runs.")),
  enabled: flag("false turns this handler off."),
  failClosed: flag("true: if the hook fails, it blocks; by default the agent may then stop."),
  loop_limit: z
    .optional(z.int().check(z.minimum(0)))
    .check(
      z.describe(
        "Maximum number of continuations that this handler requests in one turn; after that it only runs for the record."
      )
    ),
  dialect: z
    .optional(z.enum(["mux", "claude"]))
    .check(
      z.describe("claude: the hook gets its input and its transcript in the format of Claude Code.")
    ),
};

export const commandHandlerSchema = z.looseObject({
  type: z.literal("command"),
  command: text("A shell command line; with args, a program that is started without a shell."),
  args: texts("Arguments of the program, which is started without a shell."),
  shell: z.optional(nonEmpty).check(z.describe("The shell that runs the command line.")),
  async: flag("true runs the hook in the background, where it cannot block."),
  asyncRewake: flag(
    "Like async; if the hook exits with code 2, the agent gets its stderr with the next message of the user."
  ),
  ...common,
});

export const httpHandlerSchema = z.looseObject({
  type: z.literal("http"),
  url: z
    .url({ protocol: /^https?$/ })
    .check(z.describe("The hook's input is sent to this URL by POST.")),
  headers: z
    .optional(z.record(z.string(), z.string()))
    .check(
      z.describe(
        "Additional headers; $NAME and ${NAME} in a value are replaced if allowedEnvVars lists the variable."
      )
    ),
  allowedEnvVars: texts("Names of the environment variables that headers may refer to."),
  ...common,
});

export const promptHandlerSchema = z.looseObject({
  type: z.literal("prompt"),
  prompt: text(
    "The condition that the host's model judges; $ARGUMENTS is replaced with the hook's input."
  ),
  model: z
    .optional(z.string())
    .check(z.describe("The model that is asked; by default the model of the turn.")),
  ...common,
});

export const builtinHandlerSchema = z.looseObject({
  type: z.literal("builtin"),
  name: text("Name of an in-process handler."),
  ...common,
});

export const handlerSchema = z.discriminatedUnion("type", [
  commandHandlerSchema,
  httpHandlerSchema,
  promptHandlerSchema,
  builtinHandlerSchema,
]);

export const hookGroupSchema = z.looseObject({
  matcher: z
    .optional(z.string())
    .check(z.describe("The agent types that a SubagentStop group applies to; ignored on Stop.")),
  hooks: z.array(handlerSchema),
});

export const stopHooksSchema = z.looseObject({
  maxContinuations: z
    .optional(z.int().check(z.minimum(1), z.maximum(MAX_CONTINUATIONS_LIMIT)))
    .check(
      z.describe(
        "Maximum number of times that hooks may send the agent back in one turn; 3 by default."
      )
    ),
  timeout: seconds("Default time limit of command and script hooks, in seconds."),
});

export const gauntletSchema = z.looseObject({ enabled: z.optional(z.boolean()) });

export const settingsSchema = z.looseObject({
  $schema: z.optional(z.string()),
  hooks: z.optional(
    z.looseObject({
      Stop: z.optional(z.array(hookGroupSchema)),
      SubagentStop: z.optional(z.array(hookGroupSchema)),
    })
  ),
  disableAllHooks: flag("true turns off all hooks."),
  stopHooks: z.optional(stopHooksSchema),
  hookEnv: z.optional(
    z.looseObject({
      pass: texts(
        "Environment variables that are removed by default and that hooks get anyway; counts in the user's file only."
      ),
    })
  ),
  importClaudeHooks: flag(
    "true also reads the Stop and SubagentStop hooks of Claude Code's settings."
  ),
  gauntlet: z.optional(gauntletSchema).check(z.describe("The built-in gauntlet hook.")),
});
