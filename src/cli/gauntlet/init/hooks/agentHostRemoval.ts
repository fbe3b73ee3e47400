/** Removes the gauntlet from the settings files of an agent host: only the handlers that `init` wrote (G29). */
import { ok } from "neverthrow";
import {
  findHooks,
  formatOf,
  parseWritten,
  placeOf,
  readLayers,
} from "@/cli/gauntlet/init/hooks/hookLayers";
import type { InitPlace, RemovalPlan } from "@/cli/gauntlet/init/hooks/hookPlan";
import { PROGRAM_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import type { InstallableHost } from "@/cli/gauntlet/init/hooks/installable";
import { formatDiagnostic } from "@/common/diagnostics";
import { isWithoutContent, parseSettings, removeHooks } from "@/node/services/hooks/index";

export async function planAgentHostRemoval(
  { install }: InstallableHost,
  place: InitPlace
): Promise<RemovalPlan> {
  const format = formatOf(install);
  const entries = [install.stop, install.turnStart];
  const layers = await readLayers(install, place);
  const remove = (source: string): string =>
    entries.reduce(
      (text, entry) =>
        removeHooks(
          text,
          entry.event,
          (fields) => parseWritten(fields, entry, format) !== undefined,
          format
        ),
      source
    );
  const changed = layers.filter(({ source }) => remove(source) !== source);
  const found = entries.flatMap((entry) => findHooks(layers, entry, format));
  return {
    removals: changed.map(({ file: { path } }) => ({
      path,
      edit: (_, source) => ok(remove(source)),
      isRemovable: (text) => isWithoutContent(text, format),
    })),
    others: found.filter(({ written }) => written === undefined).map(placeOf),
    problems: layers.flatMap(({ file: { path, isToml }, source, problem }) => {
      if (isToml === true) return [];
      if (problem !== undefined) return [problem];
      if (!source.includes(PROGRAM_NAME)) return [];
      return parseSettings(path, source).match(
        () => [],
        (diagnostic) => [formatDiagnostic(diagnostic)]
      );
    }),
  };
}
