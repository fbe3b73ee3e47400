/** Plans to install, to update or to remove the hook of the gauntlet in the settings files of a host (G29). */
import { isDeepStrictEqual } from "node:util";
import { posix } from "node:path";
import { err, ok, Result } from "neverthrow";
import type {
  HookHost,
  HookInstallation,
  HostHookEntry,
  InstalledHook,
  Layer,
} from "@/cli/gauntlet/hosts/types";
import type {
  InitPlace,
  InstallPlan,
  PlanOptions,
  RemovalPlan,
} from "@/cli/gauntlet/init/hooks/hookPlan";
import {
  CLONE_PROGRAMS,
  findPrograms,
  isPortable,
  PROGRAM_NAME,
  type HookPrograms,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import { Installation } from "@/cli/gauntlet/init/hooks/Installation";
import { findOverlap } from "@/cli/gauntlet/init/hooks/overlap";
import type { SettingsEdit } from "@/cli/settingsText";
import { formatDiagnostic } from "@/common/diagnostics";
import type { JsonObject } from "@/common/json";
import { ownCommand } from "@/common/ownCommand";

export async function planHook(
  host: HookHost,
  place: InitPlace,
  options: PlanOptions = {}
): Promise<InstallPlan> {
  const { name, install } = host;
  const { shared = false, limit } = options;
  const installation = await Installation.read(host, place);
  const { layers, hooks, stops } = installation;
  const [first] = stops;
  const overlap = await findOverlap(host, place, options, first !== undefined);
  if (overlap?.coveredBy !== undefined) {
    return { installedAt: overlap.coveredBy, advice: overlap.advice, edits: ok([]) };
  }
  const wanted = new WantedHooks(
    installation,
    place,
    await (install.engine?.findPrograms ?? findPrograms)(place, shared),
    options
  );
  const outdated = hooks.filter((hook) => wanted.isOutdated(hook));
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
  // If the stop hook is up to date, the user may have removed the turn-start hook on purpose.
  const { turnStart } = install;
  const isTurnAdded =
    hooks.every(({ entry }) => entry !== turnStart) &&
    (first === undefined || outdatedStop !== undefined);
  const added = [
    ...(first === undefined ? [install.stop] : []),
    ...(isTurnAdded && turnStart !== undefined ? [turnStart] : []),
  ];
  const isTeamWithout = shared && stops.every(({ layer }) => !layer.file.isShared);
  const advice = [
    first !== undefined &&
      isTeamWithout &&
      `The shared hook was not installed, because the gates would run twice. To share your hook with your team instead, run "${ownCommand()} uninstall --hook ${name}", then "${ownCommand()} init --shared --hook ${name}".`,
    first !== undefined &&
      !(outdated.includes(first) || isVerifying(first)) &&
      "When the gauntlet has blocked a stop, this hook allows the next stop without a check. Add --verify to the command of the hook to check every stop.",
    limit !== undefined &&
      first !== undefined &&
      first.written === undefined &&
      `You edited the hook in ${first.at}, so its time limit was not changed; set ${limitFields(install.stop, limit)} there.`,
    overlap?.advice ?? false,
  ].filter((text) => text !== false);
  const edits = Result.combine([
    ...updates(installation, outdated, wanted),
    ...added.map((entry) => addition(installation, target, entry, wanted, outdatedStop?.program)),
  ]);
  return {
    installedAt: first?.at,
    advice: advice.length === 0 ? undefined : advice.join("\n"),
    nextStep: install.nextStep?.(shared),
    edits: edits.map((all) => (added.length === 0 ? all : [...all, ...companion(install, target)])),
  };
}

/** Returns whether a hook needs no `--verify`, or has it. */
export function isVerifying({ entry, handler }: InstalledHook): boolean {
  return !entry.args.includes("--verify") || handler.command.includes("--verify");
}

/** The handlers that `init` would write now. */
class WantedHooks {
  constructor(
    private readonly installation: Installation,
    private readonly place: InitPlace,
    private readonly programs: HookPrograms,
    private readonly options: PlanOptions
  ) {}

  /** Returns the handler of an entry in a file. `current` is the program of the handler that is updated. */
  handlerOf(
    { entry, written = entry }: Pick<InstalledHook, "entry" | "written">,
    layer: Layer,
    current?: string
  ): Result<JsonObject, string> {
    const { limit } = this.options;
    const own = (limit === undefined ? undefined : entry.withLimit?.(limit)) ?? written;
    return this.#programOf(layer, current).map((program) =>
      this.installation.handlerOf(own, program)
    );
  }

  /** Returns whether `init` would write a hook of its own in another form. */
  isOutdated(hook: InstalledHook): boolean {
    if (hook.written === undefined) return false;
    const wanted = this.handlerOf(hook, hook.layer, hook.program);
    return wanted.isErr() || !isDeepStrictEqual({ ...hook.handler.fields }, wanted.value);
  }

  #programOf({ file }: Layer, current = ""): Result<string, string> {
    const { shared, inHome, personal } = this.programs;
    if (shared !== undefined && file.targetOf.includes("shared")) {
      return shared.isErr() && isPortable(current) ? ok(current) : shared;
    }
    if (CLONE_PROGRAMS.includes(current)) return ok(current);
    if (file.isShared) {
      return ok(this.installation.host.install.engine === undefined ? PROGRAM_NAME : current);
    }
    return file.path.startsWith(`${this.place.projectDir}/`) ? ok(personal) : inHome;
  }
}

/** Returns what a user has to change for another time limit. */
function limitFields({ limit, withLimit }: HostHookEntry, seconds: number): string {
  const { fields = {}, args = "" } = withLimit?.(seconds) ?? {};
  return [
    ...(limit === undefined ? [] : [`"${limit.field}": ${JSON.stringify(fields[limit.field])}`]),
    ...(args.includes("--limit") ? [`--limit ${seconds}`] : []),
  ].join(" and ");
}

function updates(
  installation: Installation,
  outdated: readonly InstalledHook[],
  wanted: WantedHooks
): Result<SettingsEdit, string>[] {
  return outdated
    .filter(({ layer, entry }, i) => {
      const same = outdated.findIndex((other) => other.layer === layer && other.entry === entry);
      return same === i;
    })
    .map((hook) => {
      const { layer, entry } = hook;
      const { path, isShared } = layer.file;
      const change = (fields: JsonObject): JsonObject => {
        const written = installation.writtenIn(layer.file, fields, entry);
        const program = installation.programOf(fields);
        const handler = written && wanted.handlerOf({ entry, written }, layer, program);
        return handler?.unwrapOr(undefined) ?? fields;
      };
      return wanted.handlerOf(hook, layer, hook.program).map(() => ({
        ...{ path, isShared },
        edit: (_, source) => ok(installation.syntax.change(source, entry.event, change)),
      }));
    });
}

function addition(
  { syntax }: Installation,
  layer: Layer,
  entry: HostHookEntry,
  wanted: WantedHooks,
  program: string | undefined
): Result<SettingsEdit, string> {
  const { path, isShared, refusal } = layer.file;
  if (refusal !== undefined) return err(refusal);
  return wanted.handlerOf({ entry }, layer, program).map((handler) => ({
    ...{ path, isShared },
    edit: (file, source) => syntax.add(file, source, entry.event, handler),
  }));
}

/** Returns the edit that creates the second file of a host. A file that exists stays as it is. */
function companion(install: HookInstallation, { file }: Layer): SettingsEdit[] {
  if (install.companion === undefined) return [];
  const { path, text } = install.companion;
  const target = posix.join(posix.dirname(file.path), path);
  const edit: SettingsEdit["edit"] = (_, source) => ok(source === "" ? text : source);
  return [{ path: target, isShared: file.isShared, edit }];
}

/** Plans to remove only the handlers that `init` wrote. */
export async function planRemoval(host: HookHost, place: InitPlace): Promise<RemovalPlan> {
  const installation = await Installation.read(host, place);
  const { layers, syntax, hooks } = installation;
  const { companion, stop, turnStart = stop } = host.install;
  const remove = ({ file }: Layer, source: string): string =>
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
      const { path } = layer.file;
      const edit: SettingsEdit["edit"] = (_, source) => ok(remove(layer, source));
      const own = { path, edit, isRemovable: syntax.isEmpty };
      if (companion === undefined) return [own];
      const other = {
        path: posix.join(posix.dirname(path), companion.path),
        edit: (_: string, source: string) => ok(source === companion.text ? "" : source),
        isRemovable: (text: string) => text === "",
      };
      return [own, other];
    }),
    others: hooks.filter(({ written }) => written === undefined).map(({ at }) => at),
    problems: layers.flatMap(({ file: { path, isToml }, source, problem }) => {
      if (isToml === true) return [];
      if (problem !== undefined) return [problem];
      const diagnostic = source.includes(PROGRAM_NAME) ? syntax.check(path, source) : undefined;
      return diagnostic === undefined ? [] : [formatDiagnostic(diagnostic)];
    }),
  };
}
