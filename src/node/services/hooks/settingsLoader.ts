export * from "@/node/services/hooks/stop/loadHookSettings";
