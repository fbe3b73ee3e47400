/** The configuration of a project, including defaults. Most of its fields are keys of the file. */
import type * as z from "zod/mini";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import type { configSchema } from "@/node/services/gauntlet/domain/options";
import type { FileFormat, ReportRequest } from "@/node/services/gauntlet/domain/reports";

export interface GauntletConfig extends Omit<
  z.output<typeof configSchema>,
  "checks" | "entryPoints" | "report" | "baseBranch" | "maxParallel"
> {
  readonly baseBranch: string;
  readonly maxParallel: number;
  /** Whether no file names the base branch. */
  readonly isDefaultBase?: boolean;
  readonly reports?: readonly ReportRequest<FileFormat>[];
  /** Whether both meanings of `globalDependencies` count (G4a). */
  readonly readsOld?: boolean;
  /** Whether the user's own file was read, which git must not track (G6a). */
  readonly hasLocal?: boolean;
  readonly entryPoints: readonly EntryPoint[];
  /** Digest of all files of the configuration. It differs if any of them differs (G24a). */
  readonly digest: string;
}
