/** The types of the decision whether the content of a checkout may run (H31), and the policy that trusts everything. */
import type { Definitions } from "@/node/services/hooks/settings/hookDefinitions";
import type { TrustItem, TrustState } from "@/node/services/hooks/contract/types";

/** The content of a checkout whose trust is to be decided. */
export interface TrustRequest {
  /** Absolute. For a trust record, the URL of the project if that is on another machine. */
  readonly projectDir: string;
  readonly items: readonly TrustItem[];
  /** Everything that came with the checkout and would count (H31). */
  readonly definitions: Definitions;
  readonly purpose: TrustPurpose;
}

/** The purpose of a decision. The record changes only for `turn` and `restart`. */
export type TrustPurpose =
  /** A turn begins with the chosen definitions. */
  | "turn"
  /** This process continues a turn that another process began. */
  | "restart"
  /** Decides whether the plugins of the checkout are read; only the IDs of their definitions are known (H38). */
  | "read"
  /** Any other purpose, such as a list of hooks or a direct call of `runStopHooks`. */
  | "look";

export type TrustDecision = TrustState & {
  /** The definitions that count in place of those that the checkout has now. */
  readonly instead?: Definitions;
  /** Whether the definitions that count are on record. */
  readonly isRecorded?: boolean;
};

/** A policy that decides whether content of a checkout may run. */
export interface TrustPolicy {
  decide(request: TrustRequest): Promise<TrustDecision>;
}

/** Trusts everything. For a program that calls the API and decides by itself, and for commands that run no hook. */
export const trustEverything: TrustPolicy = {
  decide: () => Promise.resolve({ trusted: true }),
};

/** A policy, or `everything` for a program that decides by itself whether to call the engine. */
export type TrustOption = TrustPolicy | "everything";

export function policyOf(trust: TrustOption): TrustPolicy {
  return trust === "everything" ? trustEverything : trust;
}
