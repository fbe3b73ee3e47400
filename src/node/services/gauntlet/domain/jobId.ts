/** How a job is called: `check:src:lint`. */
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";

type Gate = Pick<GateDefinition, "kind" | "name">;

/** @param nth from 1: which of several gates of one name at one folder */
export function jobId({ kind, name }: Gate, folder: string, nth = 1): string {
  return `${kind}:${folder}:${name}${nth === 1 ? "" : `#${nth}`}`;
}

/** The folder of a job of this gate; undefined where the job is another gate's. */
export function folderOfJob(id: string, { kind, name }: Gate): string | undefined {
  const prefix = `${kind}:`;
  const suffix = `:${name}`;
  const plain = id.endsWith(suffix) ? id : id.replace(/#\d+$/, "");
  if (!plain.startsWith(prefix) || !plain.endsWith(suffix)) return undefined;
  return plain.slice(prefix.length, -suffix.length);
}
