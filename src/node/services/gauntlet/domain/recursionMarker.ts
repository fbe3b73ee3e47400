/** A variable set for every check and reviewer, so that a gauntlet which one of them starts returns at once (G24). */
export const RECURSION_MARKER = "GAUNTLET_STOP_HOOK_ACTIVE";
