import type { ChatCards } from "@/host/session/ChatCards";
import type { CandidatePlace } from "@/host/workspace/quickConfigCheck";
import type { Checkout } from "@/host/workspace/WorkspaceLocator";
import type { HostAgentSession } from "@/host/muxTypes";
import type { FrozenTurn, HookEventName } from "@/node/services/hooks/index";

/** A workspace of the host, and the event whose hooks run for it. */
export interface HostControllerOptions {
  readonly session: HostAgentSession;
  readonly checkout: Checkout;
  readonly event: HookEventName;
  /** For a sub-agent: the plan of its parent's turn. */
  readonly turn?: FrozenTurn;
  readonly place: CandidatePlace;
  readonly cards: ChatCards;
}
