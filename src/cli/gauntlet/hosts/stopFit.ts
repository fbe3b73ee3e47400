/** Recognizes the input of a stop or of a new message by the host's folder, its own fields, and the fields of other hosts (G27b). */
import type { InputFit } from "@/cli/gauntlet/hosts/types";
import type { JsonObject } from "@/common/json";

export interface HostMarks {
  /** The host's folder in the user's home, in which it keeps transcripts, such as `.codex`. */
  readonly folder: string;
  /** Lists of fields. Only this host sends all fields of one list together. */
  readonly ownFields: readonly (readonly string[])[];
  /** Fields of other hosts, which this host does not send. */
  readonly foreignFields: readonly string[];
}

/** The hosts that imitate Claude Code use its names of both events. */
export const EVENTS: readonly unknown[] = ["Stop", "UserPromptSubmit"];

export function stopFit(
  input: JsonObject,
  { folder, ownFields, foreignFields }: HostMarks
): InputFit {
  const has = (name: string): boolean => name in input;
  const { hook_event_name: event = "Stop", transcript_path: path = input.transcriptPath } = input;
  if (!EVENTS.includes(event) || foreignFields.some(has)) return "foreign";
  const isInFolder = typeof path === "string" && path.includes(`/${folder}/`);
  return isInFolder || ownFields.some((names) => names.every(has)) ? "certain" : "possible";
}
