/**
 * The keys of a settings file: the type, the published JSON Schema (H6) and the effect of an unusable value of each
 * (H5), the layer that may set it, and the entry that counts if a hook is repeated (H3, H31). Unknown keys are kept,
 * since other tools share the file (H2).
 */
import * as z from "zod/mini";
import type { Severity } from "@/common/diagnostics";
import { MAX_CONTINUATIONS_LIMIT, MAX_HOOK_TIMEOUT_S } from "@/common/limits";
import type { HookHandler, UnsupportedHandler } from "@/node/services/hooks/contract/types";

/** A key with its schema and its texts. */
export interface SettingKey<T = unknown> {
  readonly schema: z.ZodMiniType<T>;
  /** Its description in the published schema. */
  readonly about?: string;
  /** The expected value in messages; by default the text of the schema. */
  readonly expected?: string;
  /** Converts a value before it is checked. */
  readonly convert?: (value: unknown) => unknown;
}

export interface HandlerKey<T = unknown> extends SettingKey<T> {
  /**
   * The entry of a repeated hook whose value counts (H3). `last`: the last one that has the key. `user`: the same, but a
   * project does not change a hook of the user. `switch`: as `user`, and the last entry also counts without the key.
   */
  readonly repeated: "last" | "user" | "switch";
  /**
   * Set if it is not known what to run without a usable value, so that the handler is skipped. Any other key has a
   * default, so that a typo opens no gate (H5).
   */
  readonly needed?: "always" | "if set";
}

interface LayerKey extends SettingKey {
  /** The severity of an unusable value. */
  readonly severity: Severity;
  /** Set for a list of strings. Other items are left out, and the rest of the list counts. */
  readonly isList?: true;
  /** Set if the key has an effect only in the user's own file. */
  readonly isUsers?: true;
  /** Description of the object that contains the key, in the published schema. */
  readonly section?: string;
}

/** The keys of one type of handler. The compiler checks that they and their types are those of `types.ts`. */
type KeysOf<H, Other extends string = never> = {
  readonly [K in keyof H as string extends K ? never : Exclude<K, Other | "type">]-?: HandlerKey<
    NonNullable<H[K]>
  >;
};

const flag = z.boolean();
const texts = z.array(z.string());
const nonEmpty = z.string().check(z.minLength(1));
const seconds = {
  schema: z.number().check(z.positive()),
  expected: "a number of seconds above 0",
  /** A number above a day counts as a day. */
  convert: (value: unknown) =>
    typeof value === "number" ? Math.min(value, MAX_HOOK_TIMEOUT_S) : value,
};

const last = <T>(schema: z.ZodMiniType<T>, about: string, more: Partial<HandlerKey> = {}) =>
  ({ schema, about, repeated: "last", ...(more as object) }) as const;
const ofUser = <T>(schema: z.ZodMiniType<T>, about: string, expected?: string) =>
  ({ schema, about, repeated: "user", expected }) as const;
const onOff = (about: string) => ({ schema: flag, about, repeated: "switch" }) as const;

const common: KeysOf<UnsupportedHandler, "given"> = {
  timeout: last(
    seconds.schema,
    "Time limit in seconds, at most 86400; a larger value counts as 86400.",
    seconds
  ),
  statusMessage: last(z.string(), "Text of the progress line while the hook runs.", {
    expected: "a string",
  }),
  enabled: onOff("false turns this handler off."),
  failClosed: ofUser(
    flag,
    "true: if the hook fails, it blocks; by default the agent may then stop.",
    "true or false"
  ),
  loop_limit: ofUser(
    z.int().check(z.minimum(0)),
    "Maximum number of continuations that this handler requests in one turn; after that it only runs for the record.",
    "an integer from 0"
  ),
  dialect: last(
    z.enum(["mux", "claude"]),
    "claude: the hook gets its input and its transcript in the format of Claude Code."
  ),
};

/** The keys of each type of handlers, besides `type`. */
export const HANDLER_KEYS: {
  readonly [T in Exclude<HookHandler["type"], "unsupported">]: KeysOf<
    Extract<HookHandler, { type: T }>
  >;
} = {
  command: {
    command: last(
      nonEmpty,
      "A shell command line; with args, a program that is started without a shell.",
      { needed: "always" }
    ),
    args: last(texts, "Arguments of the program, which is started without a shell.", {
      needed: "if set",
    }),
    shell: last(nonEmpty, "The shell that runs the command line."),
    async: onOff("true runs the hook in the background, where it cannot block."),
    asyncRewake: onOff(
      "Like async; if the hook exits with code 2, the agent gets its stderr with the next message of the user."
    ),
    ...common,
  },
  http: {
    url: last(z.url({ protocol: /^https?$/ }), "The hook's input is sent to this URL by POST.", {
      needed: "always",
    }),
    headers: ofUser(
      z.record(z.string(), z.string()),
      "Additional headers; $NAME and ${NAME} in a value are replaced if allowedEnvVars lists the variable."
    ),
    allowedEnvVars: ofUser(texts, "Names of the environment variables that headers may refer to."),
    ...common,
  },
  prompt: {
    prompt: last(
      nonEmpty,
      "The condition that the host's model judges; $ARGUMENTS is replaced with the hook's input.",
      { needed: "always" }
    ),
    model: ofUser(z.string(), "The model that is asked; by default the model of the turn."),
    ...common,
  },
  builtin: {
    name: last(nonEmpty, "Name of an in-process handler.", { needed: "always" }),
    ...common,
  },
};

/** The keys of a file besides hooks, by their path. A later layer overrides each of them (H3). */
export const LAYER_KEYS = {
  disableAllHooks: { schema: flag, about: "true turns off all hooks.", severity: "error" },
  "stopHooks.maxContinuations": {
    schema: z.int().check(z.minimum(1), z.maximum(MAX_CONTINUATIONS_LIMIT)),
    about: "Maximum number of times that hooks may send the agent back in one turn; 3 by default.",
    severity: "warning",
  },
  "stopHooks.timeout": {
    ...seconds,
    about: "Default time limit of command and script hooks, in seconds.",
    severity: "warning",
  },
  importClaudeHooks: {
    schema: flag,
    about: "true also reads the Stop and SubagentStop hooks of Claude Code's settings.",
    severity: "error",
  },
  "gauntlet.enabled": { schema: flag, section: "The built-in gauntlet hook.", severity: "error" },
  "hookEnv.pass": {
    schema: texts,
    about:
      "Environment variables that are removed by default and that hooks get anyway; counts in the user's file only.",
    severity: "error",
    isList: true,
    isUsers: true,
  },
} as const satisfies Record<string, LayerKey>;

export type LayerPath = keyof typeof LAYER_KEYS;
/** Values that a file sets besides hooks. */
export type SettingValues = {
  readonly [P in LayerPath]?: z.output<(typeof LAYER_KEYS)[P]["schema"]>;
};
/** The keys of {@link LAYER_KEYS} with their paths, as a list. */
export const LAYER_ROWS = Object.entries(LAYER_KEYS) as [LayerPath, LayerKey][];

/** Returns the schema of a file, for editors. */
export function settingsSchema(): z.ZodMiniType {
  const handlers = Object.entries(HANDLER_KEYS).map(([type, keys]) => {
    const fields = Object.entries<HandlerKey>(keys).map(([name, key]) => [name, published(key)]);
    return z.looseObject({ type: z.literal(type), ...Object.fromEntries(fields) });
  });
  const group = z.looseObject({
    matcher: published({
      schema: z.string(),
      about: "The agent types that a SubagentStop group applies to; ignored on Stop.",
    }),
    hooks: z.array(z.discriminatedUnion("type", handlers as [(typeof handlers)[number]])),
  });
  const groups = z.optional(z.array(group));
  const shape: Record<string, z.ZodMiniType> = {
    $schema: z.optional(z.string()),
    hooks: z.optional(z.looseObject({ Stop: groups, SubagentStop: groups })),
  };
  const sections: Record<string, Record<string, z.ZodMiniType>> = {};
  for (const [path, key] of LAYER_ROWS) {
    const [top = "", name] = path.split(".");
    const keys = name === undefined ? shape : (sections[top] ??= {});
    keys[name ?? top] = published(key);
    if (name !== undefined) {
      shape[top] = published({ schema: z.looseObject(sections[top] ?? {}), about: key.section });
    }
  }
  return z.looseObject(shape);
}

function published({ schema, about, needed }: SettingKey & Pick<Partial<HandlerKey>, "needed">) {
  const type = needed === "always" ? schema : z.optional(schema);
  return about === undefined ? type : type.check(z.describe(about));
}
