/** Texts that several formats of a report share. */
import type { ReportedFinding } from "@/cli/gauntlet/report/report";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";

/** Returns `file:line:column`, as far as it is known. */
export function placeOf({
  file,
  line,
  column,
}: Pick<ReportedFinding, "file" | "line" | "column">): string {
  if (file === undefined) return "";
  return [file, line, line === undefined ? undefined : column]
    .filter((part) => part !== undefined)
    .join(":");
}

/** Returns a word for the result of a gate. */
export function outcomeWord({ outcome, cachedSince }: GateResult): string {
  if (cachedSince !== undefined) return "cached";
  if (outcome === "known") return "older failures only";
  return outcome.replace("_", " ");
}

export function durationText(ms: number): string {
  const s = ms / 1000;
  return s < 60 ? `${s.toFixed(1)} s` : `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
}
