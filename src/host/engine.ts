/** The modules that a Mux loads only if hooks may be configured: `HostController`, and with it the hook engine. */
export { HostController } from "@/host/session/HostController";
export { FrozenTurn } from "@/node/services/hooks/index";
