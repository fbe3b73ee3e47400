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
    .describe("Time limit in seconds; above 86400 counts as 86400."),
  statusMessage: z.string().optional().describe("What the progress line says while it runs."),
  enabled: z.boolean().optional().describe("false turns this handler off and keeps it here."),
  dialect: z
    .enum(["mux", "claude"])
    .optional()
    .describe("claude: the hook is given a transcript in Claude Code's shape."),
};

export const commandHandlerSchema = z.looseObject({
  type: z.literal("command"),
  command: z
    .string()
    .min(1)
    .describe("A shell command line; with args, a program that is started without a shell."),
  args: z.array(z.string()).optional().describe("Arguments for the program, without a shell."),
  shell: z.string().min(1).optional().describe("The shell that runs the command line."),
  async: z.boolean().optional().describe("Run in the background; it cannot block."),
  asyncRewake: z.boolean().optional().describe("Counts as async."),
  ...common,
});

export const httpHandlerSchema = z.looseObject({
  type: z.literal("http"),
  url: z.url({ protocol: /^https?$/ }).describe("Gets the hook's input by POST."),
  headers: z.record(z.string(), z.string()).optional(),
  allowedEnvVars: z
    .array(z.string())
    .optional()
    .describe("Names that ${VAR} in a header may stand for."),
  ...common,
});

export const promptHandlerSchema = z.looseObject({
  type: z.literal("prompt"),
  prompt: z.string().min(1).describe("Asked of the host's model; $ARGUMENTS is the hook's input."),
  model: z.string().optional(),
  ...common,
});

export const builtinHandlerSchema = z.looseObject({
  type: z.literal("builtin"),
  name: z.string().min(1).describe("An in-process handler, by name."),
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
    .describe("Which agent types a SubagentStop group is for; ignored on Stop."),
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
  disableAllHooks: z.boolean().optional().describe("true turns every hook off."),
  stopHooks: z
    .looseObject({
      maxContinuations: z
        .int()
        .min(1)
        .max(MAX_CONTINUATIONS_LIMIT)
        .optional()
        .describe("How often hooks may send the agent back in one turn; 3 by default."),
      timeout: z
        .number()
        .positive()
        .optional()
        .describe("Default limit of command and script hooks, in seconds."),
    })
    .optional(),
  hookEnv: z
    .looseObject({
      pass: z
        .array(z.string())
        .optional()
        .describe("Names that hooks see although they are taken out by default; user file only."),
    })
    .optional(),
  importClaudeHooks: z
    .boolean()
    .optional()
    .describe("Reads Stop and SubagentStop hooks from Claude Code's settings as well."),
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
