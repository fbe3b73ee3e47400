/** Waits for what another process, or a later tick, does. The limit only ends tests that fail. */
import { expect, vi } from "vitest";

const LIMIT = { timeout: 30_000, interval: 20 };

/**
 * Asserts on the value of `read` until the assertion holds: `await expectSoon(() => pids()).toEqual([])`.
 *
 * @param timeout in milliseconds
 */
export const expectSoon: <T>(
  read: () => T,
  timeout?: number
) => ReturnType<typeof expect.poll<T>> = (read, timeout = LIMIT.timeout) =>
  expect.poll(read, { ...LIMIT, timeout });

/** A promise, and the function that resolves it. */
export function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Calls `attempt` until it does not throw, and returns its result. */
export async function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  return await vi.waitFor(attempt, LIMIT);
}
