export * from "@/node/services/hooks/contract/types";
