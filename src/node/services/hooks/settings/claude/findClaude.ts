/** Finds Claude Code's settings files and plugins, whether or not they are imported (H46). */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { viewMachine } from "@/node/services/hooks/settings/cache/machineView";
import { CheckoutBudget } from "@/node/services/hooks/settings/cache/CheckoutBudget";
import { readClaude } from "@/node/services/hooks/settings/claude/readClaude";
import type { FoundPlugins } from "@/node/services/hooks/settings/claude/readPlugins";
import type { UserPaths } from "@/node/services/hooks/settings/workspace";

/**
 * @param projectDir absolute
 * @param plugins whether the plugins of the checkout are read as well
 */
export async function findClaude(
  runtime: HookRuntime,
  projectDir: string,
  { home, env }: UserPaths,
  plugins: boolean
): Promise<FoundPlugins> {
  const project = viewMachine(runtime, projectDir);
  const host = runtime.isRemote ? viewMachine(runtime.host, projectDir) : project;
  const place = { runtime, projectDir, home, env, host, project };
  return await readClaude(place, { budget: new CheckoutBudget(), plugins });
}
