/** Loads the engine when it is first needed, so that importing the library loads little. */
import type * as Engine from "@/node/services/hooks/engineExports";

export type { Engine };

/** The engine, if it is loaded. A caller that finds it here continues in the same tick. */
export let engine: typeof Engine | undefined;

export async function loadEngine(): Promise<typeof Engine> {
  return (engine ??= await import("@/node/services/hooks/engineExports"));
}

/** Returns a function of the engine that loads it when it is called. */
export function onDemand<A extends unknown[], R>(
  find: (engine: typeof Engine) => (...args: A) => Promise<R>
): (...args: A) => Promise<R> {
  return async (...args) => await find(await loadEngine())(...args);
}
