/**
 * The types of the hook engine under a path of their own: re-exports `contract/types.ts`, which the files of this
 * package import.
 */
export * from "@/node/services/hooks/contract/types";
