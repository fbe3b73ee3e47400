/** The configuration of a project, including defaults. */
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import type { FileFormat, ReportRequest } from "@/node/services/gauntlet/domain/reports";
import type { Priority } from "@/node/services/gauntlet/domain/review";

export interface GauntletConfig {
  readonly baseBranch: string;
  /** Whether no file names the base branch. */
  readonly isDefaultBase?: boolean;
  /** Relative to the project root, and inside it. Undefined: the default (G15). */
  readonly logDir: string | undefined;
  readonly allowParallel: boolean;
  readonly maxParallel: number;
  /** Number of runs allowed after the first. */
  readonly maxRetries: number;
  /** Maximum size of the reason for an agent, in tokens. The default is that of the reason (G37). */
  readonly reasonBudget?: number;
  /** The reports that each run and stop writes (G50). Absent: none. */
  readonly reports?: readonly ReportRequest<FileFormat>[];
  readonly rerunNewIssueThreshold: Priority;
  readonly cli: {
    readonly defaultPreference: readonly string[];
    /** Shell commands of the user's own reviewers, by name. */
    readonly commands: Readonly<Record<string, string>>;
  };
  readonly debugLog: { readonly enabled: boolean; readonly maxSizeMb: number };
  /** The project's settings of the hook. The user's own file and variables are separate (G6). */
  readonly stopHook: { readonly enabled?: boolean; readonly verifyFixes?: boolean };
  /** Globs of files, such as lock files, that concern every folder of every entry point. */
  readonly globalDependencies: readonly string[];
  /** Whether both meanings of `globalDependencies` count (G4a). */
  readonly readsOld?: boolean;
  /** Whether the user's own file was read, which git must not track (G6a). */
  readonly hasLocal?: boolean;
  readonly entryPoints: readonly EntryPoint[];
  /** Digest of all files of the configuration. It differs if any of them differs (G24a). */
  readonly digest: string;
}
