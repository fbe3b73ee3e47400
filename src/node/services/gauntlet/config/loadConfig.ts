/**
 * Loads a project's configuration, with the user's own file and the defaults, from its files or from a record of the
 * start of the turn (G20d), and reports all problems together (G4, G5).
 */
import { availableParallelism } from "node:os";
import { posix } from "node:path";
import type * as z from "zod/mini";
import type { LocatedDiagnostic } from "@/common/diagnostics";
import { firstNames } from "@/common/safeText";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import * as readConfigFiles from "@/node/services/gauntlet/config/readConfigFiles";
import * as configPaths from "@/node/services/gauntlet/config/configPaths";
import { readEntryPoints } from "@/node/services/gauntlet/config/readEntryPoints";
import { LocalConfig } from "@/node/services/gauntlet/config/localConfig";
import { isCi } from "@/common/isCi";
import * as reports from "@/node/services/gauntlet/domain/runReportFormats";
import { nearest, validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { configSchema, REVIEWER_PROGRAMS } from "@/node/services/gauntlet/domain/configSchemas";
import { parseYaml } from "@/node/services/gauntlet/config/source/parseYaml";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";

/** The result of loading: no configuration, an invalid one, or a valid one. */
export type ConfigLoad =
  | { readonly kind: "none" }
  | ((
      | { readonly kind: "invalid" }
      | { readonly kind: "valid"; readonly config: GauntletConfig }
    ) & {
      /** Of a valid configuration, warnings only. */
      readonly problems: readonly LocatedDiagnostic[];
      /** SHA-256 of every file of the configuration, by its path relative to the project. */
      readonly hashes: ReadonlyMap<string, string>;
    });

export interface LoadConfigOptions {
  /** An unknown key is an error, as in `validate`. Otherwise it is a warning, and the run continues (G5). */
  readonly strict?: boolean;
  /** In CI, the user's own file is not read (G6a). The default is the environment of this process. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

/** Loads the configuration, and reads every file once. `projectDir` is absolute. Never throws. */
export async function loadGauntletConfig(
  files: readConfigFiles.ConfigReads,
  projectDir: string,
  { strict = false, env = process.env }: LoadConfigOptions = {}
): Promise<ConfigLoad> {
  const problems = new DiagnosticList(strict);
  // Both at once, which saves a round trip if the project is on another machine.
  const [[stat], read] = await Promise.all([
    files.stat([posix.join(projectDir, configPaths.CONFIG_FILE)]),
    readConfigFiles.readConfigFiles(files, projectDir, problems, { withLocal: !isCi(env) }),
  ]);
  if (stat?.kind === "missing") return { kind: "none" };
  const node = read.config && parseYaml(read.config, problems);
  const local = new LocalConfig(read.local && parseYaml(read.local, problems), problems);
  const merged = node && local.settings(node);
  const settings = merged && readSettings(merged, projectDir, problems);
  const entryPoints = merged ? readEntryPoints(merged, { ...read, local }, problems) : [];
  local.report();
  checkReviewers(merged?.child("cli"), local.reviews, problems);
  const found = { problems: problems.all, hashes: read.hashes };
  if (settings === undefined || problems.hasErrors) return { kind: "invalid", ...found };
  const hasLocal = read.local === undefined ? undefined : true;
  const config = { ...settings, hasLocal, entryPoints, digest: readConfigFiles.digestOf(read) };
  return { kind: "valid", config, ...found };
}

function readSettings(
  node: SourceNode,
  projectDir: string,
  problems: DiagnosticList
): Omit<GauntletConfig, "entryPoints" | "digest"> | undefined {
  const fields = validateNode(node, configSchema, problems);
  const logDir = resolveLogDir(node.child("log_dir"), projectDir, problems);
  const interval = node.child("stop_hook")?.child("run_interval_minutes");
  if (interval !== undefined)
    problems.add(
      "warning",
      interval,
      "it has no effect in a project: each user sets the interval in ~/.config/agent-gauntlet/config.yml"
    );
  const probe = node.child("cli")?.child("check_usage_limit");
  if (problems.strict && probe !== undefined && fields?.cli.checkUsageLimit === true)
    problems.add(
      "warning",
      probe,
      "it has no effect: reviewers are not probed before a review; if one reports a rate limit, the next one is used"
    );
  if (fields === undefined) return undefined;
  const { checks, entryPoints, report, baseBranch, maxParallel, ...settings } = fields;
  return {
    ...settings,
    logDir,
    maxParallel: maxParallel ?? availableParallelism(),
    baseBranch: baseBranch ?? "origin/main",
    isDefaultBase: baseBranch === undefined ? true : undefined,
    reports: report?.flatMap((text) => reports.configuredReport(text) ?? []),
  };
}

/** Reports names of reviewers that do not exist, as unknown keys are (G5). */
function checkReviewers(
  cli: SourceNode | undefined,
  reviews: readonly SourceNode[],
  problems: DiagnosticList
): void {
  const own = cli?.child("commands")?.children ?? [];
  const programs = new Map<string, string>(Object.entries(REVIEWER_PROGRAMS));
  const known = [...programs.keys(), ...own.map(({ key }) => key)];
  const lists = reviews.map((review) => review.child("cli_preference"));
  for (const node of [cli?.child("default_preference"), ...lists].flatMap((l) => l?.items ?? [])) {
    const { value: name } = node;
    if (typeof name !== "string" || known.includes(name)) continue;
    const meant = known.find((each) => programs.get(each) === name) ?? nearest(name, known);
    const hint = meant === undefined ? "" : `; did you mean ${JSON.stringify(meant)}?`;
    const text = `there is no reviewer named ${JSON.stringify(name)}; known are: ${firstNames(known, 20)}${hint}`;
    problems.add(problems.strict ? "error" : "warning", node, text);
  }
}

/** The reasons why a path cannot be the log folder, by its first part. */
const LOG_DIR_FAULTS = new Map([
  ["", "is the project itself"],
  ["..", "is outside the project"],
  [".git", "belongs to git"],
]);

/** Returns the log folder's path from the project root, if one is written and valid. The schema reports other types. */
function resolveLogDir(
  node: SourceNode | undefined,
  projectDir: string,
  problems: DiagnosticList
): string | undefined {
  if (typeof node?.value !== "string") return undefined;
  const logDir = posix.relative(projectDir, posix.resolve(projectDir, node.value));
  const [first = ""] = logDir.split("/");
  const fault =
    logDir === configPaths.CONFIG_FOLDER ? "contains the configuration" : LOG_DIR_FAULTS.get(first);
  if (fault === undefined) return logDir;
  problems.add(
    "error",
    node,
    `expected a folder inside the project, such as ${configPaths.DEFAULT_LOG_DIR}; ${JSON.stringify(node.value)} ${fault}`
  );
  return undefined;
}

/** A valid configuration, with the defaults. */
export interface GauntletConfig extends Omit<
  z.output<typeof configSchema>,
  "checks" | "entryPoints" | "report" | "baseBranch" | "maxParallel"
> {
  readonly baseBranch: string;
  readonly maxParallel: number;
  /** Whether no file names the base branch. */
  readonly isDefaultBase?: boolean;
  readonly reports?: readonly reports.ReportRequest<reports.FileFormat>[];
  /** Whether both meanings of `globalDependencies` count (G4a). */
  readonly readsOld?: boolean;
  /** Whether the user's own file was read, which git must not track (G6a). */
  readonly hasLocal?: boolean;
  readonly entryPoints: readonly EntryPoint[];
  /** Digest of all files of the configuration. It differs if any of them differs (G24a). */
  readonly digest: string;
}
