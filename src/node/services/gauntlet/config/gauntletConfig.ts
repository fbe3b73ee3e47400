/** What the configuration of a project says, with its defaults in place (§2). */
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import type { Priority } from "@/node/services/gauntlet/domain/review";

export interface GauntletConfig {
  readonly baseBranch: string;
  /** Relative to the project root; never leaves it, nor is it. */
  readonly logDir: string;
  readonly allowParallel: boolean;
  readonly maxParallel: number;
  /** Runs allowed after the first. */
  readonly maxRetries: number;
  readonly rerunNewIssueThreshold: Priority;
  readonly cli: {
    readonly defaultPreference: readonly string[];
    readonly checkUsageLimit: boolean;
    /** Shell commands of reviewers of one's own, by name. */
    readonly commands: Readonly<Record<string, string>>;
  };
  readonly debugLog: { readonly enabled: boolean; readonly maxSizeMb: number };
  /** What the project says of the hook; the person's own file and variables stand beside it (G6). */
  readonly stopHook: { readonly enabled?: boolean; readonly verifyFixes?: boolean };
  readonly entryPoints: readonly EntryPoint[];
  /** Over all files that were read: another digest is another configuration (G24a). */
  readonly digest: string;
}
