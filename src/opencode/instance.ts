/** An instance of the plugin. opencode may have several at the same time, even for one session. */
import { describeError } from "@/common/errors";
import type { Notices } from "@/opencode/Notices";
import type { OpencodeClient, Reply } from "@/opencode/opencodeTypes";
import type { UserPlace } from "@/wiring";

export interface PluginInstance {
  readonly client: OpencodeClient;
  readonly directory: string;
  readonly place: UserPlace;
  readonly notices: Notices;
}

/** Returns the data of an answer of opencode. @throws if the request failed */
export function dataOf<T>(request: string, { data, error }: Reply<T>): T {
  if (data === undefined)
    throw new Error(`the request ${request} to opencode failed: ${describeReply(error)}`);
  return data;
}

/** Describes the `error` of an answer. */
export function describeReply(error: unknown): string {
  return typeof error === "object" && error !== null ? JSON.stringify(error) : describeError(error);
}
