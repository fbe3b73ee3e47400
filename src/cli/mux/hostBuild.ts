/** A build of Mux on this machine: where it lies, which version it is, and what of it can be attached to. */
import { readFile, realpath, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { isJsonObject, parseJson } from "@/common/json";
import { firstLine } from "@/common/text";
import { isBundledHost } from "@/host/loading/bundledHost";
import { missingFrom, SEAMS, type Seam } from "@/host/loading/capabilities";
import { runProgram } from "@/node/runtime/process/runProgram";

interface Manifest {
  readonly name: "Mux" | "Xum";
  /** `unknown` where it does not say. */
  readonly version: string;
}

export interface HostBuild extends Manifest {
  /** Absolute: the folder that holds it. */
  readonly distDir: string;
  /** All of it is one file, and no module can be looked at alone. */
  readonly isBundle: boolean;
}

/** What a seam lacks, in words; nothing where it is whole. */
export interface SeamState {
  readonly seam: Seam;
  readonly missing: readonly string[];
}

const MARK = join("node", "services", "agentSession.js");
const LOAD_LIMIT_MS = 60_000;
const KEPT_BYTES = 256 * 1024;

/** @param path the program's file, or a folder that holds the build */
export async function findHostBuild(path: string): Promise<HostBuild | undefined> {
  const real = await realpath(path).catch(() => path);
  if (isBundledHost(real)) {
    return { ...(await manifestOfBundle(real)), distDir: dirname(real), isBundle: true };
  }
  for (const folder of ancestors(real)) {
    for (const distDir of [folder, join(folder, "dist")]) {
      if (!(await isFile(join(distDir, MARK)))) continue;
      return { ...(await readManifest(dirname(distDir))), distDir, isBundle: false };
    }
  }
  return undefined;
}

/** Finds the build behind npm's forwarding package `mux`, which requires `@coder/xum`. */
export async function findForwardedBuild(entry: string): Promise<HostBuild | undefined> {
  try {
    const real = await realpath(entry);
    return await findHostBuild(createRequire(real).resolve("@coder/xum/dist/cli/index.js"));
  } catch {
    return undefined;
  }
}

/** In the Docker image the manifest lies some folders up, or is not there. */
async function manifestOfBundle(file: string): Promise<Manifest> {
  const manifests = await Promise.all(ancestors(dirname(file)).slice(0, 3).map(readManifest));
  return manifests.find(({ version }) => version !== UNKNOWN.version) ?? UNKNOWN;
}

const UNKNOWN: Manifest = { name: "Mux", version: "unknown" };

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "");
  const manifest = parseJson(text).unwrapOr(undefined);
  if (!isJsonObject(manifest)) return UNKNOWN;
  const { name, version } = manifest;
  return {
    name: typeof name === "string" && name.includes("xum") ? "Xum" : "Mux",
    version: typeof version === "string" ? version : UNKNOWN.version,
  };
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

/** Names what is there, and runs nothing but the modules' own first lines. */
const INSPECTOR = `
const [, distDir, seams] = process.argv;
const found = JSON.parse(seams).map(({ file, name, methods }) => {
  try {
    const value = require(distDir + "/" + file)[name];
    const members = methods.filter((method) => typeof value?.prototype?.[method] === "function");
    return typeof value === "function" ? members : null;
  } catch {
    return null;
  }
});
process.stdout.write("\\n" + JSON.stringify(found), () => process.exit());
`;

/** Loads the build's modules in a process of their own, as the host itself would, and looks at what they export. */
export async function inspectSeams(
  distDir: string,
  node: string,
  env: Readonly<NodeJS.ProcessEnv>
): Promise<Result<SeamState[], string>> {
  const args = ["-e", INSPECTOR, distDir, JSON.stringify(SEAMS)];
  const ran = await runProgram(
    { file: node, args, cwd: distDir, env: { ...env, NODE_OPTIONS: "" } },
    { timeoutMs: LOAD_LIMIT_MS, keepBytes: KEPT_BYTES }
  );
  const found = parseJson(ran.stdout.text.split("\n").at(-1) ?? "").unwrapOr(undefined);
  if (!Array.isArray(found) || found.length !== SEAMS.length) {
    const why = firstLine(ran.stderr.text);
    return err(`its modules in ${distDir} could not be loaded${why === "" ? "" : `: ${why}`}`);
  }
  return ok(
    SEAMS.map((seam, i) => ({ seam, missing: missingFrom(seam, asExports(seam, found[i])) }))
  );
}

/** What the other process has seen, in the shape that it had there. */
function asExports({ name }: Seam, members: unknown): Record<string, unknown> {
  if (!Array.isArray(members)) return {};
  const nothing = (): void => undefined;
  const prototype = Object.fromEntries(members.map((member) => [String(member), nothing]));
  return { [name]: Object.assign(() => undefined, { prototype }) };
}
