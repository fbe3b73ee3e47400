/** A scripted agent that reacts to what it reads: it is the same one with and without a feature. */
import type { HostReply, ModelRequest } from "@test/hosts/model/wireFormat";

const SENT_BACK = /Gauntlet gates did not pass\.|^The check failed\./m;

export interface Habits {
  /** What it does with each message of its user before it says that it is done. */
  readonly works: () => readonly HostReply[];
  /** What it does with the reason of a stop that was blocked. */
  readonly reacts: (reason: string) => readonly HostReply[];
}

/** Returns the function that replies to each request. */
export function worker({ works, reacts }: Habits): (request: ModelRequest) => HostReply {
  let queue: HostReply[] = [];
  let stops = 0;
  return ({ said }) => {
    // The results of tools are no text of the user.
    if (said !== "") queue = [...(SENT_BACK.test(said) ? reacts(said) : works())];
    return queue.shift() ?? { text: `I am done (${++stops}).` };
  };
}
