/** What a check's outcome hangs on, as one hash: two checks with one key come out the same (G21). */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import picomatch from "picomatch";
import { commandOf, type CheckJob } from "@/node/services/gauntlet/gates/runCheck";

/** A file as git knows it: its path from the project root, and the id of its content and mode. */
export interface FileId {
  readonly path: string;
  readonly id: string;
}

/** Beside its definition. */
export interface CheckMaterial {
  /** Whether it is run by its `rerun_command`, whose pass is no pass of its `command`. */
  readonly rerun: boolean;
  /** What the run adds to its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The commit that the work is compared with. */
  readonly base?: string;
  /** The tree of the whole snapshot: what a check without `inputs` reads. */
  readonly treeId: string;
  /** Every file of the snapshot, tracked or not, in any order. */
  readonly files: readonly FileId[];
}

/** 64 hex digits; nothing where the `inputs` match no file, for what such a check reads is not known. */
export function checkKey(job: CheckJob, material: CheckMaterial): string | undefined {
  const { inputs, workingDirectory } = job.gate;
  const read = inputs && inputFiles(inputs, workingDirectory ?? job.entryPoint, material.files);
  if (read?.length === 0) return undefined;

  const hash = createHash("sha256");
  // As JSON, one a line: what is put side by side can never be taken for something else.
  const add = (value: unknown): void => void hash.update(`${JSON.stringify(value)}\n`);
  add("check 1");
  add([job.id, material.base ?? null, commandOf(job.gate, material.rerun)]);
  add(sorted(material.env));
  // Where it is defined makes no difference; all else does.
  add(sorted({ ...job.gate, source: undefined, env: sorted(job.gate.env) }));
  if (read === undefined) add(material.treeId);
  else for (const { path, id } of read) add([path, id]);
  return hash.digest("hex");
}

/** Globs are written from the project root or from the check's folder, as people do both; a folder is all in it. */
function inputFiles(
  inputs: readonly string[],
  folder: string,
  files: readonly FileId[]
): readonly FileId[] {
  const globs = inputs.flatMap((glob) => [posix.normalize(glob), posix.join(folder, glob)]);
  const isInput = picomatch(
    globs.flatMap((glob) => [glob, posix.join(glob, "**")]),
    { dot: true }
  );
  return files.filter(({ path }) => isInput(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function sorted(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
