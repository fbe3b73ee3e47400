/** Parses SARIF 2.1, which many analyzers write. */
import { isJsonObject, type JsonObject } from "@/common/json";
import {
  objectsOf,
  placeOf,
  ruleOf,
  textOf,
} from "@/node/services/gauntlet/gates/findings/formats/jsonReports";
import {
  MAX_RAW_FINDINGS,
  severityOf,
  type ParsedReport,
  type RawFinding,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import { NOT_THIS_FORMAT } from "@/node/services/gauntlet/messages/shared";

/** Results of these kinds are not problems. */
const NO_PROBLEM = new Set(["pass", "notApplicable", "informational"]);

export function parseSarif(json: unknown): ParsedReport {
  if (!isJsonObject(json) || !Array.isArray(json.runs)) {
    return { found: [], problem: NOT_THIS_FORMAT };
  }
  const found: RawFinding[] = [];
  for (const run of objectsOf(json.runs)) {
    const tables = { rules: rulesOf(run), artifacts: listOf(run.artifacts) };
    for (const result of [...objectsOf(run.results), ...notificationsOf(run)]) {
      if (found.length >= MAX_RAW_FINDINGS) return { found };
      if (isProblem(result)) found.push(findingOf(result, tables));
    }
  }
  return { found };
}

/** Returns the errors that prevented an analysis: ESLint's formatter reports syntax errors as such. */
function notificationsOf(run: JsonObject): JsonObject[] {
  return objectsOf(run.invocations)
    .flatMap(({ toolConfigurationNotifications: ofConfig, toolExecutionNotifications: ofRun }) => [
      ...objectsOf(ofConfig),
      ...objectsOf(ofRun),
    ])
    .filter(({ level }) => level === "error");
}

function isProblem({ kind, suppressions }: JsonObject): boolean {
  const isSuppressed = objectsOf(suppressions).some(
    ({ status }) => status === undefined || status === "accepted"
  );
  return !isSuppressed && !NO_PROBLEM.has(textOf(kind) ?? "fail");
}

/** The lists of a run that its results refer to by index. */
interface Tables {
  readonly rules: readonly unknown[];
  readonly artifacts: readonly unknown[];
}

function findingOf(result: JsonObject, { rules, artifacts }: Tables): RawFinding {
  const index = childOf(result, "rule").index ?? result.ruleIndex;
  const rule = itemOf(rules, index);
  const level = textOf(result.level) ?? textOf(childOf(rule, "defaultConfiguration").level);
  const [location] = objectsOf(result.locations);
  const physical = childOf(location, "physicalLocation");
  const { startLine, startColumn } = childOf(physical, "region");
  return {
    ...placeOf(fileOf(childOf(physical, "artifactLocation"), artifacts), startLine, startColumn),
    severity: severityOf(level ?? "warning") ?? "warning",
    ...ruleOf(result.ruleId ?? childOf(result, "rule").id ?? rule?.id),
    message: messageOf(childOf(result, "message"), rule),
  };
}

/** Returns the path of an artifact: in the location itself, or in the list of the run. */
function fileOf({ uri, index }: JsonObject, artifacts: readonly unknown[]): string | undefined {
  const path = textOf(uri) ?? textOf(childOf(itemOf(artifacts, index), "location").uri);
  return path?.includes("%") === true && !path.startsWith("file:") ? decoded(path) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function messageOf(
  { text, id, arguments: given }: JsonObject,
  rule: JsonObject | undefined
): string {
  const known = textOf(text);
  if (known !== undefined) return known;
  const template = textOf(childOf(childOf(rule, "messageStrings"), textOf(id) ?? "default").text);
  const fallback = textOf(childOf(rule, "shortDescription").text) ?? "";
  const values = listOf(given);
  return (template ?? fallback).replaceAll(
    /\{(\d+)\}/g,
    (mark, n: string) => textOf(values[Number(n)]) ?? mark
  );
}

function rulesOf(run: JsonObject): readonly unknown[] {
  return listOf(childOf(childOf(run, "tool"), "driver").rules);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function itemOf(list: readonly unknown[], index: unknown): JsonObject | undefined {
  const item = typeof index === "number" ? list[index] : undefined;
  return isJsonObject(item) ? item : undefined;
}

function childOf(parent: JsonObject | undefined, key: string): JsonObject {
  const child = parent !== undefined && Object.hasOwn(parent, key) ? parent[key] : undefined;
  return isJsonObject(child) ? child : {};
}
