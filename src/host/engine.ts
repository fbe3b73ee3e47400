/** The modules that are loaded only if hooks may be configured. */
export { HostController } from "@/host/session/HostController";
export { FrozenTurn } from "@/node/services/hooks/index";
