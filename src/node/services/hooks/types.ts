/**
 * Re-exports the types of the hook engine under the path at which a user of its sources expects them. The files of this
 * package import `contract/types.ts` instead.
 */
export * from "@/node/services/hooks/contract/types";
