/**
 * Exports the code that a Mux loads on demand, only if hooks may be configured: `HostController`, and with it the hook
 * engine, and `FrozenTurn`, the plan of a turn.
 */
export { HostController } from "@/host/session/HostController";
export { FrozenTurn } from "@/node/services/hooks/index";
