/** lefthook and lint-staged, fetched when a benchmark wants them: as dependencies they would weigh on every install. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const LEFTHOOK = "2.2.2";
/** The newest major that runs on Node 20. */
const LINT_STAGED = "16.4.0";

export interface Rivals {
  /** The program itself: its package for npm wraps it in a Node. */
  readonly lefthook: string;
  /** A script for Node. */
  readonly lintStaged: string;
  remove(): Promise<void>;
}

/** Nothing where they cannot be had, as without a network; says so. */
export async function fetchRivals(): Promise<Rivals | undefined> {
  const dir = await mkdtemp(join(tmpdir(), "gauntlet-rivals-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  const packages = [`lefthook@${LEFTHOOK}`, `lint-staged@${LINT_STAGED}`];
  // No scripts: lefthook's would install hooks into whatever repository it finds itself in.
  const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--prefix", dir];
  try {
    await promisify(execFile)("npm", ["install", ...flags, ...packages], { timeout: 60_000 });
  } catch {
    await remove();
    console.log(`skip  checks-*: ${packages.join(" and ")} could not be fetched by npm`);
    return undefined;
  }
  const modules = join(dir, "node_modules");
  const binary = `lefthook-${process.platform}-${process.arch}`;
  return {
    lefthook: join(modules, binary, "bin", "lefthook"),
    lintStaged: join(modules, "lint-staged", "bin", "lint-staged.js"),
    remove,
  };
}
