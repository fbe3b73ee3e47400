/**
 * Detects turns that an agent has delegated to another workspace. The host marks them in the metadata of their
 * messages, so that it can report to that agent (H7, H28).
 */
import { isJsonObject } from "@/common/json";
import type { HostStreamEnd } from "@/host/muxTypes";

const TYPE = "workspace-turn-task";

export interface Delegation {
  readonly type: typeof TYPE;
  /** The workspace of the agent that awaits the report. */
  readonly ownerWorkspaceId: string;
}

/** @param metadata of a message, or of the stream that answers it */
export function delegationOf(metadata: unknown): Delegation | undefined {
  if (!isJsonObject(metadata) || metadata.type !== TYPE) return undefined;
  const { ownerWorkspaceId, ...more } = metadata;
  return typeof ownerWorkspaceId === "string"
    ? { ...more, type: TYPE, ownerWorkspaceId }
    : undefined;
}

/** Returns the metadata of a continuation. The count after a restart (H27) and the host's report depend on it. */
export function continuationMetadata({ metadata }: HostStreamEnd): object {
  return { ...delegationOf(metadata?.muxMetadata), stopHookActive: true };
}

/**
 * Returns the end of a stream whose turn continues, without the mark by which the host would report it. Without any
 * metadata the host would consider the task interrupted, so other metadata replaces it.
 */
export function unreported(end: HostStreamEnd): HostStreamEnd {
  if (delegationOf(end.metadata?.muxMetadata) === undefined) return end;
  return { ...end, metadata: { ...end.metadata, muxMetadata: { stopHookActive: true } } };
}
