/**
 * The plugin of opencode. opencode has no event for a stop, so Stop hooks run when a session is idle, and the reason is
 * sent as a message. SubagentStop hooks run before the parent gets the report of the tool `task`.
 *
 * opencode calls every export of this file as a plugin, so there is only one.
 */
import { userHome } from "@/common/userHome";
import { handlersOf } from "@/opencode/handlers";
import { Notices } from "@/opencode/Notices";
import type { PluginHooks, PluginInput } from "@/opencode/opencodeTypes";
import { isRunCommand, printLine } from "@/opencode/runCommand";

export default function stopHooks({ client, directory }: PluginInput): Promise<PluginHooks> {
  const { env } = process;
  // Otherwise an opencode that a hook starts would start that hook again, endlessly.
  if (env.MUX_HOOK_EVENT) return Promise.resolve({});
  const isRun = isRunCommand();
  const notices = new Notices(client, isRun ? printLine : undefined);
  const place = { env, home: userHome() };
  return Promise.resolve(handlersOf({ client, directory, place, notices }, isRun));
}
