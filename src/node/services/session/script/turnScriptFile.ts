/** Reads a file of turns, and reports the positions of its errors. */
import { err, ok, Result } from "neverthrow";
import { isCollection, isNode, parseDocument, type Document } from "yaml";
import { fileDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { ENGLISH } from "@/common/englishMessages";
import { describeError } from "@/common/errors";
import { MIB } from "@/common/limits";
import { YAML } from "@/common/source/formats";
import { SourceFile, type KeyPath } from "@/common/source/SourceFile";
import { formatKeyPath } from "@/common/source/SourceNode";
import type { Files } from "@/node/runtime/HookRuntime";
import { turnScriptSchema, type TurnScript } from "@/node/services/session/script/turnScript";

const MAX_SCRIPT_BYTES = MIB;

/** Reads a regular file of at most 1 MiB. */
export async function loadTurnScript(
  files: Files,
  path: string
): Promise<Result<TurnScript, Diagnostic[]>> {
  const [stat] = await files.stat([path]);
  if (stat?.kind !== "file") {
    const message =
      stat?.kind === "failed"
        ? `the script cannot be read: ${stat.failure.message}`
        : `the script cannot be read: ${NOT_A_FILE[stat?.kind ?? "missing"]}`;
    return err([problem(path, message)]);
  }
  if (stat.size > MAX_SCRIPT_BYTES) {
    return err([problem(path, `the script is larger than ${MAX_SCRIPT_BYTES / MIB} MiB`)]);
  }
  const read = await files.readFile(path, { maxBytes: MAX_SCRIPT_BYTES });
  if (read.isErr()) return err([problem(path, read.error.message)]);
  return parseTurnScript(new TextDecoder().decode(read.value), path);
}

const NOT_A_FILE = {
  missing: "it does not exist",
  directory: "it is a folder",
  other: "it is a FIFO, a socket or a device",
} as const;

/** Parses a script. `file` is used only in messages. */
export function parseTurnScript(text: string, file: string): Result<TurnScript, Diagnostic[]> {
  const source = new SourceFile(file, text, YAML);
  // Deep nesting overflows the parser, and it throws on aliases of aliases.
  const parsed = Result.fromThrowable(
    () => {
      const document = parseDocument(text, { prettyErrors: false });
      const value: unknown = document.errors.length === 0 ? document.toJS() : undefined;
      return { document, checked: turnScriptSchema.safeParse(value, ENGLISH) };
    },
    (thrown) => [problem(file, `the script cannot be read: ${describeError(thrown)}`)]
  )();
  return parsed.andThen(({ document, checked }) => {
    const [syntaxError] = document.errors;
    if (syntaxError !== undefined) {
      const place = source.placeOf(syntaxError.pos[0]);
      return err([{ ...problem(file, syntaxError.message), ...place }]);
    }
    if (checked.success) return ok(checked.data);
    return err(
      checked.error.issues.map((issue) => ({
        ...problem(file, issue.message),
        ...source.placeOf(offsetOf(document, issue.path)),
        keyPath: formatKeyPath(issue.path, YAML),
      }))
    );
  });
}

function problem(file: string, message: string): Diagnostic {
  return fileDiagnostic("error", file, message);
}

/** Returns the offset of the value at the path, or of its nearest ancestor in the file. */
function offsetOf(document: Document, path: KeyPath): number {
  let node: unknown = document.contents;
  for (const key of path) {
    if (!isCollection(node)) break;
    const child: unknown = node.get(key, true);
    if (isNode(child)) node = child;
    // A single value is allowed in place of a list.
    else if (key !== 0) break;
  }
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
