/** Which failures of a check are those of its environment. The outputs are those of real programs. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { clip } from "@/common/safeText";
import {
  environmentCause,
  type EnvironmentFacts,
} from "@/node/services/gauntlet/known/environmentCause";

const NONE: EnvironmentFacts = {
  isInTree: () => false,
  isInChange: () => false,
  isChangedFile: () => false,
};

function causeOf(exitCode: number, text: string, facts: Partial<EnvironmentFacts> = {}) {
  return environmentCause({ lines: text.split("\n"), exitCode }, { ...NONE, ...facts });
}

/** A line has the exit code, the kind and the name of what is missing, and the output with the escapes of JSON. */
const OUTPUTS = readFileSync(new URL("environmentOutputs.txt", import.meta.url), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, exitCode, kind, name, text = ""] = /^(\d+) (\w+) (.+?): (.*)$/.exec(line) ?? [];
    if (kind === undefined) return [];
    const output = JSON.parse(`"${text.replaceAll('"', '\\"')}"`) as string;
    return [{ exitCode: Number(exitCode), kind, name: name === "-" ? undefined : name, output }];
  });
const isOrdinary = ({ kind }: (typeof OUTPUTS)[number]): boolean => kind === "ordinary";

test.each(OUTPUTS.filter((one) => !isOrdinary(one)))(
  "is the environment: $exitCode: $output",
  (row) => {
    const { exitCode, output, ...expected } = row;
    const cause = causeOf(exitCode, output);
    expect(cause).toEqual({ ...expected, line: expect.any(String) as string });
    expect(output.split("\n").map((line) => clip(line.trim(), 200))).toContain(cause?.line);
  }
);

describe("is a failure like any other", () => {
  test.each(OUTPUTS.filter(isOrdinary))("$name", ({ exitCode, output }) => {
    expect(causeOf(exitCode, output)).toBeUndefined();
  });

  test.each([
    [127, "sh: 1: vitesst: not found", "vitesst"],
    [1, "Error: Cannot find module 'lodash'", "lodash"],
    [1, "ModuleNotFoundError: No module named 'a.b'", "a"],
    [1, "Error: getaddrinfo ENOTFOUND api.acme.dev", "api.acme.dev"],
    [101, "error: no such command: `nextest`", "nextest"],
  ])("what the change names: %i: %s", (exitCode, text, changed) => {
    expect(causeOf(exitCode, text)?.line).toBe(text.trim());
    const isInChange = (name: string): boolean => name === changed;
    expect(causeOf(exitCode, text, { isInChange })).toBeUndefined();
  });

  test.each([
    [127, "sh: 1: /p/build/x: not found", "/p/build/x"],
    [1, "ModuleNotFoundError: No module named 'pkg.part'", "pkg"],
    [1, "ModuleNotFoundError: No module named 'one'", "one.py"],
    [1, "ModuleNotFoundError: No module named 'one'", "src/one"],
    [1, "/v/bin/python: No module named pkg", "pkg"],
  ])("what the project has: %i: %s", (exitCode, text, path) => {
    expect(causeOf(exitCode, text)?.line).toBe(text);
    expect(causeOf(exitCode, text, { isInTree: (one) => one === path })).toBeUndefined();
  });
});

test("installed packages that cannot be used are a failure like any other if a manifest changed, not if a line has the name of one (G49)", () => {
  const text = " ERR_PNPM_UNEXPECTED_STORE  Unexpected store location";
  expect(causeOf(1, text, { isInChange: () => true })?.kind).toBe("packages");
  const isChangedFile = (name: string): boolean => name === "pnpm-lock.yaml";
  expect(causeOf(1, text, { isChangedFile })).toBeUndefined();
});

describe("findings", () => {
  const lines = ["Error: getaddrinfo ENOTFOUND api.acme.dev"];

  test.each([
    [["getaddrinfo ENOTFOUND api.acme.dev"], true],
    [["Error: getaddrinfo ENOTFOUND api.acme.dev", "connect ETIMEDOUT 1.2.3.4:443"], true],
    [["getaddrinfo ENOTFOUND api.acme.dev", "expected 1 to be 2"], false],
    [["Unused variable"], false],
  ])("%j", (messages, isRecognized) => {
    const findings = messages.map((message) => ({ message }));
    const cause = environmentCause({ lines, exitCode: 1, findings }, NONE);
    expect(cause !== undefined).toBe(isRecognized);
  });

  test("decide against a missing program too", () => {
    const findings = [{ message: "Unused variable" }];
    expect(
      environmentCause({ lines: ["sh: 1: foo: not found"], exitCode: 127, findings }, NONE)
    ).toBeUndefined();
  });
});

test("the line is short, and has no control characters", () => {
  const text = `\u001b[31merror\u001b[0m: Could not find an existing 'foo' binary to run \u202e${"x".repeat(9_000)}`;
  const cause = causeOf(1, text);
  expect(cause?.line).toHaveLength(200);
  expect(cause?.line).toMatch(/^error: Could not find an existing 'foo' binary to run \\u202ex+…$/);
});

test("a long and hostile output is examined in linear time", () => {
  const bits = ["Error: ", "a.", "make: *** [", 'Get "https://', "dial tcp: lookup ", "'", " "];
  const lines = Array.from({ length: 2_000 }, (_, i) => (bits[i % bits.length] ?? "").repeat(300));
  expect(environmentCause({ lines: [...lines, ...lines], exitCode: 1 }, NONE)).toBeUndefined();
  expect(environmentCause({ lines: ["Error: ".repeat(1e6)], exitCode: 127 }, NONE)).toBeUndefined();
});
