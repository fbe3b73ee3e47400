/** Loads the configuration of a project: reads every file once, and reports all problems together (G4, G5). */
import { availableParallelism } from "node:os";
import { posix } from "node:path";
import type * as z from "zod/mini";
import type { LocatedDiagnostic } from "@/common/diagnostics";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import {
  digestOf,
  readConfigFiles,
  type ConfigReads,
} from "@/node/services/gauntlet/config/configFiles";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { readEntryPoints } from "@/node/services/gauntlet/config/entryPoints";
import { LocalConfig } from "@/node/services/gauntlet/config/localConfig";
import { isCi } from "@/common/isCi";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { resolveLogDir } from "@/node/services/gauntlet/config/logDir";
import { configuredReport } from "@/node/services/gauntlet/domain/reports";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { configSchema } from "@/node/services/gauntlet/config/schema";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";

export type ConfigLoad =
  | { readonly kind: "none" }
  | {
      readonly kind: "invalid";
      readonly problems: readonly LocatedDiagnostic[];
      readonly hashes: FileHashes;
    }
  | {
      readonly kind: "valid";
      readonly config: GauntletConfig;
      /** Warnings only. */
      readonly problems: readonly LocatedDiagnostic[];
      readonly hashes: FileHashes;
    };

/** SHA-256 of every file of a configuration, by its path relative to the project. */
type FileHashes = ReadonlyMap<string, string>;

export interface LoadConfigOptions {
  /** An unknown key is an error, as in `validate`. Otherwise it is a warning, and the run continues (G5). */
  readonly strict?: boolean;
  /** In CI, the user's own file is not read (G6a). The default is the environment of this process. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

/** Loads the configuration. `projectDir` is absolute. Never throws. A configuration with an error runs no gates. */
export async function loadGauntletConfig(
  files: ConfigReads,
  projectDir: string,
  { strict = false, env = process.env }: LoadConfigOptions = {}
): Promise<ConfigLoad> {
  const problems = new DiagnosticList(strict);
  // Both at once, which saves a round trip if the project is on another machine.
  const [[stat], read] = await Promise.all([
    files.stat([posix.join(projectDir, CONFIG_FILE)]),
    readConfigFiles(files, projectDir, problems, { withLocal: !isCi(env) }),
  ]);
  if (stat?.kind === "missing") return { kind: "none" };
  const node = read.config && parseYaml(read.config, problems);
  const local = new LocalConfig(read.local && parseYaml(read.local, problems), problems);
  const whole = node && local.settings(node);
  const settings = whole && readSettings(whole, projectDir, problems);
  const entryPoints = whole ? readEntryPoints(whole, { ...read, local }, problems) : [];
  local.report();
  if (settings === undefined || problems.hasErrors) {
    return { kind: "invalid", problems: problems.all, hashes: read.hashes };
  }
  const hasLocal = read.local === undefined ? {} : { hasLocal: true };
  const config = { ...settings, ...hasLocal, entryPoints, digest: digestOf(read) };
  return { kind: "valid", config, problems: problems.all, hashes: read.hashes };
}

type Settings = Omit<GauntletConfig, "entryPoints" | "digest" | "hasLocal">;

function readSettings(
  node: SourceNode,
  projectDir: string,
  problems: DiagnosticList
): Settings | undefined {
  const fields = validateNode(node, configSchema, problems);
  const logDir = resolveLogDir(node.child("log_dir"), projectDir, problems);
  warnOfInterval(node, problems);
  if (problems.strict && fields?.cli?.check_usage_limit === true) warnOfUsageLimit(node, problems);
  if (fields === undefined) return undefined;
  return { ...withDefaults(fields), logDir };
}

function withDefaults(fields: z.output<typeof configSchema>): Omit<Settings, "logDir"> {
  const { cli, debug_log: debugLog, stop_hook: stopHook } = fields;
  return {
    baseBranch: fields.base_branch ?? "origin/main",
    ...(fields.base_branch == null ? { isDefaultBase: true } : {}),
    allowParallel: fields.allow_parallel ?? true,
    maxParallel: fields.max_parallel ?? availableParallelism(),
    maxRetries: fields.max_retries ?? 3,
    ...(fields.reason_budget == null ? {} : { reasonBudget: fields.reason_budget }),
    ...(fields.report == null
      ? {}
      : { reports: fields.report.flatMap((text) => configuredReport(text) ?? []) }),
    rerunNewIssueThreshold: fields.rerun_new_issue_threshold ?? "high",
    globalDependencies: fields.global_dependencies ?? [],
    cli: {
      defaultPreference: cli?.default_preference ?? [],
      commands: cli?.commands ?? {},
    },
    debugLog: { enabled: debugLog?.enabled ?? false, maxSizeMb: debugLog?.max_size_mb ?? 10 },
    stopHook: {
      ...(stopHook?.enabled == null ? {} : { enabled: stopHook.enabled }),
      ...(stopHook?.verify_fixes == null ? {} : { verifyFixes: stopHook.verify_fixes }),
    },
  };
}

/** Warns about an interval in the project's configuration: it is a setting of the user (G6). */
function warnOfInterval(node: SourceNode, problems: DiagnosticList): void {
  const interval = node.child("stop_hook")?.child("run_interval_minutes");
  if (interval !== undefined)
    problems.add(
      "warning",
      interval,
      "it has no effect in a project: each user sets the interval in ~/.config/agent-gauntlet/config.yml"
    );
}

/** Warns that `check_usage_limit` has no effect, because reviewers are not probed (G12a). */
function warnOfUsageLimit(node: SourceNode, problems: DiagnosticList): void {
  const key = node.child("cli")?.child("check_usage_limit");
  if (key !== undefined)
    problems.add(
      "warning",
      key,
      "it has no effect: reviewers are not probed before a review; if one reports a rate limit, the next one is used"
    );
}
