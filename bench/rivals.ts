/**
 * lefthook, lint-staged and pre-commit. The first two are fetched if a benchmark needs them, because as dependencies they
 * would slow down every install. pre-commit is a program of the machine.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../scripts/programs.mjs";

const LEFTHOOK = "2.2.2";
/** The newest major version that runs on Node 20. */
const LINT_STAGED = "16.4.0";

export interface Rivals {
  /** The native program, because its npm package wraps it in a Node process. */
  readonly lefthook: string;
  /** The script, to be run by Node. */
  readonly lintStaged: string;
  readonly preCommit: string | undefined;
  /** Their versions, by their names. */
  readonly versions: Readonly<Record<string, string>>;
  /** A temporary folder, in which they may write. */
  readonly dir: string;
  remove(): Promise<void>;
}

/**
 * Installs the programs. Prints a line and returns undefined if they cannot be fetched, for example without a network.
 * Without `pre-commit` on the PATH it prints a line and goes on.
 */
export async function fetchRivals(): Promise<Rivals | undefined> {
  const dir = await mkdtemp(join(tmpdir(), "gauntlet-rivals-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  const packages = [`lefthook@${LEFTHOOK}`, `lint-staged@${LINT_STAGED}`];
  try {
    await npmInstall(dir, packages);
  } catch (error) {
    await remove();
    console.log(`skip  checks-*: ${packages.join(" and ")} not fetched: ${reasonOf(error)}`);
    return undefined;
  }
  const modules = join(dir, "node_modules");
  const binary = `lefthook-${process.platform}-${process.arch}`;
  const preCommit = findProgram({ name: "pre-commit" });
  if (preCommit === undefined) {
    console.log("skip  pre-commit: it is missing (Debian package pre-commit)");
  }
  return {
    lefthook: join(modules, binary, "bin", "lefthook"),
    lintStaged: join(modules, "lint-staged", "bin", "lint-staged.js"),
    preCommit,
    versions: {
      lefthook: LEFTHOOK,
      "lint-staged": LINT_STAGED,
      ...(preCommit !== undefined && { "pre-commit": await versionOf(preCommit) }),
    },
    dir,
    remove,
  };
}

/** Installs packages without their install scripts: lefthook's would install its hooks into the current repository. */
export async function npmInstall(dir: string, packages: readonly string[]): Promise<void> {
  const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefix", dir];
  await promisify(execFile)("npm", ["install", ...flags, ...packages], { timeout: 120_000 });
}

/** Returns the first line of an error that npm printed. */
export function reasonOf(error: unknown): string {
  const { stderr = "", message } = error as Error & { stderr?: string };
  return /^npm error (?!code)(.*)$/m.exec(stderr)?.[1] ?? message;
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ["--version"]);
  return stdout.trim().split(" ").at(-1) ?? "";
}
