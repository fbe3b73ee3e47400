/** A package manager that refuses to start with the installed packages (G49). */
import { expect, test } from "vitest";
import {
  environmentCause,
  type EnvironmentFacts,
} from "@/node/services/gauntlet/known/environment";

function causeOf(text: string, facts: Partial<EnvironmentFacts> = {}) {
  const none = { isInTree: () => false, isInChange: () => false, isChangedFile: () => false };
  return environmentCause({ lines: text.split("\n"), exitCode: 1 }, { ...none, ...facts });
}

/** The output of pnpm 11 without a terminal. */
const WITHOUT_TERMINAL = `Scope: all 18 workspace projects
[ERR_PNPM_ABORTED_REMOVE_MODULES_DIR_NO_TTY] Aborted removal of modules directory due to no TTY

If you are running pnpm in CI, set the CI environment variable to "true", or set "confirmModulesPurge" to "false".
[ERROR] Command failed with exit code 1: /n/node /n/pnpm.mjs install

pnpm: Command failed with exit code 1: /n/node /n/pnpm.mjs install
    at getFinalError (file:///n/pnpm.mjs:88973:14)
    at runDepsStatusCheck (file:///n/pnpm.mjs:253973:7)`;

test.each([
  [WITHOUT_TERMINAL, "pnpm"],
  [" ERR_PNPM_ABORTED_REMOVE_MODULES_DIR_NO_TTY  Aborted removal of modules directory", "pnpm"],
  [" ERR_PNPM_UNEXPECTED_STORE  Unexpected store location", "pnpm"],
  [" ERR_PNPM_BAD_PM_VERSION  This project is configured to use v9.0.0 of pnpm.", "pnpm"],
  ["Usage Error: Couldn't find the node_modules state file - running an install might", "yarn"],
  ["Usage Error: The project in /p/package.json doesn't seem to have been installed", "yarn"],
])("is a cause of the environment: %s", (text, name) => {
  expect(causeOf(text)).toMatchObject({ kind: "packages", name });
});

test.each([
  ["a script that fails", ' ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  a@1.0.0 test: "vitest"'],
  ["an assertion about it", "AssertionError: expected 'ERR_PNPM_UNEXPECTED_STORE' to be ''"],
  ["another failure", " ERR_PNPM_UNEXPECTED_STORE  Unexpected store\nAssertionError: 1 != 2"],
])("is none: %s", (_, text) => {
  expect(causeOf(text)).toBeUndefined();
});

test("is a failure like any other if a manifest changed, not if a line has the name of one", () => {
  expect(causeOf(WITHOUT_TERMINAL, { isInChange: () => true })?.kind).toBe("packages");
  const isChangedFile = (name: string): boolean => name === "pnpm-lock.yaml";
  expect(causeOf(WITHOUT_TERMINAL, { isChangedFile })).toBeUndefined();
});
