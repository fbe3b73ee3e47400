/** Describes tool calls and their results in one line each. */
import { oneLine } from "@/cli/render/format";
import { isJsonObject } from "@/common/json";
import { clip } from "@/common/text";

const MAX_CHARS = 100;
/** The most informative arguments, by precedence. Only the first one present is shown. */
const SHOWN_ARGUMENTS = ["script", "file_path", "prompt", "reportMarkdown", "question"];

/** Returns the tool and its main argument, such as `bash: node --test`. */
export function describeToolCall(name: string, args: unknown): string {
  const values = isJsonObject(args) ? args : {};
  const shownArgument = SHOWN_ARGUMENTS.map((key) => values[key]).find(
    (value) => typeof value === "string"
  );
  return clip(oneLine(shownArgument === undefined ? name : `${name}: ${shownArgument}`), MAX_CHARS);
}

/** Returns `exit 1`, `done`, the error, or the report. */
export function describeToolResult(result: unknown): string {
  if (!isJsonObject(result)) return "done";
  const { error, exitCode, reportMarkdown } = result;
  if (typeof error === "string") return clip(oneLine(error), MAX_CHARS);
  if (typeof exitCode === "number") return `exit ${exitCode}`;
  if (typeof reportMarkdown === "string") return clip(oneLine(reportMarkdown), MAX_CHARS);
  return "done";
}
