/** Removes the gauntlet from the settings files of an agent host: only the handlers that `init` wrote (G29). */
import { posix } from "node:path";
import { ok } from "neverthrow";
import type { InitPlace, RemovalPlan } from "@/cli/gauntlet/init/hooks/hookPlan";
import { PROGRAM_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import type { InstallableHost } from "@/cli/gauntlet/init/hooks/installable";
import { Installation, placeOf } from "@/cli/gauntlet/init/hooks/Installation";
import { formatDiagnostic } from "@/common/diagnostics";

export async function planAgentHostRemoval(
  { install }: InstallableHost,
  place: InitPlace
): Promise<RemovalPlan> {
  const installation = await Installation.read(install, place);
  const { layers, syntax, hooks } = installation;
  const { companion } = install;
  const remove = (source: string): string =>
    [install.stop, install.turnStart].reduce(
      (text, entry) =>
        syntax.remove(
          text,
          entry.event,
          (fields) => installation.parseWritten(fields, entry) !== undefined
        ),
      source
    );
  const changed = layers.filter(({ source }) => remove(source) !== source);
  return {
    removals: changed.flatMap(({ file: { path } }) => [
      {
        path,
        edit: (_, source) => ok(remove(source)),
        isRemovable: (text) => syntax.isEmpty(text),
      },
      ...(companion === undefined
        ? []
        : [
            {
              path: posix.join(posix.dirname(path), companion.path),
              edit: (_: string, source: string) => ok(source === companion.text ? "" : source),
              isRemovable: (text: string) => text === "",
            },
          ]),
    ]),
    others: hooks.filter(({ written }) => written === undefined).map(placeOf),
    problems: layers.flatMap(({ file: { path, isToml }, source, problem }) => {
      if (isToml === true) return [];
      if (problem !== undefined) return [problem];
      const diagnostic = source.includes(PROGRAM_NAME) ? syntax.check(path, source) : undefined;
      return diagnostic === undefined ? [] : [formatDiagnostic(diagnostic)];
    }),
  };
}
