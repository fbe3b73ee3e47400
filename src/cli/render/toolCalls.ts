/** What an agent does and what comes of it, on a line each. */
import { oneLine } from "@/cli/render/format";
import { isJsonObject } from "@/common/json";
import { clip } from "@/common/text";

const MAX_CHARS = 100;
/** Of the arguments, the one that says most. */
const SHOWN_ARGUMENTS = ["script", "file_path", "prompt", "reportMarkdown", "question"];

/** `bash: node --test` */
export function describeToolCall(name: string, args: unknown): string {
  const values = isJsonObject(args) ? args : {};
  const shownArgument = SHOWN_ARGUMENTS.map((key) => values[key]).find(
    (value) => typeof value === "string"
  );
  return clip(oneLine(shownArgument === undefined ? name : `${name}: ${shownArgument}`), MAX_CHARS);
}

/** `exit 1`, `done`, or what went wrong. */
export function describeToolResult(result: unknown): string {
  if (!isJsonObject(result)) return "done";
  const { error, exitCode, reportMarkdown } = result;
  if (typeof error === "string") return clip(oneLine(error), MAX_CHARS);
  if (typeof exitCode === "number") return `exit ${exitCode}`;
  if (typeof reportMarkdown === "string") return clip(oneLine(reportMarkdown), MAX_CHARS);
  return "done";
}
