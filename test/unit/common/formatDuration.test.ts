import { expect, test } from "vitest";
import { formatAge, formatDuration } from "@/common/formatDuration";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test("formats a duration in the units that fit, and an age in its two largest units", () => {
  const durations = [0, 999.5, 1_000, 59_999, MINUTE, 125_000, 2 * HOUR + 13 * MINUTE + 4_000];
  const shown = ["0ms", "999ms", "1.0s", "59.9s", "1m", "2m 5s", "2h 13m 4s"];
  expect(durations.map(formatDuration)).toEqual(shown);
  const ages = [31, 1_000, 2 * MINUTE + 5_400, HOUR + 59 * MINUTE, 75 * HOUR + 3 * MINUTE];
  expect(ages.map(formatAge)).toEqual([
    ...["31 milliseconds", "1 second", "2 minutes 5 seconds", "1 hour 59 minutes"],
    "3 days 3 hours",
  ]);
});
