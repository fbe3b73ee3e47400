/** Hashes everything that a check's outcome depends on: two checks with one key have the same outcome (G21). */
import { sha256 } from "@/common/hash";
import { matcherOf } from "@/node/services/gauntlet/domain/checkFiles";
import { commandOf, type CheckJob } from "@/node/services/gauntlet/gates/runCheck";

/** A file as git lists it: its path from the project root, and the ID of its content and mode. */
export interface FileId {
  readonly path: string;
  readonly id: string;
}

/** The inputs of a key, in addition to the check's definition. */
export interface CheckMaterial {
  /** Whether its `rerun_command` is run. A pass of that is not a pass of its `command`. */
  readonly rerun: boolean;
  /** The files that its command gets, if it gets any (G32). */
  readonly passed?: readonly string[];
  /** The variables that the run adds to its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Digest of what decides which programs the command starts. */
  readonly environment?: string;
  /** The commit that the work is compared with, for a check without `inputs`. */
  readonly base?: string;
  /** HEAD, on which a check with `reads: history` depends. */
  readonly head?: string | undefined;
  /** The tree of the whole snapshot, for a check without `inputs`. */
  readonly treeId: string;
  /** Every file of the snapshot, tracked or not, in any order. */
  readonly files: readonly FileId[];
}

/** Returns 64 hex digits, or undefined if the `inputs` match no file: it is then unknown what the check reads. */
export function checkKey(job: CheckJob, material: CheckMaterial): string | undefined {
  const isInput = matcherOf(job, "inputs");
  const read =
    isInput &&
    material.files.filter(({ path }) => isInput(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  if (read?.length === 0) return undefined;

  const lines: string[] = [];
  // One JSON value per line, so that adjacent values cannot be confused.
  const add = (value: unknown): void => void lines.push(`${JSON.stringify(value)}\n`);
  add(["check 2", material.environment ?? null]);
  // The commit does not matter to a check that names what it reads; one with {base} has it in its variables.
  const base = read === undefined ? material.base : undefined;
  add([job.id, base ?? null, commandOf(job.gate, material.rerun)]);
  add(sorted(material.env));
  // The position of the definition makes no difference; everything else does.
  add(sorted({ ...job.gate, source: undefined, env: sorted(job.gate.env) }));
  if (material.passed !== undefined) {
    const ids = new Map(material.files.map(({ path, id }) => [path, id]));
    add(material.passed.map((path) => [path, ids.get(path) ?? null]));
  }
  if (job.gate.reads === "history") add(["HEAD", material.head ?? null]);
  if (read === undefined) add(material.treeId);
  else for (const { path, id } of read) add([path, id]);
  return sha256(lines.join(""));
}

function sorted(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
