/**
 * The types of the decision whether the content of a checkout may run, the variable `MUX_HOOKS_TRUST`, and the list of
 * items to trust (H31).
 */
import type { Definitions } from "@/node/services/hooks/settings/definitionSnapshot";
import type { ConfiguredHook, TrustItem, TrustState } from "@/node/services/hooks/contract/types";
import { posix } from "node:path";
import { KIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { visible } from "@/common/text";
import { isSwitchedOff } from "@/node/services/hooks/contract/hookFacts";
import type { CheckoutLayers } from "@/node/services/hooks/settings/layers";

/** The content of a checkout whose trust is to be decided. */
export interface TrustRequest {
  /** Absolute. For a trust record, the URL of the project if that is on another machine. */
  readonly projectDir: string;
  readonly items: readonly TrustItem[];
  /** Everything that came with the checkout and would count (H31). */
  readonly definitions: Definitions;
  readonly purpose: TrustPurpose;
}

/**
 * Purposes of a decision. `turn`: a turn begins with the chosen definitions. `restart`: a turn continues that this
 * process did not begin. `read`: the plugins of the checkout are read if the project is trusted; the definitions only
 * have their IDs, and a second request has all of them (H38). `look`: all other purposes, such as a list of hooks or a
 * direct call of `runStopHooks`. The record changes only for `turn` and `restart`.
 */
export type TrustPurpose = "turn" | "restart" | "read" | "look";

export type TrustDecision = TrustState & {
  /** The definitions that count in place of those that the checkout has now. */
  readonly instead?: Definitions;
  /** Whether the definitions that count are on record. */
  readonly isRecorded?: boolean;
};

/** A policy that decides whether content of a checkout may run. */
export interface TrustPolicy {
  decide(request: TrustRequest): Promise<TrustDecision>;
}

/** Trusts everything. For a program that calls the API and decides by itself, and for `MUX_HOOKS_TRUST=always`. */
export const trustEverything: TrustPolicy = {
  decide: () => Promise.resolve({ trusted: true }),
};

/** A policy, or `everything` for a program that decides by itself whether to call the engine. */
export type TrustOption = TrustPolicy | "everything";

export function policyOf(trust: TrustOption): TrustPolicy {
  return trust === "everything" ? trustEverything : trust;
}

const NAME = "MUX_HOOKS_TRUST";
const MAX_BYTES = 256 * KIB;

/** Files of a project from which agent hosts, their runtimes and terminals take variables. */
const SOURCES = [
  // Bun, and so opencode, reads all of these.
  ...["", ".development", ".production", ".test"].flatMap((kind) => [
    `.env${kind}`,
    `.env${kind}.local`,
  ]),
  ".envrc",
  "mise.toml",
  ".mise.toml",
  ...[".gemini", ".qwen"].map((folder) => `${folder}/.env`),
  ...[".claude", ".gemini", ".qwen", ".factory", ".vscode", ".cursor"].flatMap((folder) => [
    `${folder}/settings.json`,
    `${folder}/settings.local.json`,
  ]),
  ".codex/config.toml",
  ...["", ".opencode/"].flatMap((folder) => [`${folder}opencode.json`, `${folder}opencode.jsonc`]),
];

/** Returns whether the user's environment turns the check of trust off. */
export function skipsTrust(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return env[NAME] === "always";
}

/** Returns why the variable does not count: a file of the project names it, so that the project may have set it. */
export async function refuseVariable(
  runtime: HookRuntime,
  dir: string
): Promise<string | undefined> {
  // A checkout on another machine sets no variable of this one.
  if (runtime.isRemote) return undefined;
  const reads = await Promise.all(
    SOURCES.map(async (name) => {
      const read = await runtime.readFile(posix.join(dir, name), { maxBytes: MAX_BYTES });
      return read.isOk() && Buffer.from(read.value).includes(NAME) ? name : undefined;
    })
  );
  const file = reads.find((name) => name !== undefined);
  return file && `${NAME}=always does not count, because ${file} of the project names it`;
}

/** Lists the items of a checkout that would be run, for the user. */
export function listTrustItems(
  hooks: readonly ConfiguredHook[],
  { parts, claude }: Pick<CheckoutLayers, "parts" | "claude">
): TrustItem[] {
  const running = hooks.filter((hook) => hook.fromProject && !isSwitchedOff(hook.handler));
  const configured = [...parts.values()].flatMap((part) => part?.items ?? []);
  const unread = claude.filter(({ isUnread }) => isUnread);
  return [
    ...running.map(describeItem),
    ...unread.map(({ plugin, file }) => ({
      text: visible(`plugin ${plugin?.id ?? ""}, which is read once the project is trusted`),
      origin: file,
    })),
    ...configured.map(({ text, origin }) => ({ text: visible(text), origin })),
  ];
}

function describeItem({ event, matcher, handler, source, plugin }: ConfiguredHook): TrustItem {
  const named = event === "SubagentStop" && matcher !== undefined ? `${event} ${matcher}` : event;
  const version = plugin === undefined || plugin.version === "" ? "" : ` ${plugin.version}`;
  const scope = plugin === undefined ? named : `${named}, plugin ${plugin.id}${version}`;
  return {
    get text() {
      return visible(`${scope}: ${describeRun(handler)}`);
    },
    origin: source === undefined ? "" : `${source.file}:${source.line}`,
  };
}

function describeRun(handler: ConfiguredHook["handler"]): string {
  switch (handler.type) {
    case "command": {
      const { shell, command, args = [] } = handler;
      const words = [command, ...args.map((arg) => JSON.stringify(arg))];
      return (shell === undefined ? words : [shell, ...words]).join(" ");
    }
    case "http": {
      // The variables that a server would get.
      const names = handler.allowedEnvVars?.join(", ") ?? "";
      return `POST ${handler.url}${names === "" ? "" : ` with the variables ${names}`}`;
    }
    case "prompt":
      return `prompt${handler.model === undefined ? "" : ` to the model ${handler.model}`}: ${handler.prompt}`;
    case "builtin":
      return `built-in ${handler.name}`;
    case "unsupported":
      return handler.given;
  }
}
