/**
 * Exports what Mux loads at the first turn, if hooks may be configured: `WorkspaceHooks`, and with it the hook engine,
 * and `FrozenTurn`, the plan of a turn.
 */
export { WorkspaceHooks } from "@/host/session/WorkspaceHooks";
export { FrozenTurn } from "@/node/services/hooks/index";
