import type { TrustItem, TrustState } from "@/node/services/hooks/types";

export interface TrustRequest {
  /** Absolute; for a record of what is trusted its URL, where it is on another machine. */
  readonly projectDir: string;
  readonly items: readonly TrustItem[];
  /** Over everything that would run (H31); read only when asked for. */
  digest(): Promise<string>;
}

/** Decides whether what came with a checkout may run. Asked only where there is something to run. */
export interface TrustPolicy {
  decide(request: TrustRequest): Promise<TrustState>;
}

/** For a program that calls the API and has made up its own mind, and for `MUX_HOOKS_TRUST=always`. */
export const trustEverything: TrustPolicy = {
  decide: () => Promise.resolve({ trusted: true }),
};
