/** Returns a monotonic time in milliseconds. Node loads a module of its own for the first use of `performance`. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
