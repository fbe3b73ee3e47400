/** Checks that the page of the tests and the CI script follow test/programs.json. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { repository } from "@test/helpers/built";
import { findProgram, has, pathOf } from "@scripts/programs.mjs";
import { removeVariables } from "@scripts/testMachine.mjs";
import listed from "@test/programs.json";
import { tempDir } from "@test/helpers/tempDir";
import setup from "@test/helpers/tempRoot";

const names = listed.map(({ name }) => name);

test("the page of the tests lists each program that they need", () => {
  const page = readFileSync(join(repository, "test", "README.md"), "utf8");
  const [list = ""] = page.slice(page.indexOf("## Programs")).split("`make test`");
  const named = [...list.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
  expect(named.filter((name) => name !== "CI").sort()).toEqual([...names].sort());
});

test("tests get no variable, program or home of the person who runs them", () => {
  const env = { CLAUDECODE: "1", GIT_DIR: "/x", LANG: "tr_TR", PATH: "/bin", TEST_SEED: "1" };
  removeVariables(env);
  expect(env).toEqual({ PATH: "/bin", TEST_SEED: "1" });
  const { HOME = "", PATH = "", TEST_TEMP_ROOT } = process.env;
  expect([HOME, PATH].map(dirname)).toEqual([TEST_TEMP_ROOT, TEST_TEMP_ROOT]);
  const here = [...names.filter(has), "cat", "node", "npm"];
  expect(readdirSync(PATH)).toEqual(expect.arrayContaining(here));
  expect(findProgram({ name: "agent-gauntlet" })).toBe(undefined);
});

test("the folder of a test run is removed with its programs", () => {
  for (const name of ["TEST_TEMP_ROOT", "TEST_GIT_TEMPLATE", "HOME"]) vi.stubEnv(name, undefined);
  for (const name of ["TMPDIR", "PATH"]) vi.stubEnv(name, process.env[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  const remove = setup();
  const root = process.env.TEST_TEMP_ROOT ?? "";
  expect(readdirSync(root).toSorted()).toEqual(["bin", "home", "template"]);
  remove?.();
  expect(existsSync(root)).toBe(false);
});

/** Runs the check with a `PATH` that has all listed programs except one. */
async function check(missing: string, { options = "", CI = "" } = {}) {
  const bin = join(await tempDir(), "bin");
  await mkdir(bin);
  for (const name of names.filter((listed) => listed !== missing && has(listed))) {
    await symlink(pathOf(name)!, join(bin, name));
  }
  const script = join(repository, "scripts", "programs.mjs");
  const args = options === "" ? [script] : [script, options];
  return spawnSync(process.execPath, args, { env: { PATH: bin, CI }, encoding: "utf8" });
}

test("reports a missing program, whose tests are skipped", async () => {
  const { status, stderr } = await check("zsh");
  expect(status).toBe(0);
  expect(stderr).toContain(
    "zsh is missing (Debian package zsh): the tests that need it are skipped\n"
  );
});

test("fails if a program is missing in CI, or a required one anywhere", async () => {
  const inCi = await check("zsh", { CI: "true" });
  expect([inCi.status, inCi.stderr]).toEqual([1, expect.stringMatching(/^install .*\bzsh\b/m)]);
  const required = await check("git");
  expect([required.status, required.stderr]).toEqual([1, expect.stringContaining("install git")]);
  expect(required.stdout).toBe("0 passed, 1 failed, 0 skipped\n");
});

test("the CI script installs the packages of missing programs", async () => {
  const { stdout } = await check("zsh", { options: "--packages" });
  expect(stdout.trim().split(" ")).toContain("zsh");
  expect(readFileSync(join(repository, ".ci", "run"), "utf8")).toContain("programs.mjs --packages");
});
