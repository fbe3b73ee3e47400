import type { Definitions } from "@/node/services/hooks/settings/definitions";
import type { TrustItem, TrustState } from "@/node/services/hooks/contract/types";

export interface TrustRequest {
  /** Absolute; for a record of what is trusted its URL, where it is on another machine. */
  readonly projectDir: string;
  readonly items: readonly TrustItem[];
  /** Everything that came with the checkout and would count (H31). */
  readonly definitions: Definitions;
  readonly purpose: TrustPurpose;
}

/**
 * `turn`: a turn begins with the definitions that are chosen. `restart`: a turn goes on whose beginning this process
 * has not seen. `look`: nothing is going to run.
 */
export type TrustPurpose = "turn" | "restart" | "look";

export type TrustDecision = TrustState & {
  /** The definitions that count in place of those that the checkout has now. */
  readonly instead?: Definitions;
  /** Whether the definitions that count are on record. */
  readonly isRecorded?: boolean;
};

/** Decides whether what came with a checkout may run. */
export interface TrustPolicy {
  decide(request: TrustRequest): Promise<TrustDecision>;
}

/** For a program that calls the API and has decided by itself, and for `MUX_HOOKS_TRUST=always`. */
export const trustEverything: TrustPolicy = {
  decide: () => Promise.resolve({ trusted: true }),
};
