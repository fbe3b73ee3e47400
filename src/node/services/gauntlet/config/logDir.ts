/** Where the logs go: a folder inside the project (§2, G18). */
import { posix } from "node:path";
import { CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import type { ProblemList } from "@/node/services/gauntlet/config/source/problemList";
import type { Piece } from "@/node/services/gauntlet/config/source/piece";

export const DEFAULT_LOG_DIR = "gauntlet_logs";

/** Relative to the project root. Nothing where it cannot be used, which is then told; other shapes are the schema's. */
export function resolveLogDir(
  piece: Piece | undefined,
  projectDir: string,
  problems: ProblemList
): string | undefined {
  if (piece?.tree.kind !== "scalar" || typeof piece.tree.value !== "string") return DEFAULT_LOG_DIR;
  const written = piece.tree.value;
  const logDir = posix.relative(projectDir, posix.resolve(projectDir, written));
  const fault = findFault(logDir);
  if (fault === undefined) return logDir;
  const message = `expected a folder inside the project, such as ${DEFAULT_LOG_DIR}; ${JSON.stringify(written)} ${fault}`;
  problems.add("error", piece.source, piece.tree.span, piece.path, message);
  return undefined;
}

function findFault(logDir: string): string | undefined {
  if (logDir === "") return "is the project itself";
  const [first] = logDir.split("/");
  if (first === "..") return "leaves it";
  if (first === ".git") return "belongs to git";
  if (logDir === CONFIG_FOLDER) return "holds the configuration";
  return undefined;
}
