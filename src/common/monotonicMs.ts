/** Returns a monotonic time in milliseconds, to measure durations. `performance` would load another module of Node. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
