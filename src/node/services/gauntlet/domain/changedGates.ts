/**
 * Makes the texts of gates that a run records: the command of a check with the keys that limit what it checks, or all
 * settings of a review. Describes for the user the gates whose text changed or that were removed since then (G20d). New
 * gates, and changes of other keys of a check, are ignored.
 */
import type { CheckDefinition, EntryPoint } from "@/node/services/gauntlet/domain/gate";
import { checkKeys, shownKeys } from "@/node/services/gauntlet/domain/configSchemas";

/** The command of a check or the settings of a review, by entry point and gate. */
export type GateTexts = Readonly<Record<string, string>>;

/** Returns the texts to record. */
export function gateTexts(entryPoints: readonly EntryPoint[], keys = checkKeys): GateTexts {
  const shown = shownKeys(keys);
  return Object.fromEntries(
    entryPoints.flatMap(({ path, gates }) =>
      gates.map((gate) => {
        const { source, ...definition } = gate;
        const text = gate.kind === "check" ? checkText(gate, shown) : JSON.stringify(definition);
        return [`${gate.kind}:${path}:${gate.name}`, text];
      })
    )
  );
}

/** Returns the command, with the keys that limit what it checks. */
function checkText(gate: CheckDefinition, shown: ReturnType<typeof shownKeys>): string {
  const fields: Readonly<Record<string, unknown>> = { ...gate };
  const set = shown.filter(({ field, otherwise }) => fields[field] !== otherwise);
  if (set.length === 0) return gate.command;
  return `${gate.command} ${JSON.stringify(Object.fromEntries(set.map(({ key, field }) => [key, fields[field]])))}`;
}

/** Returns one line for each gate that was changed or removed. New gates are ignored, because they remove nothing. */
export function changedGates(before: GateTexts, now: GateTexts): string[] {
  return Object.entries(before).flatMap(([id, old]) => {
    const text = Object.hasOwn(now, id) ? now[id] : undefined;
    if (text === old) return [];
    return [
      text === undefined
        ? `${id} was removed from the configuration; it was: ${old}`
        : `${id} was changed in the configuration; it was: ${old}; it is now: ${text}`,
    ];
  });
}
