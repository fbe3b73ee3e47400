// Finds the programs that the tests use; test/programs.json is the list of them.
import { spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const PROGRAMS = JSON.parse(
  readFileSync(new URL("../test/programs.json", import.meta.url), "utf8")
);

/**
 * Returns the absolute path of a listed program, or undefined if it is missing. A program of the same name whose
 * `--version` does not begin with the listed text is a different one.
 */
export function findProgram({ name, version }) {
  const own = (process.env.PATH ?? "").split(delimiter);
  // Servers are often outside a user's PATH, in `sbin` beside a `bin` of it.
  const folders = [...own, ...own.map((folder) => folder.replace(/\/bin\/?$/, "/sbin"))];
  const path = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (path === undefined || version === undefined) return path;
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return stdout?.startsWith(version) ? path : undefined;
}

const found = new Map();

export function pathOf(name) {
  const program = PROGRAMS.find((listed) => listed.name === name);
  if (program === undefined) throw new Error(`${name} is not in test/programs.json`);
  if (!found.has(name)) found.set(name, findProgram(program));
  return found.get(name);
}

export function has(name) {
  return pathOf(name) !== undefined;
}

export function missingIn(text) {
  const words = new Set(text.split(/[^\w-]+/));
  return PROGRAMS.map(({ name }) => name).filter((name) => words.has(name) && !has(name));
}

function describeMissing({ name, package: debian, isRequired }) {
  const effect = isRequired ? "no test can run without it" : "the tests that need it are skipped";
  return `${name} is missing (Debian package ${debian}): ${effect}`;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Checks for missing programs. With `--packages` it prints their Debian packages instead. */
function main(options) {
  const missing = PROGRAMS.filter(({ name }) => !has(name));
  if (options.includes("--packages")) {
    console.log([...new Set(missing.map((program) => program.package))].join(" "));
    return;
  }
  for (const program of missing) console.error(describeMissing(program));
  const fails = process.env.CI ? missing : missing.filter(({ isRequired }) => isRequired);
  if (fails.length === 0) return;
  const names = fails.map(({ name }) => name).join(", ");
  const rule = process.env.CI ? "CI runs every test" : "no test can run";
  console.error(`install ${names} first: ${rule}`);
  console.log(`0 passed, ${fails.length} failed, 0 skipped`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
