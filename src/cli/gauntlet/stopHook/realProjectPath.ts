/**
 * Resolves symbolic links in the path of the project that contains the folder of a stop or a turn, for `stop-hook` and
 * `turn-start`, so that both use the same records of `trust` and `pause` (G24). `turn-start` loads little else.
 */
import { realpathSync } from "node:fs";
import { posix } from "node:path";
import { tryOr } from "@/common/errors";
import type { Files } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";

/**
 * Returns the folder with the real path of its project, under which `trust` and `pause` have their records. The part
 * below the project stays: a link there may lead out of the project.
 */
export async function realProject(files: Pick<Files, "stat">, folder: string): Promise<string> {
  const dir = (await findGauntletProject(files, folder)) ?? folder;
  const real = tryOr(() => realpathSync(dir), dir);
  return posix.join(real, posix.relative(dir, folder));
}
