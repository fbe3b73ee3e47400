import { definedOnly } from "@/common/definedOnly";
import {
  EMPTY_SETTINGS,
  type FoundHook,
  type ParsedSettings,
} from "@/node/services/hooks/settings/parseFile";

/**
 * Reduces settings of Claude Code to the parts that count: hooks, in the claude dialect unless they name another,
 * `disableAllHooks`, and the keys of plugins (H9, H38, H39).
 */
export function claudeSettings({
  hooks,
  unsupported,
  values,
  claude,
  diagnostics,
}: ParsedSettings): ParsedSettings {
  const translated = hooks.map((hook): FoundHook => ({
    ...hook,
    handler: { dialect: "claude", ...hook.handler },
  }));
  const { disableAllHooks } = values;
  return {
    ...EMPTY_SETTINGS,
    hooks: translated,
    unsupported,
    values: definedOnly({ disableAllHooks }),
    ...(claude === undefined ? {} : { claude }),
    diagnostics,
  };
}
