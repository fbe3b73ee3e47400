/** Reasons why a pass did not verify everything (G20c, G20d). */
import { clip, visible } from "@/common/text";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { flaky } from "@/node/services/gauntlet/messages/gates";
import { filesTooLarge, UNSTABLE } from "@/node/services/gauntlet/messages/run";

const MAX_NAMED = 3;
const MAX_NAME_CHARS = 200;

/** Returns undefined if everything was verified. */
export function caveatOf(gates: readonly GateResult[], isUnstable: boolean): string | undefined {
  const slots = gates.flatMap((gate) => gate.slots ?? []);
  const cut = [...new Set(slots.flatMap((slot) => slot.cut ?? []))];
  const flakyChecks = gates.filter((gate) => gate.flaky === true);
  const caveats = [
    ...(isUnstable ? [UNSTABLE] : []),
    ...flakyChecks.map(({ jobId, runs = 2 }) => flaky(visible(jobId), runs)),
    ...(cut.length > 0 ? [describeCut(cut)] : []),
  ];
  return caveats.length === 0 ? undefined : caveats.join("; ");
}

function describeCut(files: readonly string[]): string {
  const names = files.slice(0, MAX_NAMED).map((file) => clip(visible(file), MAX_NAME_CHARS));
  return filesTooLarge(names, files.length - names.length);
}
