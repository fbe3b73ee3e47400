/**
 * The agent host Mux: installs the gauntlet as a built-in hook in its settings files, finds such hooks, and examines
 * for `doctor` the Mux of this machine and the hooks that it would run in the project (G29, H31). Also examines trust
 * in these hooks for opencode and Kilo Code, which load the engine of this package.
 */
import { posix } from "node:path";
import { ok } from "neverthrow";
import { good, info, problem, type Finding } from "@/cli/gauntlet/doctor/finding";
import { HOOK_LIMIT_S } from "@/cli/gauntlet/hosts/hostParts";
import type { HookHost, HostFile, HostHookEntry } from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { shownCommand } from "@/common/ownCommandName";
import { plural } from "@/common/safeText";

/** Every `run` loads this file, but only `init` and `doctor` the engine. */
const loadEngine = () => import("@/node/services/hooks/index");

const NAME = "gauntlet";
/** The settings folders of a project, the newer name first (H10). */
const FOLDERS = [".xum", ".mux"];

export const muxHost: HookHost = {
  name: "mux",
  about:
    "until the gates pass | a notice | `stopHooks.maxContinuations` | that of the project's hooks | by scenarios",
  install: {
    title: "Mux",
    programs: ["mux", "xum"],
    folders: FOLDERS,
    ownFolders: FOLDERS,
    files: () => [],
    format: { isGrouped: true, commandKey: "name", emptyFile: {} },
    stop: entryWith(HOOK_LIMIT_S),
    engine: {
      situations:
        "a message | checked | a notice | nothing | nothing runs | not sent | read by Mux",
      parse: (name, { type, timeout }) =>
        type === "builtin" && name === NAME
          ? { program: NAME, args: "", ...(typeof timeout === "number" && { limitS: timeout }) }
          : undefined,
      findPrograms: () => Promise.resolve({ personal: NAME, inHome: ok(NAME), shared: ok(NAME) }),
      ...{ listFiles, findAll },
    },
    examine: async (hooks, place) => [
      ...(hooks.length > 0 ? [] : [info("no Stop hook in a file: the gauntlet is built in")]),
      ...(await examineHooks(place)),
    ],
  },
};

function entryWith(timeout: number): HostHookEntry {
  return {
    ...{ event: "Stop", args: "", earlierArgs: [], fields: { type: "builtin", timeout } },
    limit: { field: "timeout", perSecond: 1, defaultS: timeout },
    withLimit: entryWith,
  };
}

/** Returns the files of the project. A shared hook is put into the file that exists. */
async function listFiles({ projectDir, runtime }: InitPlace): Promise<HostFile[]> {
  const shared = FOLDERS.map((folder) => posix.join(projectDir, folder, "settings.json"));
  const stats = await runtime.stat(shared);
  const present = shared.find((_, i) => stats[i]?.kind !== "missing") ?? shared.at(-1);
  const personal = await (await loadEngine()).findLocalSettings(runtime, projectDir);
  // A local file in this worktree would replace the one of the main checkout.
  const main = posix.dirname(posix.dirname(personal));
  const refusal = `the hook was not installed: this worktree uses the settings in ${personal}; run "${shownCommand()} init --hook mux" in ${main} instead`;
  const locals = shared.map((path) => path.replace(/json$/, "local.json"));
  return [
    ...shared.map((path): HostFile => {
      return { path, isShared: true, targetOf: path === present ? ["shared"] : [] };
    }),
    ...[...new Set([...locals, personal])].map((path): HostFile => ({
      path,
      isShared: false,
      targetOf: path === personal ? ["personal"] : [],
      refusal: locals.includes(path) ? undefined : refusal,
    })),
  ];
}

/** Returns the place of each Stop hook that runs the gauntlet. */
async function findAll({ runtime, projectDir, env, home }: InitPlace) {
  const { loadHookSettings, runsGauntlet } = await loadEngine();
  // Without the built-in layer, because only a hook in a file is installed.
  const { hooks, skipped } = await loadHookSettings(runtime, projectDir, { env, home });
  return [...hooks, ...skipped.map(({ hook }) => hook)]
    .filter(({ event }) => event === "Stop")
    .filter(({ handler }) =>
      handler.type === "builtin"
        ? handler.name === NAME
        : handler.type === "command" && runsGauntlet(handler)
    )
    .flatMap(({ source }) => source ?? []);
}

/** Examines the Mux of this machine, and whether it runs the hooks of the project. */
async function examineHooks(place: InitPlace): Promise<Finding[]> {
  const { examineMux } = await import("@/cli/mux/examineMux");
  const cwd = place.projectDir;
  const examined = await examineMux(cwd, undefined, { ...place, cwd });
  const { host, isFound, running, project, problems } = examined;
  const counts = project.lists.map(({ event, runs }) => plural(runs.length, `${event} hook`));
  const own = isFound ? problems : project.problems;
  return [
    ...(isFound ? host.features.flatMap(({ text, works }) => (works ? [good(text)] : [])) : []),
    ...running.map((line) => info(`running with hooks: ${line}`)),
    ...(project.trust === undefined ? [] : [good(project.trust.replace(/\.$/, ""))]),
    info(`would run: ${counts.join(" and ")}; "${shownCommand()} hooks list" lists them`),
    ...own.map((text) => problem(text)),
  ];
}

/** Examines whether the engine of this package runs the hooks and the gates of the project (H31). */
export async function examineTrust(place: InitPlace): Promise<Finding> {
  const { runtime, projectDir } = place;
  const [{ loadHookSettings }, wiring] = await Promise.all([loadEngine(), import("@/wiring")]);
  const load = wiring.hookLoadOptions(runtime, place);
  const { trust, diagnostics, loadError } = await loadHookSettings(runtime, projectDir, load);
  const hasError =
    loadError !== undefined || diagnostics.some(({ severity }) => severity === "error");
  return trust.trusted && trust.notice === undefined && !hasError
    ? good("the hooks of this project are trusted")
    : problem(
        "the hooks of this project do not run, for example because they are not trusted",
        `run "${shownCommand()} hooks doctor" in this project`
      );
}
