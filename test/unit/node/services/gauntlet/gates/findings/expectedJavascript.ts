/** The findings and tests that the parsers have to find in the outputs of the tools of JavaScript. */
import type { ExpectedFindings } from "@test/unit/node/services/gauntlet/gates/findings/expectedFindings";

export const JAVASCRIPT: Readonly<Record<string, ExpectedFindings>> = {};
