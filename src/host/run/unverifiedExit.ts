/** Makes `mux run` exit with a code of its own if its last stop was not verified. */
import { log } from "@/host/log";

/** The environment variable with the exit code, from 1 to 255. `mux-hooks attach --unverified-exit` sets it. */
export const UNVERIFIED_EXIT = "MUX_HOOKS_UNVERIFIED_EXIT";

/** @param why returns why the last stop was not verified, or undefined if it was, or if no hook is configured */
export function exitUnverified(host: NodeJS.Process, why: () => string | undefined): void {
  const value = host.env[UNVERIFIED_EXIT];
  // A Mux that the agent starts is another run.
  Reflect.deleteProperty(host.env, UNVERIFIED_EXIT);
  if (value === undefined || value === "0") return;
  const own = /^\d{1,3}$/.test(value) ? Number(value) : Infinity;
  if (own > 255) {
    log(`${UNVERIFIED_EXIT} has no effect, because it is not a number from 1 to 255`);
    return;
  }
  host.on("exit", (code) => {
    const reason = code === 0 ? why() : undefined;
    if (reason === undefined) return;
    log(`the last stop was not verified, so the exit code is ${own}: ${reason}`);
    host.exitCode = own;
  });
}
