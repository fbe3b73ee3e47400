/** Rules for all tests, which must pass on slow, fast and busy machines. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "@test/helpers/built";

const OWN_POLL = /\bvi\s*\.wait(For|Until)\(|\bexpect\s*\.poll\(/;
/** A time limit after the function of a test, or in its options. */
const OWN_LIMIT = /\n\s*\},?\s*[\d_]{4,}\s*\);|\{ timeout: [\d_]+ \}, (?:async )?\(/;
const DURATION =
  /performance\.now|Date\.now|cpuUsage|durationMs|\b(ms|seconds|elapsed|took|blocked)\b/;
const UPPER_BOUND = /\.toBeLessThan(OrEqual)?\(/;

/** Upper bounds of durations, each with the reason for which no machine breaks it. */
const BOUNDED: Readonly<Record<string, string>> = {
  "test/helpers/process/cpuTime.ts": "CPU time, twenty times of what is usual",
  "test/hosts/complaints/complaints.test.ts": "ratio of two durations of one run",
  "test/host/scenarios/harmless.test.ts": "a hook of 3 s, which would block for its whole duration",
  "test/conformance/g-time.test.ts": "a clock that is changed by a day",
};

function sources(): [file: string, lines: string[]][] {
  const names = readdirSync(join(repository, "test"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".ts")).map((name) => `test/${name}`);
  return files.map((file) => [file, readFileSync(join(repository, file), "utf8").split("\n")]);
}

const filesWith = (isFound: (line: string) => boolean): string[] =>
  sources()
    .filter(([file, lines]) => file !== "test/unit/testRules.test.ts" && lines.some(isFound))
    .map(([file]) => file);

test("only soon.ts polls, because it has one generous limit for all", () => {
  const polling = sources().filter(([, lines]) => OWN_POLL.test(lines.join("\n")));
  expect(polling.map(([file]) => file)).toEqual(["test/helpers/soon.ts"]);
});

test("no test has a time limit of its own, below that of all tests", () => {
  const limited = sources().filter(
    ([file, lines]) => !file.startsWith("test/hosts/") && OWN_LIMIT.test(lines.join("\n"))
  );
  expect(limited.map(([file]) => file)).toEqual([
    "test/integration/gauntlet/trust/corrupted.test.ts",
  ]);
});

test("no duration has an upper bound that a slow machine breaks", () => {
  const bounded = filesWith((line) => UPPER_BOUND.test(line) && DURATION.test(line));
  expect(bounded.toSorted()).toEqual(Object.keys(BOUNDED).toSorted());
});

test("no test is tried again", () => {
  const config = readFileSync(join(repository, "vitest.config.ts"), "utf8");
  expect(config + JSON.stringify(sources())).not.toMatch(/\bretry: *[1-9p]/);
});
