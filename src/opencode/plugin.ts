/**
 * The entry point of the plugin for opencode, which runs Stop and SubagentStop hooks: passes the client and the notices
 * to the handlers of `eventHandlers.ts`. Does nothing in an opencode that a hook has started.
 */
import { isMainThread } from "node:worker_threads";
import { userHome } from "@/common/userHome";
import { handlersOf } from "@/opencode/eventHandlers";
import { Notices } from "@/opencode/Notices";
import type { PluginHooks, PluginInput } from "@/opencode/opencodeTypes";

// opencode calls every export of this file as a plugin, so there is only one.
export default function stopHooks({ client, directory }: PluginInput): Promise<PluginHooks> {
  const { env } = process;
  // Otherwise an opencode that a hook starts would start that hook again, endlessly.
  if (env.MUX_HOOK_EVENT) return Promise.resolve({});
  // `opencode run` ends as soon as the agent stops, and shows no toasts. The interface in the terminal starts its server
  // in a worker.
  const isRun = isMainThread && process.argv.slice(2).includes("run");
  // Standard output has the answers of the agent.
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const notices = new Notices(client, isRun ? print : undefined);
  const place = { env, home: userHome() };
  return Promise.resolve(handlersOf({ client, directory, place, notices }, isRun));
}
