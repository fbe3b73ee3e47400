/** What a process does first once it turns out to be a host. */
import { writeFileSync } from "node:fs";

/** Names the file whose presence says that a host has started. */
export const SEEN_VARIABLE = "MUX_HOOKS_SEEN";
/** The host's command line within the archive of a packaged app. */
const IN_ARCHIVE = /app\.asar[\\/]dist[\\/]cli[\\/]/;

/** Tells `mux-hooks attach`. What this process starts is not to know of either variable. */
export function announceHost(env: NodeJS.ProcessEnv): void {
  const file = env[SEEN_VARIABLE];
  delete env.MUX_HOOKS_SEEN;
  delete env.ELECTRON_RUN_AS_NODE;
  if (file === undefined) return;
  try {
    writeFileSync(file, "", { mode: 0o600 });
  } catch {
    // Whoever waited for it is gone.
  }
}

/** A packaged app reads its arguments from where they are without a script; as Node it has one. */
export function readArgumentsAsNode(host: NodeJS.Process & { defaultApp?: boolean }): void {
  const isApp = host.versions.electron !== undefined && host.env.ELECTRON_RUN_AS_NODE !== undefined;
  if (isApp && IN_ARCHIVE.test(host.argv[1] ?? "")) host.defaultApp = true;
}
