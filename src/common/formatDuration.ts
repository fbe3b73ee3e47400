/** Formats times for people: how long something took, and how long ago it happened. */
import prettyMilliseconds from "pretty-ms";

/** Formats a measured time: `31ms`, `4.2s`, `2m 5s`. From 1 s to a minute it has one decimal, even if that is 0. */
export function formatDuration(ms: number): string {
  return prettyMilliseconds(
    ms,
    ms < 60_000 ? { keepDecimalsOnWholeSeconds: true } : { secondsDecimalDigits: 0 }
  );
}

/** Formats the time since an event in its two largest units: `2 hours 5 minutes`, `31 seconds`. */
export function formatAge(ms: number): string {
  return prettyMilliseconds(ms, { verbose: true, unitCount: 2, secondsDecimalDigits: 0 });
}
