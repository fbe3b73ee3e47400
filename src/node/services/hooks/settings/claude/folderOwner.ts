/** Decides whether a folder is in a checkout, also if its path leads there through links (H38). */
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import { isWithin } from "@/node/services/hooks/settings/claude/claudeFolders";

/** How many folders above a path are requested at once. */
const STEPS = 8;

/**
 * Returns whether `path` is in one of the checkouts. The user's plugin folder is not, even in a checkout that contains
 * it, such as the home folder. A path that cannot be followed counts as in the checkout.
 */
export async function isInCheckout(
  { stats }: MachineView,
  path: string,
  { checkouts, pluginFolder }: { checkouts: readonly string[]; pluginFolder: string }
): Promise<boolean> {
  const isNamed = checkouts.some((checkout) => isWithin(path, checkout));
  if (isNamed && !isWithin(path, pluginFolder)) return true;
  const [users, ...owners] = await stats.stat([pluginFolder, ...checkouts]);
  const idOf = (stat: typeof users) => (stat?.kind === "directory" ? stat.identity : undefined);
  let last: string | undefined;
  for (let at = path; ; at += "/..".repeat(STEPS)) {
    const chain = await stats.stat(Array.from({ length: STEPS }, (_, i) => at + "/..".repeat(i)));
    for (const stat of chain) {
      if (stat.kind === "missing") return false;
      const id = idOf(stat);
      if (id === undefined) return true;
      if (id === idOf(users)) return false;
      if (owners.some((owner) => idOf(owner) === id)) return true;
      // The root of the file system is its own parent.
      if (id === last) return false;
      last = id;
    }
  }
}
