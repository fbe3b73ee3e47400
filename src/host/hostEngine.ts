/** What is loaded only where hooks may be configured. */
export { HostController } from "@/host/HostController";
export { SubagentController } from "@/host/hostSubagentStop";
