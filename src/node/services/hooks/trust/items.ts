/** Lists the items that the user has to trust (H31). */
import { visible } from "@/common/text";
import { isSwitchedOff } from "@/node/services/hooks/settings/dedupeHooks";
import type { CheckoutLayers } from "@/node/services/hooks/settings/layers";
import type { HttpHandler } from "@/node/services/hooks/contract/handlerTypes";
import type { ConfiguredHook, PluginOrigin, TrustItem } from "@/node/services/hooks/contract/types";

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
  const scope = plugin === undefined ? named : `${named}, ${pluginNamed(plugin)}`;
  return {
    get text() {
      return visible(`${scope}: ${describeRun(handler)}`);
    },
    origin: source === undefined ? "" : `${source.file}:${source.line}`,
  };
}

function pluginNamed({ id, version }: PluginOrigin): string {
  return `plugin ${id}${version === "" ? "" : ` ${version}`}`;
}

function describeRun(handler: ConfiguredHook["handler"]): string {
  switch (handler.type) {
    case "command":
      return [...(handler.shell === undefined ? [] : [handler.shell]), ...wordsOf(handler)].join(
        " "
      );
    case "http":
      return `POST ${handler.url}${withVariables(handler)}`;
    case "prompt":
      return `prompt${handler.model === undefined ? "" : ` to the model ${handler.model}`}: ${handler.prompt}`;
    case "builtin":
      return `built-in ${handler.name}`;
    case "unsupported":
      return handler.given;
  }
}

/** Returns the names of the environment variables that a server would get. */
function withVariables({ allowedEnvVars = [] }: HttpHandler): string {
  return allowedEnvVars.length === 0 ? "" : ` with the variables ${allowedEnvVars.join(", ")}`;
}

function wordsOf({ command, args }: { command: string; args?: string[] | undefined }): string[] {
  return args === undefined ? [command] : [command, ...args.map((arg) => JSON.stringify(arg))];
}
