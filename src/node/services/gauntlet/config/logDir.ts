/** Resolves the log folder, which is inside the project (§2, G18). */
import { posix } from "node:path";
import { CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";

export const DEFAULT_LOG_DIR = "gauntlet_logs";

/** Returns the path from the project root, or undefined after reporting a problem. The schema checks other types. */
export function resolveLogDir(
  node: SourceNode | undefined,
  projectDir: string,
  problems: DiagnosticList
): string | undefined {
  if (typeof node?.value !== "string") return DEFAULT_LOG_DIR;
  const written = node.value;
  const logDir = posix.relative(projectDir, posix.resolve(projectDir, written));
  const fault = findFault(logDir);
  if (fault === undefined) return logDir;
  const message = `expected a folder inside the project, such as ${DEFAULT_LOG_DIR}; ${JSON.stringify(written)} ${fault}`;
  problems.add("error", node, message);
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
