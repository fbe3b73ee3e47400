/**
 * Lists what a checkout would run (its hooks, plugins that are not read yet, and gates) with the place of each, for the
 * user's decision to trust it (H31).
 */
import { visible } from "@/common/safeText";
import { isSwitchedOff } from "@/node/services/hooks/contract/hookFacts";
import type { ConfiguredHook, TrustItem } from "@/node/services/hooks/contract/types";
import type { CheckoutLayers } from "@/node/services/hooks/settings/readLayers";

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
