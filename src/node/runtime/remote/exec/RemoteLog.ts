import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import { failureOfConnection, failureOfText } from "@/node/runtime/remote/errors";
import { RemoteFiles } from "@/node/runtime/remote/files/RemoteFiles";
import type {
  CapturedOutput,
  ExecResult,
  FileFailure,
  LogTarget,
} from "@/node/runtime/HookRuntime";

/** Returns the six arguments of logWriter.sh. */
export function logArguments({ path, keepBytes, header = "", footer }: LogTarget): string[] {
  const folder = path.slice(0, Math.max(path.lastIndexOf("/"), 1));
  const [head, half] = [Math.ceil(keepBytes / 2), Math.floor(keepBytes / 2)];
  const hasFooter = footer === undefined ? "" : "1";
  return [path, folder, String(head), String(half), header, hasFooter];
}

/** The other machine's report about a log, sent after it was written. */
export interface LogReport {
  readonly bytes: number;
  /** The error messages of its tools; empty if the log is complete. */
  readonly words: string;
}

/** Splits the line about the log off the end of the report about the program. */
export function splitLogReport(report: string, token: string): [string, LogReport | undefined] {
  const mark = `${token}-logged `;
  const at = report.lastIndexOf(mark);
  if (at === -1) return [report, undefined];
  const [, bytes = "", words = ""] = /^(\d+) ([^]*)$/.exec(report.slice(at + mark.length)) ?? [];
  return [report.slice(0, at), { bytes: Number(bytes), words: words.trim() }];
}

/** Adds the footer to a log. It holds both streams, so `stdout` counts the bytes of both. */
export async function closeRemoteLog(
  shell: RemoteShell,
  target: LogTarget,
  report: LogReport | undefined,
  ended: Pick<ExecResult, "end" | "durationMs">
): Promise<Pick<ExecResult, "stdout" | "stderr" | "logFailure">> {
  const failure = lackOf(shell, target, report, ended) ?? (await addFooter(shell, target, ended));
  return {
    stdout: nothingKept(report?.bytes ?? 0),
    stderr: nothingKept(0),
    logFailure: failure,
  };
}

function lackOf(
  { label }: RemoteShell,
  { path }: LogTarget,
  report: LogReport | undefined,
  { end }: Pick<ExecResult, "end">
): FileFailure | undefined {
  if (report !== undefined && report.words !== "") {
    return failureOfText({ path, label }, report.words);
  }
  if (report !== undefined || end.kind === "notStarted") return undefined;
  const message =
    end.kind === "lost" ? end.message : "the machine did not report whether the log is complete";
  return failureOfConnection({ path, label }, { message });
}

async function addFooter(
  shell: RemoteShell,
  { path, footer }: LogTarget,
  ended: Pick<ExecResult, "end" | "durationMs">
): Promise<FileFailure | undefined> {
  const text = await footer?.(ended);
  if (text === undefined || text === "") return undefined;
  const added = await new RemoteFiles(shell).appendFile(path, text);
  return added.isErr() ? added.error : undefined;
}

function nothingKept(bytes: number): CapturedOutput {
  return { text: "", bytes, truncated: bytes > 0 };
}
