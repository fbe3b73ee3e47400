/** Resolves to the value of `work`, or to undefined as soon as the signal is aborted. Leaves no listener behind. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined
): Promise<T | undefined> {
  if (signal === undefined) return await work;
  if (signal.aborted) return undefined;
  let stop: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => {
      resolve(undefined);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
