/**
 * Finds a build of Mux on this machine, with its version, and inspects its integration points for hooks by loading its
 * modules in a separate process.
 */
import { readFile, realpath, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { withParents } from "@/cli/findOwnCommand";
import { parseJson, parseObject } from "@/common/json";
import { firstLine } from "@/common/safeText";
import { isBundledHost } from "@/host/loading/bundledHost";
import { describeMissing, SEAMS, type Seam } from "@/host/loading/muxMembers";
import { runProgram } from "@/node/runtime/process/runProgram";

interface Manifest {
  readonly name: "Mux" | "Xum";
  /** `unknown` if the manifest has none. */
  readonly version: string;
}

export interface HostBuild extends Manifest {
  /** Absolute: the folder of the compiled files. */
  readonly distDir: string;
  /** Whether the build is one file, so that its modules cannot be inspected one by one. */
  readonly isBundle: boolean;
  /** Set for a host that runs: whether it records for each project whether it is trusted. */
  readonly knowsTrust?: boolean;
}

/** An integration point and its state in a build. */
export interface SeamState {
  readonly seam: Seam;
  /** Its missing parts, in words. Empty if it is complete. */
  readonly missing: readonly string[];
}

/** A file that every build has, except a bundle. */
const MARK = join("node", "services", "agentSession.js");
const LOAD_LIMIT_MS = 60_000;
const KEPT_BYTES = 256 * 1024;

/** Finds the build that contains a path. @param path the program's file, or a folder in or around the build */
export async function findHostBuild(path: string): Promise<HostBuild | undefined> {
  const real = await realpath(path).catch(() => path);
  if (isBundledHost(real)) {
    return { ...(await manifestOfBundle(real)), distDir: dirname(real), isBundle: true };
  }
  for (const folder of withParents(real)) {
    for (const distDir of [folder, join(folder, "dist")]) {
      const mark = await stat(join(distDir, MARK)).catch(() => undefined);
      if (mark?.isFile() !== true) continue;
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

/** Reads the manifest of a bundle. In the Docker image it is up to two folders above the file, or missing. */
async function manifestOfBundle(file: string): Promise<Manifest> {
  const manifests = await Promise.all(withParents(dirname(file)).slice(0, 3).map(readManifest));
  return manifests.find(({ version }) => version !== UNKNOWN.version) ?? UNKNOWN;
}

const UNKNOWN: Manifest = { name: "Mux", version: "unknown" };

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "");
  const { name, version } = parseObject(text);
  return {
    name: typeof name === "string" && name.includes("xum") ? "Xum" : "Mux",
    version: typeof version === "string" ? version : UNKNOWN.version,
  };
}

/** Prints which methods the exports of the modules do not have. Loads the modules but calls none of their functions. */
const INSPECTOR = `
const [, distDir, seams] = process.argv;
const found = JSON.parse(seams).map(({ file, name, methods }) => {
  try {
    const value = require(distDir + "/" + file)[name];
    const missing = methods.filter((method) => typeof value?.prototype?.[method] !== "function");
    return typeof value === "function" ? missing : null;
  } catch {
    return null;
  }
});
process.stdout.write("\\n" + JSON.stringify(found), () => process.exit());
`;

/** Loads the build's modules in a separate process, as the host would, and inspects their exports. */
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
    return err(`the modules in ${distDir} could not be loaded${why === "" ? "" : `: ${why}`}`);
  }
  const missing = found as (string[] | null)[];
  return ok(
    SEAMS.map((seam, i) => ({ seam, missing: describeMissing(seam, missing[i] ?? undefined) }))
  );
}
