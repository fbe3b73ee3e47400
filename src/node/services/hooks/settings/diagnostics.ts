/** Gathers what is wrong with one settings file, each problem with its place (H5). */
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

  /** `below` names a key under `node` that is not there. */
  add(severity: Severity, node: Node, message: string, ...below: readonly PropertyKey[]): void {
    if (this.#isFull()) return;
    const { file } = this;
    const place = this.document.placeOf(node);
    this.#list.push({ severity, file, ...place, keyPath: keyPathOf(node, ...below), message });
  }

  /** What was expected and what stands there, for everything that a schema has against `node`. */
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

  /** Counts a problem that has no room, before its place is computed (H20a). */
  #isFull(): boolean {
    if (this.#list.length < MAX_DIAGNOSTICS) return false;
    this.#leftOut++;
    return true;
  }
}

/** zod's `Invalid input: expected string, received number`, without what is said better by showing the value. */
function describeExpected({ message }: z.core.$ZodIssue): string {
  const expected = message
    .replace(/^Invalid (?:input|option): /, "")
    .replace(/^Too (?:small|big): expected /, "expected ")
    .replace(/, received .*$/, "");
  return expected.charAt(0).toLowerCase() + expected.slice(1);
}

/** The node that a path leads to, or the last one on its way and what of the path is not there. */
function descend(
  node: Node,
  path: readonly PropertyKey[]
): { found: Node; missing: readonly PropertyKey[] } {
  const [step, ...rest] = path;
  if (step === undefined) return { found: node, missing: [] };
  const next = typeof step === "number" ? node.children?.[step] : propertyOf(node, String(step));
  return next === undefined ? { found: node, missing: path } : descend(next, rest);
}
