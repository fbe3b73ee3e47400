/**
 * Examines the hooks of each agent host for `doctor`: their files, programs and time limits, and missing or duplicate
 * hooks. Tries to start each program, except one that may belong to the project. Plans the edits of `doctor --fix` for
 * hooks whose command does not start or does not verify.
 */
import { posix } from "node:path";
import {
  good,
  info,
  INSTALL_DEPENDENCIES,
  nameIn,
  problem,
  runFix,
  type Finding,
} from "@/cli/gauntlet/doctor/finding";
import type { HookHost, InstalledHook } from "@/cli/gauntlet/hosts/types";
import { findHost, HOOK_HOSTS, type HostPresence } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import * as hookProgram from "@/cli/gauntlet/init/hooks/hookProgram";
import { InstalledHooks } from "@/cli/gauntlet/init/hooks/InstalledHooks";
import { findOverlap, isVerifying, planHook } from "@/cli/gauntlet/init/hooks/planHook";
import { parseStopOptions } from "@/cli/gauntlet/stopHook/options";
import type { SettingsEdit } from "@/cli/settingsFile";
import { formatDiagnostic } from "@/common/diagnostics";
import { shownCommand } from "@/common/ownCommandName";
import { realpath } from "node:fs/promises";
import { clip, firstLine, visible } from "@/common/safeText";
import type { ExecResult } from "@/node/runtime/HookRuntime";

/** The findings about the hooks of one host. */
export interface HostReport extends HostPresence {
  readonly host: HookHost;
  /** Whether the host has a hook of its own, in any file. */
  readonly isInstalled: boolean;
  readonly findings: readonly Finding[];
  /** The edits that `init` would make for a hook with a problem. */
  readonly repairs: readonly SettingsEdit[];
}

const FIX_FILE = "correct this file, so that the agent can read it";

/** Returns a report on every host that the gauntlet knows, also on one that is not on this machine. */
export async function examineHosts(place: InitPlace): Promise<HostReport[]> {
  const trials = new ProgramTrials(place);
  const reports = await Promise.all(HOOK_HOSTS.map((host) => examine(host, place, trials)));
  // The plugin of Claude Code installs its hook as well.
  const isAnyInstalled = reports.some(
    ({ isInstalled, host, findings }) =>
      isInstalled || (host.name === "claude" && findings.some(({ kind }) => kind === "good"))
  );
  return reports.map((report) => ({
    ...report,
    findings: [...report.findings, ...missingHook(report, isAnyInstalled)],
  }));
}

async function examine(
  host: HookHost,
  place: InitPlace,
  trials: ProgramTrials
): Promise<HostReport> {
  const { title, examine: examineOwn } = host.install;
  const presence = await findHost(host, place);
  const installation = await InstalledHooks.read(host, place);
  const { layers, hooks, stops, syntax } = installation;
  const isInstalled = stops.length > 0;
  const { findings, repairs } = await examinePrograms(installation, place, trials);
  const times = stops.length === 2 ? "twice" : `${stops.length} times`;
  const init = `${shownCommand()} init --hook ${host.name}`;
  const shared = (host.install.alsoRuns ?? []).map(({ install }) => install.title);
  const overlap = shared.length > 0 ? await findOverlap(host, place, {}, isInstalled) : undefined;
  const found = [
    ...layers.map(({ file, source, problem: unread }) => {
      if (unread !== undefined) return problem(unread, FIX_FILE);
      if (file.isToml === true || source.trim() === "") return false;
      const diagnostic = syntax.check(nameIn(place, file.path), source);
      return diagnostic !== undefined && problem(formatDiagnostic(diagnostic), FIX_FILE);
    }),
    ...hooks.map(
      ({ handler, layer }) =>
        handler.command === "" &&
        info(`${nameIn(place, layer.file.path)} exists, but init did not write it`)
    ),
    ...stops.map(({ at, layer }) => {
      const where = layer.file.isShared ? "in a file for the whole team" : "in your own settings";
      return good(`Stop hook, ${where}: ${nameIn(place, at)}`);
    }),
    stops.some(({ isTwice }) => isTwice) &&
      problem(
        `the Stop hook is installed ${times}, so the gates run more than once`,
        `remove all but one by hand, or run "${shownCommand()} uninstall --hook ${host.name}" and then "${init}"`
      ),
    overlap !== undefined &&
      (overlap.coveredBy === undefined
        ? problem(overlap.advice)
        : good(`uses the Stop hook of ${shared.join()}: ${nameIn(place, overlap.coveredBy)}`)),
    ...(await sharedFiles(installation, place)),
    ...findings,
    ...stops.map((hook) => shortLimit(hook, place)),
    missingTurnStart(installation, place),
    ...((isInstalled || presence.found ? await examineOwn?.(hooks, place, layers) : undefined) ??
      []),
    isInstalled && !presence.found && info(`${title} was not found on this machine`),
  ];
  return {
    ...{ host, ...presence, isInstalled, repairs },
    findings: found.filter((finding) => finding !== false),
  };
}

/** Examines the programs that the hooks start. Two hooks usually start the same one, which is reported once. */
async function examinePrograms(
  { host, hooks, stops }: InstalledHooks,
  place: InitPlace,
  trials: ProgramTrials
): Promise<Pick<HostReport, "findings" | "repairs">> {
  const tried = await Promise.all(
    hooks
      .filter(({ program }, i) => hooks.findIndex((other) => other.program === program) === i)
      .map(async (hook) => ({ hook, trial: await trials.of(hook, host) }))
  );
  const isBroken = (trial?: Finding): boolean => trial?.kind === "problem";
  const withoutVerify = stops.filter((hook) => !isVerifying(hook));
  const broken = [
    ...tried.filter(({ trial }) => isBroken(trial)).map(({ hook }) => hook),
    ...withoutVerify,
  ];
  const plan = broken.length === 0 ? undefined : await planHook(host, place);
  const edits = plan?.installedAt === undefined ? [] : plan.edits.unwrapOr([]);
  const isUpdated = ({ layer, written }: InstalledHook): boolean =>
    written !== undefined && edits.some(({ path }) => path === layer.file.path);
  return {
    findings: [
      ...tried.flatMap(({ hook, trial }): Finding[] => {
        // A turn-start hook with a program of its own is reported only if that does not start.
        if (trial === undefined || !(stops.includes(hook) || isBroken(trial))) return [];
        if (!isBroken(trial)) return [trial];
        const what = host.install.engine === undefined ? "command in" : "plugin file";
        const text = `the ${what} ${nameIn(place, hook.at)} ${trial.text}`;
        if (isUpdated(hook)) return [problem(text, runFix())];
        const { program = "" } = hook;
        const isInstalled =
          host.install.engine !== undefined || hookProgram.CLONE_PROGRAMS.includes(program);
        if (isInstalled) return [problem(text, INSTALL_DEPENDENCIES)];
        const next =
          program === hookProgram.PROGRAM_NAME
            ? `install this package so that /bin/sh finds a recent "${program}" on PATH`
            : `correct the command by hand, or remove the hook and run "${shownCommand()} init --hook ${host.name}"`;
        return [problem(text, next)];
      }),
      ...withoutVerify.map((hook) =>
        problem(
          `the command in ${nameIn(place, hook.at)} does not have --verify: after the gauntlet has blocked a stop, the next stop of the agent is allowed without a check`,
          isUpdated(hook) ? runFix() : "add --verify to the command of the hook"
        )
      ),
    ],
    repairs: broken.some(isUpdated) ? edits : [],
  };
}

/**
 * Reports a Stop hook without the hook of a new message, which `init` does not add to a Stop hook that is up to date
 * (G27a).
 */
function missingTurnStart(
  { host, hooks, stops }: InstalledHooks,
  place: InitPlace
): Finding | false {
  const { turnStart } = host.install;
  const [stop] = stops;
  if (turnStart === undefined || stop === undefined) return false;
  if (hooks.some(({ entry }) => entry === turnStart)) return false;
  const init = `${shownCommand()} init --hook ${host.name}${stop.layer.file.isShared ? " --shared" : ""}`;
  const command = stop.handler.command.replace(/\bstop-hook\b.*/s, turnStart.args);
  return problem(
    `the ${turnStart.event} hook is missing beside ${nameIn(place, stop.at)}: a new message does not give the agent new attempts, and a stop does not see what the turn did elsewhere`,
    stop.written === undefined
      ? `add a ${turnStart.event} hook with the command ${JSON.stringify(command)} there`
      : `run "${shownCommand()} uninstall --hook ${host.name}" and then "${init}"`
  );
}

/** Reports a hook that its host ends before the run does, so that a longer stop is not verified (G27c). */
function shortLimit(
  { at, layer, entry: { limit }, handler: { command, fields } }: InstalledHook,
  place: InitPlace
): Finding | false {
  const [, args] = /\bstop-hook\b(.*)/s.exec(command) ?? [];
  if (limit === undefined || args === undefined || layer.file.isToml === true) return false;
  const { field, perSecond, millisecondsFrom = Infinity } = limit;
  const given = fields[field] ?? limit.defaultS * perSecond;
  const hostS = Number(given) / (Number(given) >= millisecondsFrom ? 1_000 : perSecond);
  const { limitS } = parseStopOptions(args.trim().split(/\s+/));
  if (typeof given !== "number" || hostS >= limitS) return false;
  const wanted = limitS * (limitS >= millisecondsFrom ? 1_000 : perSecond);
  return problem(
    `the agent ends the command in ${nameIn(place, at)} after ${hostS} s, but its --limit is ${limitS} s: a longer run is lost, and the stop is not verified`,
    `set "${field}": ${wanted} there, or --limit ${hostS} in its command`
  );
}

/** Names a hook of another host that this host may run as well, and a file that it may read instead of its own. */
async function sharedFiles(
  { host: { install }, stops }: InstalledHooks,
  place: InitPlace
): Promise<Finding[]> {
  const { mayRun, outrankedBy, title } = install;
  const others = mayRun === undefined ? [] : (await InstalledHooks.read(mayRun.host, place)).stops;
  const paths = stops
    .map(({ layer }) => posix.join(posix.dirname(layer.file.path), outrankedBy ?? ""))
    .filter((path, i) => stops[i]?.layer.file.path !== path);
  const stats = outrankedBy === undefined ? [] : await place.runtime.stat(paths);
  return [
    ...others.map(({ at }) =>
      info(
        `while "${mayRun?.setting ?? ""}" is on, ${title} also runs the Stop hook of ${mayRun?.host.install.title ?? ""}: ${nameIn(place, at)}`
      )
    ),
    ...paths
      .filter((_, i) => stats[i]?.kind === "file")
      .map((path) =>
        info(
          `${title} reads ${nameIn(place, path)} instead of the hooks in the settings.json beside it; if it does not run the hook, move it there`
        )
      ),
  ];
}

/**
 * Reports that a host has no hook. This is a problem if the project has settings of the host, or if no host has a hook:
 * a user with several hosts need not use all of them in every project.
 */
function missingHook(
  { host, found, hasFolder, isInstalled, findings }: HostReport,
  isAnyInstalled: boolean
): Finding[] {
  if (isInstalled || !found || findings.some(({ kind }) => kind === "good")) return [];
  // Mux runs the gauntlet without a hook in a file.
  if (host.name === "mux") return [];
  // The hook may be in the file that cannot be read.
  if (findings.some(({ kind }) => kind === "problem")) {
    return [info("no Stop hook found, but not every file could be read")];
  }
  const install = `run "${shownCommand()} init --hook ${host.name}"`;
  return hasFolder || !isAnyInstalled
    ? [problem("no Stop hook", install)]
    : [info(`no Stop hook (to install it, ${install})`)];
}

const EDITED = "it is not one that init writes (it may have been edited)";
const VERSION = /^\d[\w.+-]{0,40}$/;

/**
 * Tries each program of hooks once: starts it as a host would, or only reads its files if it belongs to the project.
 * The text of a problem continues a sentence that begins with the place of the hook.
 */
class ProgramTrials {
  readonly #trials = new Map<string, Promise<Finding>>();

  constructor(private readonly place: InitPlace) {}

  /** Returns whether the program of a hook works, or undefined if the host starts no program. */
  async of(
    { program, layer, missing }: InstalledHook,
    { install: { engine } }: HookHost
  ): Promise<Finding | undefined> {
    if (engine !== undefined) {
      const path = engine.pathOf?.(program ?? "", layer.file.path);
      if (path === undefined) return undefined;
      if (missing === undefined) return await engine.tryPath?.(path, this.place);
      return problem(`imports ${nameIn(this.place, path)}, which does not exist`);
    }
    const isClone = hookProgram.CLONE_PROGRAMS.includes(program ?? "");
    if (program === undefined) return notTried(EDITED);
    if (missing !== undefined && !isClone) return fails(`${visible(missing)} does not exist`);
    const trial = this.#trials.get(program) ?? this.#try(program);
    this.#trials.set(program, trial);
    return await trial;
  }

  async #try(program: string): Promise<Finding> {
    if (hookProgram.CLONE_PROGRAMS.includes(program)) {
      const manifest = await hookProgram.findInstalled(this.place, program);
      if (manifest === undefined)
        return fails(`node_modules does not have ${hookProgram.PACKAGE_NAME} with its program`);
      const [version] = VERSION.exec(String(manifest.version)) ?? [];
      const shown = version === undefined ? "" : `, version ${version}`;
      return good(`its program is installed in the project${shown}`);
    }
    if (!hookProgram.isPortable(program)) {
      const script = hookProgram.parseNodeScript(program);
      if (script === undefined) return notTried(EDITED);
      if (await this.#isOfProject(script)) return notTried("it starts a program of this project");
    }
    const help = await hookProgram.execAsHost(this.place, `${program} stop-hook --help`);
    const failure = describeFailure(help);
    if (failure !== undefined) return fails(failure);
    const { stdout } = await hookProgram.execAsHost(this.place, `${program} --version`);
    const [version] = VERSION.exec(stdout.text.trim()) ?? [];
    if (help.stdout.text.includes("--verify")) {
      return good(`its command starts${version === undefined ? "" : ` version ${version}`}`);
    }
    const old = version === undefined ? "an old version" : `the old version ${version}`;
    return problem(`starts ${old} of mux-stop-hooks, which does not have --verify`);
  }

  /** Returns whether the program may be part of the repository, so that a diagnosis must not run it. */
  async #isOfProject({ node, script }: { node: string; script: string }): Promise<boolean> {
    const { projectDir, program } = this.place;
    const [own, real] = await Promise.all(
      [program, script].map((path) => realpath(path).catch(() => path))
    );
    const isInside = (path = ""): boolean => path.startsWith(`${projectDir}/`);
    return isInside(node) || (own !== real && (isInside(script) || isInside(real)));
  }
}

const notTried = (why: string): Finding => info(`its command was not tried, because ${why}`);
const fails = (why: string): Finding => problem(`does not work: ${why}`);

function describeFailure({ end, stderr }: ExecResult): string | undefined {
  const line = visible(clip(firstLine(stderr.text.trim()), 200));
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? undefined : `exit code ${end.code}${line === "" ? "" : ` (${line})`}`;
    case "signaled":
      return `ended by ${end.signal}`;
    case "timedOut":
    case "cancelled":
      return `it did not finish within ${hookProgram.TRY_MS / 1_000} s`;
    case "lost":
    case "notStarted":
      return visible(end.message);
  }
}
