/** The hosts that the scenarios run in: the two of the test-bed, or the real one that `MUX_DIST` names. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildBed, type Generation, GENERATIONS } from "@test/host/rig/buildBed";

export interface Host {
  readonly name: string;
  /** Puts the host where `folder` is, if it is not somewhere already. @returns the path of its `dist` */
  readonly provide: (folder: string) => Promise<string>;
  /** A sub-agent reports with a tool of its own, and not by the end of its turn. */
  readonly reportsByTool: boolean;
  /** It knows of each project whether it is trusted. */
  readonly knowsTrust: boolean;
}

const real = process.env.MUX_DIST;

export const hosts: readonly Host[] =
  real === undefined ? GENERATIONS.map(bed) : [built(resolve(real))];

export function bed(generation: Generation): Host {
  return {
    name: `a host of ${generation}`,
    provide: async (folder) => {
      await buildBed(folder, generation);
      return join(folder, "dist");
    },
    reportsByTool: generation === "january",
    knowsTrust: generation === "august",
  };
}

function built(folder: string): Host {
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return {
    name: `${name} ${version}`,
    provide: () => Promise.resolve(join(folder, "dist")),
    reportsByTool: major * 1e6 + minor * 1e3 + patch < 28_001,
    knowsTrust: existsSync(join(folder, "dist/node/utils/projectTrust.js")),
  };
}
