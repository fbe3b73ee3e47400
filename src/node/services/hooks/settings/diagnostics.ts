/** Collects the problems of one settings file with their positions (H5). */
import type { Node } from "jsonc-parser";
import type * as z from "zod";
import type { Diagnostic, Severity } from "@/common/diagnostics";
import { MAX_DIAGNOSTICS } from "@/common/limits";
import { plural } from "@/common/text";
import {
  describeNode,
  keyPathOf,
  propertyOf,
  type SettingsDocument,
} from "@/node/services/hooks/settings/jsoncDocument";

export class SettingsProblems {
  readonly #list: Diagnostic[] = [];
  #leftOut = 0;

  constructor(
    private readonly file: string,
    private readonly document: SettingsDocument
  ) {}

  get list(): readonly Diagnostic[] {
    const last = this.#list.at(-1);
    if (last === undefined || this.#leftOut === 0) return this.#list;
    const message = `and ${plural(this.#leftOut, "further problem")} in this file`;
    return [...this.#list, { ...last, keyPath: "", message }];
  }

  /** Adds a problem. `below` names a key under `node` that does not exist. */
  add(severity: Severity, node: Node, message: string, ...below: readonly PropertyKey[]): void {
    if (this.#isFull()) return;
    const { file } = this;
    const place = this.document.placeOf(node);
    this.#list.push({ severity, file, ...place, keyPath: keyPathOf(node, ...below), message });
  }

  /** Adds a problem, with the expected and the actual value, for each issue that a schema found in `node`. */
  addIssues(severity: Severity, node: Node, error: z.ZodError, consequence = ""): void {
    for (const issue of error.issues) {
      if (this.#isFull()) continue;
      const expected = describeExpected(issue);
      const { found, missing } = descend(node, issue.path);
      const message =
        missing.length > 0 ? `missing: ${expected}` : `${expected}, found ${describeNode(found)}`;
      this.add(severity, found, `${message}${consequence}`, ...missing);
    }
  }

  /** Returns whether the list is full. If it is, counts the problem before its position is computed (H20a). */
  #isFull(): boolean {
    if (this.#list.length < MAX_DIAGNOSTICS) return false;
    this.#leftOut++;
    return true;
  }
}

/** Shortens zod's `Invalid input: expected string, received number`, because the caller shows the value itself. */
function describeExpected({ message }: z.core.$ZodIssue): string {
  const expected = message
    .replace(/^Invalid (?:input|option): /, "")
    .replace(/^Too (?:small|big): expected /, "expected ")
    .replace(/, received .*$/, "");
  return expected.charAt(0).toLowerCase() + expected.slice(1);
}

/** Returns the node at a path, or the last existing node on the way and the rest of the path. */
function descend(
  node: Node,
  path: readonly PropertyKey[]
): { found: Node; missing: readonly PropertyKey[] } {
  const [step, ...rest] = path;
  if (step === undefined) return { found: node, missing: [] };
  const next = typeof step === "number" ? node.children?.[step] : propertyOf(node, String(step));
  return next === undefined ? { found: node, missing: path } : descend(next, rest);
}
