/** What `doctor` can tell of the host. */
import { resolve } from "node:path";
import { stat } from "node:fs/promises";
import type { CliContext } from "@/cli/context";
import { findHostBuild, inspectSeams, type HostBuild, type SeamState } from "@/cli/mux/hostBuild";
import { findHostProgram } from "@/cli/mux/hostProgram";
import type { Feature } from "@/host/capabilities";
import { findOnPath } from "@/node/runtime/process/findOnPath";

export interface HostReport {
  readonly build?: HostBuild;
  /** Where it lies. */
  readonly place: string;
  readonly features: readonly { readonly text: string; readonly works: boolean }[];
  readonly problems: readonly string[];
}

const FEATURES: Readonly<Record<Feature, string>> = {
  stop: "Stop hooks",
  "subagent-stop": "SubagentStop hooks",
  run: "`mux run` waits for the hooks",
  editor: "`mux acp` answers the editor when the hooks agree",
  trust: "the host's own trust in projects",
  remote: "the folder of each workspace",
};

const NAMES = ["mux", "xum"];

/** @param named `--mux`: a build's folder, or the program's file; else what is on the PATH */
export async function examineHost(
  named: string | undefined,
  context: CliContext
): Promise<HostReport> {
  const program = named ?? (await firstOnPath(context));
  if (program === undefined) {
    return nothing("neither mux nor xum is on the PATH: name its folder with --mux <dir>");
  }
  const given = resolve(context.cwd, program);
  if ((await stat(given).catch(() => undefined))?.isDirectory() === true) {
    const build = await findHostBuild(given);
    if (build === undefined) return nothing(`there is no build of Mux in ${given}`);
    return await examine(build, given, process.execPath, context);
  }
  const found = await findHostProgram(program, context);
  if (found.isErr()) return nothing(found.error);
  if (found.value.kind === "wrapper") {
    return nothing(
      `${found.value.file} is a script that starts Mux: name the folder of the build with --mux <dir>`
    );
  }
  const { node, entry = node } = found.value;
  const build = await findHostBuild(entry);
  if (build === undefined) return nothing(`${entry} is not Mux: name it with --mux <dir>`);
  return await examine(build, entry, node, context);
}

async function firstOnPath({ env }: CliContext): Promise<string | undefined> {
  for (const name of NAMES) {
    if ((await findOnPath(name, env.PATH)) !== undefined) return name;
  }
  return undefined;
}

async function examine(
  build: HostBuild,
  place: string,
  node: string,
  { env }: CliContext
): Promise<HostReport> {
  if (build.isBundle) {
    const text = "a bundle of one file: what is missing in it is said when it starts";
    return { build, place, features: [{ text, works: true }], problems: [] };
  }
  const seams = await inspectSeams(build.distDir, node, env);
  if (seams.isErr()) return { build, place, features: [], problems: [seams.error] };
  const features = featuresOf(seams.value);
  const problems = features
    .filter(({ works }) => !works)
    .map(({ text }) => `${text}; an update of Mux or of mux-stop-hooks may bring it back`);
  return { build, place, features, problems };
}

/** A feature works where each of its seams is whole. */
function featuresOf(states: readonly SeamState[]): { text: string; works: boolean }[] {
  const needed = states.filter(({ seam }) => seam.optional !== true);
  const features = [...new Set(needed.map(({ seam }) => seam.feature))];
  return features.map((feature) => {
    const missing = needed
      .filter(({ seam }) => seam.feature === feature)
      .flatMap((state) => state.missing);
    const works = missing.length === 0;
    const lack = `: this build has no ${missing.join(", no ")}`;
    return { text: `${FEATURES[feature]}${works ? "" : lack}`, works };
  });
}

function nothing(problem: string): HostReport {
  return { place: "", features: [], problems: [problem] };
}
