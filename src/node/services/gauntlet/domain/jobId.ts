/** The ID of a job: `check:src:lint`. */
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";

type Gate = Pick<GateDefinition, "kind" | "name">;

/**
 * Returns the ID.
 *
 * @param nth from 1: the index among gates with the same name in the same folder
 */
export function jobId({ kind, name }: Gate, folder: string, nth = 1): string {
  return `${kind}:${folder}:${name}${nth === 1 ? "" : `#${nth}`}`;
}

/** Returns the folder of a job of this gate, or undefined if the job belongs to another gate. */
export function folderOfJob(id: string, { kind, name }: Gate): string | undefined {
  const prefix = `${kind}:`;
  const suffix = `:${name}`;
  const plain = id.endsWith(suffix) ? id : id.replace(/#\d+$/, "");
  if (!plain.startsWith(prefix) || !plain.endsWith(suffix)) return undefined;
  return plain.slice(prefix.length, -suffix.length);
}
