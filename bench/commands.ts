import { fileURLToPath } from "node:url";

const bin = (name: string): string => fileURLToPath(new URL(`../bin/${name}.cjs`, import.meta.url));

/** The program as agents start it. It requires a build. */
export const gauntletBin = bin("agent-gauntlet");

/** The program for people. */
export const personBin = bin("mux-stop-hooks");
