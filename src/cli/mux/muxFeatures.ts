/**
 * Examines an installed or running Mux for `doctor`: its version, the commands that start it with hooks, and the
 * features of hooks that work in it.
 */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { CliPlace } from "@/cli/context";
import * as desktop from "@/cli/mux/desktop/findDesktopApp";
import { describeShim, readManifest, shimState } from "@/cli/mux/desktop/installShim";
import * as hostBuild from "@/cli/mux/inspectBuild";
import { findHostProgram } from "@/cli/mux/hostProgram";
import { SEAMS, type Feature } from "@/host/loading/muxMembers";
import { listMissing } from "@/host/hostLog";
import { hasTrustFlag } from "@/host/session/muxProjectTrust";
import type { HostStatus } from "@/host/HostStatusFile";

export interface HostExamination {
  /** The name and the version. */
  readonly title: string;
  readonly build?: hostBuild.HostBuild;
  /** The path of the build or the program; empty if no Mux was found. */
  readonly place: string;
  readonly features: readonly { readonly text: string; readonly works: boolean }[];
  /** The commands that start it with the hooks. */
  readonly commands: readonly string[];
  readonly problems: readonly string[];
}

const FEATURES: Readonly<Record<Feature, string>> = {
  stop: "Stop hooks",
  "subagent-stop": "SubagentStop hooks",
  run: "waiting for the hooks in `mux run`",
  editor: "waiting for the hooks in `mux acp`, before it replies to the editor",
  trust: "the check whether Mux trusts the project",
  remote: "hooks in remote workspaces",
};

/**
 * Examines an installed Mux.
 *
 * @param named the value of `--mux`, a build's folder or a program; else the program on the PATH or an installed app
 */
export async function examineHost(
  named: string | undefined,
  context: CliPlace
): Promise<HostExamination> {
  const onPath = await desktop.programsOnPath(context);
  const [installed] = named === undefined ? await desktop.findDesktopApps(context) : [];
  const program = named ?? onPath[0] ?? installed?.executable;
  if (program === undefined) {
    return noHost("neither mux nor xum is on the PATH; name the folder of Mux with --mux <dir>");
  }
  const given = resolve(context.cwd, program);
  if ((await stat(given).catch(() => undefined))?.isDirectory() === true) {
    return await examineFolder(given, context);
  }
  const found = await findHostProgram(program, context);
  if (found.isErr()) return noHost(found.error);
  switch (found.value.kind) {
    case "desktop":
      return await examineDesktop(found.value.app);
    case "appimage": {
      const place = found.value.file;
      const text = "an AppImage; its contents are examined when it is started";
      const commands = [`mux-stop-hooks hooks attach -- ${place} server`];
      return { title: "Xum", place, features: [{ text, works: true }], commands, problems: [] };
    }
    case "launcher":
      return noHost(
        `${found.value.file} is a program that starts Mux; name the folder of the build with --mux <dir>`
      );
    case "node": {
      const { node, entry = node } = found.value;
      const build =
        (await hostBuild.findHostBuild(entry)) ?? (await hostBuild.findForwardedBuild(entry));
      if (build === undefined)
        return noHost(`${entry} is not Mux; name the folder of Mux with --mux <dir>`);
      return await examineBuild(build, entry, node, context);
    }
  }
}

/** Examines a host that runs with the hooks, by what it has reported itself. */
export function examineRunning({ host, seams }: HostStatus): HostExamination {
  const { version, dist: distDir } = host;
  const knowsTrust = seams.isProjectTrusted === "attached" || hasTrustFlag(distDir);
  const build: hostBuild.HostBuild = { name: "Mux", version, distDir, isBundle: false, knowsTrust };
  const states = SEAMS.flatMap((seam) => {
    const state = seams[seam.name];
    if (state === undefined) return [];
    return [{ seam, missing: state === "attached" ? [] : [state.replace(/^no /, "")] }];
  });
  const features = featuresOf(states);
  return { title: `Mux ${version}`, build, place: distDir, features, commands: [], problems: [] };
}

async function examineFolder(folder: string, context: CliPlace): Promise<HostExamination> {
  const build = await hostBuild.findHostBuild(folder);
  if (build !== undefined) return await examineBuild(build, folder, process.execPath, context);
  const app = await desktop.findDesktopApp(folder);
  return app === undefined
    ? noHost(`${folder} does not contain a build of Mux`)
    : await examineDesktop(app);
}

async function examineBuild(
  build: hostBuild.HostBuild,
  place: string,
  node: string,
  { env }: CliPlace
): Promise<HostExamination> {
  const title = `${build.name} ${build.version}`;
  const known = { title, build, place, commands: ["mux-stop-hooks hooks attach -- mux server"] };
  if (build.isBundle) {
    const text = "a single-file bundle; missing features are reported when it is started";
    return { ...known, features: [{ text, works: true }], problems: [] };
  }
  const seams = await hostBuild.inspectSeams(build.distDir, node, env);
  if (seams.isErr()) return { ...known, features: [], problems: [seams.error] };
  const features = featuresOf(seams.value);
  const problems = features
    .filter(({ works }) => !works)
    .map(({ text }) => `${text}; an update of Mux or mux-stop-hooks may fix this`);
  return { ...known, features, problems };
}

/** Examines a packaged app. Only Electron can load the modules in its archive, so they are not inspected. */
async function examineDesktop(app: desktop.DesktopApp): Promise<HostExamination> {
  const { executable, archive, isSigned } = app;
  const manifest = await readManifest(archive).catch(() => ({ version: undefined }));
  const version = typeof manifest.version === "string" ? manifest.version : "unknown";
  const state = await shimState(app);
  const isOn = state.kind === "installed" && state.isPreloadThere;
  const window = isSigned
    ? "no hooks in the window of the app: the app is signed, so it cannot be changed"
    : `the window of the app: ${describeShim(state, app)}`;
  const server = `mux-stop-hooks hooks attach -- ${executable} server`;
  const features = [
    { text: "hooks in the server of the app, which you use in a browser", works: true },
    { text: window, works: isOn && !isSigned },
  ];
  const commands = isOn ? ["the app itself", server] : [server];
  const isBroken =
    !["absent", "installed"].includes(state.kind) || (state.kind === "installed" && !isOn);
  const problems = isBroken ? [`${executable}: ${describeShim(state, app)}`] : [];
  const title = `Mux desktop app ${version} (Xum)`;
  return { title, place: executable, features, commands, problems };
}

/** Returns the features. A feature works if all of its required integration points are complete. */
function featuresOf(states: readonly hostBuild.SeamState[]): HostExamination["features"] {
  const needed = states.filter(({ seam }) => seam.optional !== true);
  const features = [...new Set(needed.map(({ seam }) => seam.feature))];
  return features.map((feature) => {
    const missing = needed
      .filter(({ seam }) => seam.feature === feature)
      .flatMap((state) => state.missing);
    const works = missing.length === 0;
    const why = `: not available, because this version of Mux has ${listMissing(missing)}`;
    return { text: `${FEATURES[feature]}${works ? "" : why}`, works };
  });
}

function noHost(problem: string): HostExamination {
  return { title: "No Mux found", place: "", features: [], commands: [], problems: [problem] };
}
