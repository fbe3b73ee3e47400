/** Start-up steps of a process that loads the preload and is a host or may become one. */
import { writeFileSync } from "node:fs";

/** The environment variable with the path of a file, which the host creates when it starts. */
export const SEEN_VARIABLE = "MUX_HOOKS_SEEN";
/** Matches the path of a CLI script in the archive of a packaged app. */
const IN_ARCHIVE = /app\.asar[\\/]dist[\\/]cli[\\/]/;

/** Reports the start to `mux-stop-hooks hooks attach`. Hides its variable and `ELECTRON_RUN_AS_NODE` from child processes. */
export function announceHost(env: NodeJS.ProcessEnv): void {
  const file = env[SEEN_VARIABLE];
  delete env.MUX_HOOKS_SEEN;
  delete env.ELECTRON_RUN_AS_NODE;
  if (file === undefined) return;
  try {
    writeFileSync(file, "", { mode: 0o600 });
  } catch {
    // `mux-stop-hooks hooks attach` was killed.
  }
}

/**
 * Makes the host skip the script path in `process.argv`. A packaged app expects no script path, but has one if it runs
 * as Node. The host checks `process.defaultApp`.
 */
export function readArgumentsAsNode(host: NodeJS.Process & { defaultApp?: boolean }): void {
  const isApp = host.versions.electron !== undefined && host.env.ELECTRON_RUN_AS_NODE !== undefined;
  if (isApp && IN_ARCHIVE.test(host.argv[1] ?? "")) host.defaultApp = true;
}
