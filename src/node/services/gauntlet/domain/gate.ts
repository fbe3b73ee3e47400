/**
 * Defines gates as a configuration has them, jobs (a gate in a folder) as a run creates them, with their IDs, and the
 * results of gates and of the slots of a review, each of which has its own reviewer.
 */
import type { Diagnostic } from "@/common/diagnostics";
import type * as z from "zod/mini";
import type { Finding, FindingsSource } from "@/node/services/gauntlet/domain/findings/finding";
import type {
  checkSchema,
  entryPointSchema,
  reviewSchema,
} from "@/node/services/gauntlet/domain/configSchemas";
import type { KnownPart } from "@/node/services/gauntlet/messages/known";

/** The `file:line:column` of a definition. */
export type SourcePosition = Readonly<Pick<Diagnostic, "file" | "line" | "column">>;

interface GateCommon {
  readonly name: string;
  readonly source: SourcePosition;
  readonly timeoutS: number;
}

/** A shell command that passes with exit code 0 (G4, G11). Most of its fields are keys of the configuration. */
export interface CheckDefinition
  extends
    GateCommon,
    Omit<z.output<typeof checkSchema>, "timeout" | "fixScope" | "env" | "findings"> {
  readonly kind: "check";
  readonly env: Readonly<Record<string, string>>;
  /** Whether the project used its globs when they had another meaning, so that both meanings count (G4a). */
  readonly readsOld?: boolean;
  /** Where its findings are. Absent: its output, with all built-in patterns. Empty: nowhere (G37). */
  readonly findings?: readonly FindingsSource[];
}

/** A review of a diff (G4, G12). */
export interface ReviewDefinition
  extends GateCommon, Omit<z.output<typeof reviewSchema>, "timeout"> {
  readonly kind: "review";
  readonly prompt: { readonly text: string } | { readonly builtin: string };
}

export type GateDefinition = CheckDefinition | ReviewDefinition;

export interface EntryPoint extends Omit<z.output<typeof entryPointSchema>, "checks" | "reviews"> {
  /** As for a check. */
  readonly readsOld?: boolean;
  /** What is at the path in the tree: `file`, `directory`, or others. Absent if that was not determined. */
  readonly kind?: string | undefined;
  /** In configured order, checks before reviews. */
  readonly gates: readonly GateDefinition[];
}

/** One gate in one folder, once each (G10). */
export interface Job {
  /** For example `check:src:lint`. */
  readonly id: string;
  /** The folder, relative to the project root: `.`, `src`, `packages/a`. */
  readonly entryPoint: string;
  /** @internal */
  readonly gate: GateDefinition;
  /** `<entry point>_<gate>`, safe and unique as part of a file name (G15a). */
  readonly logName: string;
}

/**
 * `known`: it failed, but only with failures that are older than the change, which is not a pass (G45).
 * `error`: the gate could not do its work. `skipped`: it never started (fail_fast). `no_files`: no changed file is left
 * for its command, which is not a pass (G32).
 */
export type GateOutcome =
  | "passed"
  | "known"
  | "failed"
  | "error"
  | "skipped"
  | "cancelled"
  | "no_files";

/** The result of one slot of a review (G14). `prior_pass`: it passed before, and another slot of its gate was run. */
export interface SlotResult {
  /** From 1. */
  readonly slot: number;
  readonly reviewer: string;
  readonly outcome: "passed" | "failed" | "error" | "cancelled" | "prior_pass";
  readonly durationMs: number;
  readonly message?: string;
  /** Files that the reviewer saw only in part because of their size (G12a). */
  readonly cut?: readonly string[];
  /** Violations that do not count, for the user (G12). */
  readonly leftOut?: readonly string[];
  /** Absolute, on the workspace's machine, as is `jsonPath`. */
  readonly logPath?: string;
  /** The file in which the agent records what it did about each violation. */
  readonly jsonPath?: string;
}

export interface GateResult {
  readonly jobId: string;
  readonly kind: "check" | "review";
  readonly gate: string;
  readonly entryPoint: string;
  readonly outcome: GateOutcome;
  readonly durationMs: number;
  /** Absolute, on the workspace's machine. */
  readonly logPath?: string;
  /** For a check: the command line, and the absolute folder in which it ran. */
  readonly command?: string;
  readonly folder?: string;
  /** The reason if it did not pass: `Exited with code 3`. */
  readonly message?: string;
  /** A further cause of the outcome: a text of the gauntlet, and the names or lines that it is about. */
  readonly explanation?: { readonly text: string; readonly about?: readonly string[] };
  /** For a failed check: the problems that it reported, the most useful first (G37). */
  readonly findings?: readonly Finding[];
  /** Its older failures. Its findings are then only the new ones (G45). */
  readonly known?: KnownPart;
  /** Absolute: the file that lists all findings. */
  readonly findingsPath?: string;
  /** Why its findings are incomplete. */
  readonly findingsProblem?: string;
  /** ISO 8601. It was not run, because nothing that it reads changed since it passed at this time (G21). */
  readonly cachedSince?: string;
  /** For a review, ordered by slot number. */
  readonly slots?: readonly SlotResult[];
  /** The time limit of the run ended it or prevented its start (G27c). */
  readonly overLimit?: boolean;
  /** It passed, but its command did not see a change (G33). */
  readonly isUnseen?: boolean;
  /** Its own time limit ended it. */
  readonly timedOut?: boolean;
  /** The files that its fix changed before it ran, relative to the project (G35). */
  readonly fixedFiles?: readonly string[];
  /** For a check with retries: how often it ran (G36). Absent: once. */
  readonly runs?: number;
  /** It failed first and passed when it ran again. A pass, but not a proof (G36). */
  readonly flaky?: boolean;
  /** No verdict, for a reason that an agent cannot fix: no reviewer, a lost connection (G13), an old definition (G24a). */
  readonly unreachable?: boolean;
}

/** Returns whether a gate was run, or passed before on the same inputs. */
export function hasGivenResult({ outcome }: Pick<GateResult, "outcome">): boolean {
  return ["passed", "known", "failed", "error"].includes(outcome);
}

/** Returns whether a gate rejected the work or could not judge it. */
export function isFailure({ outcome }: Pick<GateResult, "outcome">): boolean {
  return outcome === "failed" || outcome === "error";
}

/** Returns whether a gate failed for a reason that an agent can fix. */
export function isFixable(gate: Pick<GateResult, "outcome" | "unreachable">): boolean {
  return isFailure(gate) && gate.unreachable !== true;
}

type JobGate = Pick<GateDefinition, "kind" | "name">;

/**
 * Returns the ID of a job: `check:src:lint`.
 *
 * @param nth from 1: the index among gates with the same name in the same folder
 */
export function jobId({ kind, name }: JobGate, folder: string, nth = 1): string {
  return `${kind}:${folder}:${name}${nth === 1 ? "" : `#${nth}`}`;
}

/** Returns the folder of a job of this gate, or undefined if the job belongs to another gate. */
export function folderOfJob(id: string, { kind, name }: JobGate): string | undefined {
  const prefix = `${kind}:`;
  const suffix = `:${name}`;
  const plain = id.endsWith(suffix) ? id : id.replace(/#\d+$/, "");
  if (!plain.startsWith(prefix) || !plain.endsWith(suffix)) return undefined;
  return plain.slice(prefix.length, -suffix.length);
}
