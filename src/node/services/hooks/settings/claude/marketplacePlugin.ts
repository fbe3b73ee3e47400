/** Finds a plugin in a marketplace that is a local folder (H38). */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { isJsonObject } from "@/common/json";
import { visible } from "@/common/text";
import { catalogNotRead } from "@/node/services/hooks/messages/claude";
import type { CheckoutBudget } from "@/node/services/hooks/settings/cache/CheckoutBudget";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import type { PluginName } from "@/node/services/hooks/settings/claude/claudeKeys";
import { isWithin } from "@/node/services/hooks/settings/claude/claudeFolders";
import {
  versionOf,
  type Installation,
} from "@/node/services/hooks/settings/claude/installedPlugins";
import { readDocument } from "@/node/services/hooks/settings/claude/readDocument";

/** Returns the folder of a plugin within that of its marketplace, or undefined if the catalog does not have it. */
export async function findInMarketplace(
  view: MachineView,
  folder: string,
  { plugin, marketplace }: PluginName,
  budget?: CheckoutBudget
): Promise<Result<Installation | undefined, string>> {
  const path = posix.join(folder, ".claude-plugin", "marketplace.json");
  const catalog = await readDocument(view, path, budget);
  return catalog
    .map((value) => findEntry(value, folder, plugin))
    .mapErr((problem) => catalogNotRead(`${plugin}@${marketplace}`, visible(path), problem));
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
