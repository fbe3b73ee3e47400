/** Resolves the log folder, which is inside the project (G18). */
import { posix } from "node:path";
import { CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";

/** Why a path cannot be the log folder, as the predicate of a sentence. */
const LOG_DIR_FAULTS = {
  project: "is the project itself",
  outside: "is outside the project",
  git: "belongs to git",
  configuration: "contains the configuration",
} as const;

export const DEFAULT_LOG_DIR = "gauntlet_logs";

/** Returns the path from the project root, if one is written and valid. The schema reports other types. */
export function resolveLogDir(
  node: SourceNode | undefined,
  projectDir: string,
  problems: DiagnosticList
): string | undefined {
  if (typeof node?.value !== "string") return undefined;
  const written = node.value;
  const logDir = posix.relative(projectDir, posix.resolve(projectDir, written));
  const fault = findFault(logDir);
  if (fault === undefined) return logDir;
  problems.add(
    "error",
    node,
    `expected a folder inside the project, such as ${DEFAULT_LOG_DIR}; ${JSON.stringify(written)} ${fault}`
  );
  return undefined;
}

function findFault(logDir: string): string | undefined {
  if (logDir === "") return LOG_DIR_FAULTS.project;
  const [first] = logDir.split("/");
  if (first === "..") return LOG_DIR_FAULTS.outside;
  if (first === ".git") return LOG_DIR_FAULTS.git;
  if (logDir === CONFIG_FOLDER) return LOG_DIR_FAULTS.configuration;
  return undefined;
}
