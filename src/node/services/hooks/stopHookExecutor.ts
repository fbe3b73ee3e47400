export * from "@/node/services/hooks/stop/executeStop";
