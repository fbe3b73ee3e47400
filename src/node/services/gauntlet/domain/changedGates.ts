/** Gates whose definition changed between two stops (G20d). */
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";

/** By entry point and gate: the command of a check, the settings of a review. */
export type GateTexts = Readonly<Record<string, string>>;

export function gateTexts(entryPoints: readonly EntryPoint[]): GateTexts {
  return Object.fromEntries(
    entryPoints.flatMap(({ path, gates }) =>
      gates.map((gate) => {
        const { source, ...definition } = gate;
        const text = gate.kind === "check" ? gate.command : JSON.stringify(definition);
        return [`${gate.kind}:${path}:${gate.name}`, text];
      })
    )
  );
}

/** One line for each gate that is another one now, or is gone. New gates take nothing away. */
export function changedGates(before: GateTexts, now: GateTexts): string[] {
  return Object.entries(before).flatMap(([id, old]) => {
    const text = Object.hasOwn(now, id) ? now[id] : undefined;
    if (text === old) return [];
    return text === undefined
      ? [`${id} was taken out of the configuration; it was: ${old}`]
      : [`${id} was changed from: ${old} to: ${text}`];
  });
}
