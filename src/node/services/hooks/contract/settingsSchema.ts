/**
 * Zod definitions of the settings file: the single source of its parsing, its types and its published JSON Schema (H6).
 * Unknown keys are kept everywhere, since the file is shared with other tools (H2).
 */
import * as z from "zod";
import { MAX_CONTINUATIONS_LIMIT } from "@/common/limits";

const common = {
  timeout: z
    .number()
    .positive()
    .optional()
    .describe("Time limit in seconds, at most 86400; a larger value counts as 86400."),
  statusMessage: z.string().optional().describe("Text of the progress line while the hook runs."),
  enabled: z.boolean().optional().describe("false turns this handler off."),
  dialect: z
    .enum(["mux", "claude"])
    .optional()
    .describe("claude: the hook gets its input and its transcript in the format of Claude Code."),
};

export const commandHandlerSchema = z.looseObject({
  type: z.literal("command"),
  command: z
    .string()
    .min(1)
    .describe("A shell command line; with args, a program that is started without a shell."),
  args: z
    .array(z.string())
    .optional()
    .describe("Arguments of the program, which is started without a shell."),
  shell: z.string().min(1).optional().describe("The shell that runs the command line."),
  async: z
    .boolean()
    .optional()
    .describe("true runs the hook in the background, where it cannot block."),
  asyncRewake: z.boolean().optional().describe("Treated as async."),
  ...common,
});

export const httpHandlerSchema = z.looseObject({
  type: z.literal("http"),
  url: z.url({ protocol: /^https?$/ }).describe("The hook's input is sent to this URL by POST."),
  headers: z.record(z.string(), z.string()).optional(),
  allowedEnvVars: z
    .array(z.string())
    .optional()
    .describe("Names of the environment variables that ${VAR} in a header may refer to."),
  ...common,
});

export const promptHandlerSchema = z.looseObject({
  type: z.literal("prompt"),
  prompt: z
    .string()
    .min(1)
    .describe("Prompt for the host's model; $ARGUMENTS is replaced with the hook's input."),
  model: z.string().optional(),
  ...common,
});

export const builtinHandlerSchema = z.looseObject({
  type: z.literal("builtin"),
  name: z.string().min(1).describe("Name of an in-process handler."),
  ...common,
});

export const handlerSchema = z.discriminatedUnion("type", [
  commandHandlerSchema,
  httpHandlerSchema,
  promptHandlerSchema,
  builtinHandlerSchema,
]);

const hookGroupSchema = z.looseObject({
  matcher: z
    .string()
    .optional()
    .describe("The agent types that a SubagentStop group applies to; ignored on Stop."),
  hooks: z.array(handlerSchema),
});

export const settingsSchema = z.looseObject({
  $schema: z.string().optional(),
  hooks: z
    .looseObject({
      Stop: z.array(hookGroupSchema).optional(),
      SubagentStop: z.array(hookGroupSchema).optional(),
    })
    .optional(),
  disableAllHooks: z.boolean().optional().describe("true turns off all hooks."),
  stopHooks: z
    .looseObject({
      maxContinuations: z
        .int()
        .min(1)
        .max(MAX_CONTINUATIONS_LIMIT)
        .optional()
        .describe(
          "Maximum number of times that hooks may send the agent back in one turn; 3 by default."
        ),
      timeout: z
        .number()
        .positive()
        .optional()
        .describe("Default time limit of command and script hooks, in seconds."),
    })
    .optional(),
  hookEnv: z
    .looseObject({
      pass: z
        .array(z.string())
        .optional()
        .describe(
          "Environment variables that are removed by default and that hooks get anyway; counts in the user's file only."
        ),
    })
    .optional(),
  importClaudeHooks: z
    .boolean()
    .optional()
    .describe("true also reads the Stop and SubagentStop hooks of Claude Code's settings."),
  gauntlet: z
    .looseObject({ enabled: z.boolean().optional() })
    .optional()
    .describe("The built-in gauntlet hook."),
});

export type CommandHandler = z.infer<typeof commandHandlerSchema>;
export type BuiltinHandler = z.infer<typeof builtinHandlerSchema>;
export type HookHandler = z.infer<typeof handlerSchema>;
/** One entry of `hooks.Stop` or `hooks.SubagentStop`. */
export type HookConfig = z.infer<typeof hookGroupSchema>;
