/** lefthook and lint-staged, fetched if a benchmark needs them. As dependencies they would slow down every install. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const LEFTHOOK = "2.2.2";
/** The newest major version that runs on Node 20. */
const LINT_STAGED = "16.4.0";

export interface Rivals {
  /** The native program, because its npm package wraps it in a Node process. */
  readonly lefthook: string;
  /** The script, to be run by Node. */
  readonly lintStaged: string;
  remove(): Promise<void>;
}

/** Installs both. Prints a line and returns undefined if they cannot be fetched, for example without a network. */
export async function fetchRivals(): Promise<Rivals | undefined> {
  const dir = await mkdtemp(join(tmpdir(), "gauntlet-rivals-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  const packages = [`lefthook@${LEFTHOOK}`, `lint-staged@${LINT_STAGED}`];
  // No install scripts: lefthook's would install its hooks into the current repository.
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
