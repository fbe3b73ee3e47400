/**
 * Plans to install, to update or to remove the hooks of the gauntlet in the settings files of a host, and finds hosts
 * that would run the gates twice (G29).
 */
import { isDeepStrictEqual } from "node:util";
import { posix } from "node:path";
import { err, ok, Result } from "neverthrow";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import type * as hostTypes from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import * as hookProgram from "@/cli/gauntlet/init/hooks/hookProgram";
import { InstalledHooks, statusIn } from "@/cli/gauntlet/init/hooks/InstalledHooks";
import type { SettingsEdit } from "@/cli/settingsFile";
import { formatDiagnostic } from "@/common/diagnostics";
import type { JsonObject } from "@/common/json";
import { shownCommand } from "@/common/ownCommandName";

export interface PlanOptions {
  /** Whether the hook is for the whole team, in a file that is committed. */
  readonly shared?: boolean;
  /** The time limit of the Stop hooks, in seconds. Absent: that of an installed hook, else the default. */
  readonly limit?: number;
  /** The text that the host shows while the hook runs. Absent: that of an installed hook. */
  readonly status?: string;
  /** The names of all hosts that get a hook by the same call, some of which may not be written yet. */
  readonly hosts?: readonly string[];
}

export interface InstallPlan {
  /** `file:line` of an installed gauntlet, by any path, in a file of the user or of the project. */
  readonly installedAt?: string;
  /** A change that the user may want to make. */
  readonly advice?: string;
  /** The step that the user has to take before the host runs the hook. */
  readonly nextStep?: string;
  /** The edits that install or update it; empty if there is nothing to do. An error explains what prevents them. */
  readonly edits: Result<readonly SettingsEdit[], string>;
}

/** Plans the Stop hook and the hook of a new message. Writes nothing. */
export async function planHook(
  host: hostTypes.HookHost,
  place: InitPlace,
  options: PlanOptions = {}
): Promise<InstallPlan> {
  const { install } = host;
  const { shared = false, limit, status } = options;
  const installation = await InstalledHooks.read(host, place);
  const { layers, hooks, syntax } = installation;
  const [first] = installation.stops;
  const overlap = await findOverlap(host, place, options, first !== undefined);
  if (overlap?.coveredBy !== undefined) {
    return { installedAt: overlap.coveredBy, advice: overlap.advice, edits: ok([]) };
  }
  const programs = await (install.engine?.findPrograms ?? hookProgram.findPrograms)(place, shared);
  /** Returns the handler that `init` would write now. `current` has the fields of the one that is updated. */
  const wanted = (
    { entry, layer, written = entry }: Pick<hostTypes.InstalledHook, "entry" | "layer" | "written">,
    current: JsonObject = {}
  ): Result<JsonObject, string> => {
    const own = (limit === undefined ? undefined : entry.withLimit?.(limit)) ?? written;
    const before = installation.parse(current)?.program;
    const program = programIn(layer.file, programs, before, host, place);
    return program.map((words) => {
      const fit = hookProgram.cloneProgramFor(host.name, words);
      return installation.handlerOf(own, fit, status ?? statusIn(current));
    });
  };
  const outdated = hooks.filter((hook) => {
    if (hook.written === undefined) return false;
    const now = wanted(hook, hook.handler.fields);
    return now.isErr() || !isDeepStrictEqual({ ...hook.handler.fields }, now.value);
  });
  const outdatedStop = outdated.find(({ entry }) => entry === install.stop);
  const scope = shared ? "shared" : "personal";
  const target =
    outdatedStop?.layer ?? layers.find(({ file: { targetOf } }) => targetOf.includes(scope));
  if (target === undefined) {
    const path = layers[0]?.file.path ?? "";
    return {
      edits: err(`${install.title} reads hooks only from ${path}, which is yours; omit --shared`),
    };
  }
  // One edit updates all handlers of an entry in a file.
  const updates = outdated
    .filter(({ layer, entry }, i) => {
      const same = outdated.findIndex((other) => other.layer === layer && other.entry === entry);
      return same === i;
    })
    .map((hook) => {
      const { layer, entry } = hook;
      const change = (fields: JsonObject): JsonObject => {
        const written = installation.writtenIn(layer.file, fields, entry);
        return (written && wanted({ entry, layer, written }, fields).unwrapOr(undefined)) ?? fields;
      };
      return wanted(hook, hook.handler.fields).map(() =>
        editOf(layer, (_, source) => ok(syntax.change(source, entry.event, change)))
      );
    });
  // If the stop hook is up to date, the user may have removed the turn-start hook on purpose.
  const { stop, turnStart } = install;
  const isTurnAdded =
    hooks.every(({ entry }) => entry !== turnStart) &&
    (first === undefined || outdatedStop !== undefined);
  const added = [
    first === undefined ? stop : undefined,
    isTurnAdded ? turnStart : undefined,
  ].filter((entry) => entry !== undefined);
  const { refusal } = target.file;
  const additions = added.map((entry) =>
    (refusal === undefined
      ? wanted({ entry, layer: target }, outdatedStop?.handler.fields)
      : err(refusal)
    ).map((handler) =>
      editOf(target, (file, source) => syntax.add(file, source, entry.event, handler))
    )
  );
  const { path = "", text = "" } = install.companion ?? {};
  // A file that exists stays as it is.
  const companion: SettingsEdit = {
    path: posix.join(posix.dirname(target.file.path), path),
    isShared: target.file.isShared,
    edit: (_, source) => ok(source === "" ? text : source),
  };
  const needsCompanion = added.length > 0 && install.companion !== undefined;
  const advice = [
    first && adviceOn(installation, first, options, outdated.includes(first)),
    overlap?.advice,
  ].flatMap((texts) => texts ?? []);
  return {
    installedAt: first?.at,
    advice: advice.length === 0 ? undefined : advice.join("\n"),
    nextStep: install.nextStep?.(shared),
    edits: Result.combine([...updates, ...additions]).map((all) =>
      needsCompanion ? [...all, companion] : all
    ),
  };
}

function editOf({ file }: hostTypes.Layer, edit: SettingsEdit["edit"]): SettingsEdit {
  return { path: file.path, isShared: file.isShared, edit };
}

/** Returns the program of a handler in a file. */
function programIn(
  file: hostTypes.HostFile,
  { shared, inHome, personal }: hookProgram.HookPrograms,
  current = "",
  { install }: hostTypes.HookHost,
  { projectDir }: InitPlace
): Result<string, string> {
  if (shared !== undefined && file.targetOf.includes("shared")) {
    return shared.isErr() && hookProgram.isPortable(current) ? ok(current) : shared;
  }
  if (hookProgram.CLONE_PROGRAMS.includes(current)) return ok(current);
  if (file.isShared) return ok(install.engine === undefined ? hookProgram.PROGRAM_NAME : current);
  return file.path.startsWith(`${projectDir}/`) ? ok(personal) : inHome;
}

/** Returns what the user may want to change about an installed hook. */
function adviceOn(
  { host: { name, install }, stops }: InstalledHooks,
  first: hostTypes.InstalledHook,
  { shared, limit }: PlanOptions,
  isOutdated: boolean
): string[] {
  const isSharedMissing = shared === true && stops.every(({ layer }) => !layer.file.isShared);
  const advice = [
    isSharedMissing &&
      `The shared hook was not installed, because the gates would run twice. To share your hook with your team instead, run "${shownCommand()} uninstall --hook ${name}", then "${shownCommand()} init --shared --hook ${name}".`,
    !(isOutdated || isVerifying(first)) &&
      "When the gauntlet has blocked a stop, this hook allows the next stop without a check. Add --verify to the command of the hook to check every stop.",
    limit !== undefined &&
      first.written === undefined &&
      `You edited the hook in ${first.at}, so its time limit was not changed; set ${limitFields(install.stop, limit)} there.`,
  ];
  return advice.filter((text) => text !== false);
}

/** Returns whether a hook needs no `--verify`, or has it. */
export function isVerifying({ entry, handler }: hostTypes.InstalledHook): boolean {
  return !entry.args.includes("--verify") || handler.command.includes("--verify");
}

/** Returns what a user has to change for another time limit. */
function limitFields({ limit, withLimit }: hostTypes.HostHookEntry, seconds: number): string {
  const { fields = {}, args = "" } = withLimit?.(seconds) ?? {};
  return [
    limit && `"${limit.field}": ${JSON.stringify(fields[limit.field])}`,
    args.includes("--limit") && `--limit ${seconds}`,
  ]
    .filter(Boolean)
    .join(" and ");
}

/**
 * Plans to remove only the handlers that `init` wrote. Also returns `file:line` of each other hook of the gauntlet,
 * and why files could not be examined.
 */
export async function planRemoval(host: hostTypes.HookHost, place: InitPlace) {
  const installation = await InstalledHooks.read(host, place);
  const { layers, syntax, hooks } = installation;
  const { companion, stop, turnStart = stop } = host.install;
  const remove = ({ file }: hostTypes.Layer, source: string): string =>
    [stop, turnStart].reduce(
      (text, entry) =>
        syntax.change(text, entry.event, (fields) =>
          installation.writtenIn(file, fields, entry) === undefined ? fields : undefined
        ),
      source
    );
  const changed = layers.filter((layer) => remove(layer, layer.source) !== layer.source);
  return {
    removals: changed.flatMap((layer): SettingsEdit[] => {
      const edit: SettingsEdit["edit"] = (_, source) => ok(remove(layer, source));
      const own = { path: layer.file.path, edit, isRemovable: syntax.isEmpty };
      if (companion === undefined) return [own];
      const other: SettingsEdit = {
        path: posix.join(posix.dirname(own.path), companion.path),
        edit: (_, source) => ok(source === companion.text ? "" : source),
        isRemovable: (text) => text === "",
      };
      return [own, other];
    }),
    others: hooks.filter(({ written }) => written === undefined).map(({ at }) => at),
    problems: layers.flatMap(({ file: { path, isToml }, source, problem }) => {
      if (isToml === true) return [];
      if (problem !== undefined) return [problem];
      const diagnostic = source.includes(hookProgram.PROGRAM_NAME)
        ? syntax.check(path, source)
        : undefined;
      return diagnostic === undefined ? [] : [formatDiagnostic(diagnostic)];
    }),
  };
}

/**
 * Finds a pair of this host and another one, of which one also runs the hooks of the other: with a hook for each, the
 * gates would run twice. `coveredBy` is the place of the other host's hook, if this host needs none of its own.
 *
 * @param isInstalled whether the host has a hook of its own
 */
export async function findOverlap(
  host: hostTypes.HookHost,
  place: InitPlace,
  { hosts = [], shared }: PlanOptions,
  isInstalled: boolean
): Promise<{ readonly coveredBy?: string; readonly advice: string } | undefined> {
  const isInProject = ({ file }: hostTypes.Layer): boolean =>
    file.path.startsWith(`${place.projectDir}/`);
  for (const other of AGENT_HOSTS) {
    if (host.install.alsoRuns?.includes(other) === true) {
      const { layers, stops } = await InstalledHooks.read(other, place);
      const scope = shared === true ? "shared" : "personal";
      // A hook in the files of the project, now or after the same call of `init`.
      const target = layers.find(({ file }) => file.targetOf.includes(scope));
      const isAdded = hosts.includes(other.name) && target !== undefined && isInProject(target);
      const found = stops.find(({ layer }) => isInProject(layer));
      const coveredBy = found?.at ?? (isAdded ? posix.normalize(target.file.path) : undefined);
      if (coveredBy === undefined) continue;
      if (isInstalled) return { advice: twice(host, other) };
      const advice = `${host.install.title} also runs the Stop hook of ${other.install.title} in this project, so it needs none of its own.`;
      return { coveredBy, advice };
    }
    if (other.install.alsoRuns?.includes(host) !== true) continue;
    const { stops } = await InstalledHooks.read(other, place);
    if (stops.length > 0) return { advice: twice(other, host) };
  }
  return undefined;
}

function twice(
  { name, install: { title } }: hostTypes.HookHost,
  { install: other }: hostTypes.HookHost
): string {
  return `${title} runs both its own hook and the hook of ${other.title}, so the gates run twice; to remove the hook of ${title}, run "${shownCommand()} uninstall --hook ${name}".`;
}
