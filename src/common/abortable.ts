/** Stops waiting for work when an `AbortSignal` is aborted, and creates promises that other code resolves. */
import { setMaxListeners } from "node:events";

/** Returns whether a signal is aborted. The compiler assumes that a property keeps its value across an `await`. */
export function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/**
 * Resolves to the value of `work`, or to undefined as soon as the signal is aborted. Leaves no listener behind. Ignores
 * a rejection after the abort.
 */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined
): Promise<T | undefined> {
  if (signal === undefined) return await work;
  if (signal.aborted) {
    work.catch(() => undefined);
    return undefined;
  }
  const aborted = deferred<undefined>();
  const stop = (): void => {
    aborted.resolve(undefined);
  };
  // Node warns of a leak above 10 listeners, and a stop may have more hooks.
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A promise that is resolved from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

/** Creates a promise, with the function that resolves it. */
export function deferred<T = void>(): Deferred<T> {
  let resolve: Deferred<T>["resolve"] = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
