/** The same trivial checks for the gauntlet and for the programs that it is compared with. */
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { gauntletBin } from "./commands";
import { benchEnv, Repository, version } from "./repositories";
import type { Rivals } from "./rivals";

/** Returns a configuration for each of the programs: `count` checks that run `command`, parallel where possible. */
function configured(count: number, command: string): Record<string, string> {
  const names = Array.from({ length: count }, (_, i) => `c${i}`);
  const checks = names.map((name) => `      - ${name}: { command: "${command}", parallel: true }`);
  const commands = names.map((name) => `    ${name}: { run: "${command}" }`);
  // lint-staged runs the tasks of one glob in order, so parallel tasks need one glob each.
  const globs = names.map((name) => [`{a,${name}}.txt`, command]);
  const options = `language: system, entry: "${command}", pass_filenames: false, always_run: true`;
  const hooks = names.map((name) => `      - { id: ${name}, name: ${name}, ${options} }`);
  return {
    ".gitignore": "gauntlet_logs/\n",
    ".gauntlet/config.yml": `base_branch: main\nmax_parallel: 8\nentry_points:\n  - path: "."\n    checks:\n${checks.join("\n")}\n`,
    "lefthook.yml": `pre-commit:\n  parallel: true\n  commands:\n${commands.join("\n")}\n`,
    ".lintstagedrc.json": JSON.stringify(Object.fromEntries(globs)),
    ".pre-commit-config.yaml": `repos:\n  - repo: local\n    hooks:\n${hooks.join("\n")}\n`,
    "a.txt": "a\n",
  };
}

/** Creates a repository with `count` checks, and a file `a.txt` that they apply to. */
export function withChecks(count: number, command: string): Promise<Repository> {
  return Repository.create(10, configured(count, command));
}

/** Writes new content to `a.txt` at each call, and stages it, because the other programs check staged files only. */
export function stagedEdits(repository: Repository): () => Promise<void> {
  let edits = 0;
  return async () => {
    await repository.write("a.txt", version(edits++));
    await repository.git("add", "a.txt");
  };
}

type Side = () => Promise<unknown>;

/**
 * Returns the runs of all programs in a repository, with the name of each. `node` is an empty Node process. There is also
 * a `pre-commit` where the machine has it.
 */
export function programs(
  { dir: cwd }: Repository,
  node: string,
  { lefthook, lintStaged, preCommit, dir }: Rivals
): Record<"node" | "ours" | "lefthook" | "lint-staged", Side> {
  const PATH = [dirname(node), benchEnv.PATH].join(delimiter);
  const env = { ...benchEnv, PATH, PRE_COMMIT_HOME: join(dir, "pre-commit-home") };
  const run = (file: string, ...args: string[]) =>
    execa(file, args, { cwd, env, extendEnv: false });
  return {
    node: () => run(node, "-e", "0"),
    "lint-staged": () => run(node, lintStaged, "--quiet"),
    lefthook: () => run(lefthook, "run", "pre-commit"),
    ...(preCommit !== undefined && { "pre-commit": () => run(preCommit, "run") }),
    ours: () => run(node, gauntletBin, "run"),
  };
}
