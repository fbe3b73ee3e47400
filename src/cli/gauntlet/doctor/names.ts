/** Paths as the user would write them. */
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { shortPath } from "@/cli/render/format";
import { visible } from "@/common/text";

/** Shortens a path or a `file:line`. */
export function nameIn({ projectDir, home }: Pick<InitPlace, "projectDir" | "home">, path: string) {
  return visible(shortPath(path, projectDir, home));
}
