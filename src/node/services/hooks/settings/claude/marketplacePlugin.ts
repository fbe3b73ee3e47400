/** Finds a plugin in a marketplace that is a local folder (H38). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { isJsonObject } from "@/common/json";
import { visible } from "@/common/text";
import type { CheckoutBudget } from "@/node/services/hooks/settings/cache/CheckoutBudget";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import type { PluginName } from "@/node/services/hooks/settings/claude/claudeKeys";
import { isWithin } from "@/node/services/hooks/settings/claude/claudeFolders";
import {
  versionOf,
  type Installation,
} from "@/node/services/hooks/settings/claude/installedPlugins";
import { readDocument } from "@/node/services/hooks/settings/claude/readDocument";

/** Returns the folder of a plugin within that of its marketplace. An error is for the user. */
export async function findInMarketplace(
  view: MachineView,
  folder: string,
  { plugin, marketplace }: PluginName,
  budget?: CheckoutBudget
): Promise<Result<Installation, string>> {
  const path = posix.join(folder, ".claude-plugin", "marketplace.json");
  const id = `${plugin}@${marketplace}`;
  const catalog = await readDocument(view, path, budget);
  if (catalog.isErr())
    return err(
      `the hooks of the plugin ${id} do not run, because ${visible(path)} cannot be used: ${catalog.error}`
    );
  const found = findEntry(catalog.value, folder, plugin);
  return found === undefined
    ? err(
        `the hooks of the plugin ${id} do not run, because its marketplace ${visible(folder)} does not have it; add it there, or remove it from "enabledPlugins"`
      )
    : ok(found);
}

function findEntry(value: unknown, folder: string, plugin: string): Installation | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.plugins)) return undefined;
  const entry = (value.plugins as readonly unknown[]).find(
    (each) => isJsonObject(each) && each.name === plugin
  );
  if (!isJsonObject(entry) || typeof entry.source !== "string") return undefined;
  const base = isJsonObject(value.metadata) ? value.metadata.pluginRoot : undefined;
  // A bare name is below `metadata.pluginRoot`.
  const isBare = !entry.source.includes("/") && typeof base === "string";
  const path = posix.join(folder, isBare ? base : "", entry.source).replace(/(.)\/$/, "$1");
  if (!isWithin(path, posix.normalize(folder)) || path.includes("\0")) return undefined;
  return { path, version: versionOf(entry.version) };
}
