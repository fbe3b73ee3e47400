/** Makes what a host sends independent of the run: its paths, IDs and times. */
import { basename } from "node:path";

export interface RunPlaces {
  readonly home: string;
  readonly project: string;
}

const UUID = /(?<![\da-f])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/g;
const NO_UUID = "00000000-0000-4000-8000-000000000000";

/** Returns the JSON as a file has it. */
export function normalizedJson(value: unknown, { home, project }: RunPlaces): string {
  const folder = basename(project);
  const replaced = JSON.stringify(value, undefined, 2)
    .replaceAll(home, "/home")
    // Gemini CLI names `tmp/` and the project's folder behind its own, which looks like a project in /tmp.
    .replaceAll(new RegExp(`(?<!\\w)${project}`, "g"), "/project")
    // Some hosts name a folder after the project.
    .replaceAll(project.replaceAll(/[^\dA-Za-z]/g, "-"), "-project")
    .replaceAll(new RegExp(folder, "gi"), "project")
    .replaceAll(UUID, NO_UUID)
    .replaceAll(/-\d{4}-\d\d-\d\dT\d\d-\d\d(?:-\d\d)?(?=-[\da-f]{8}\b)/g, "-2026-11-22T00-00-00")
    .replaceAll(/-[\da-f]{8}(?=\.jsonl)/g, "-00000000")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-22T00:00:00.000Z")
    .replaceAll(/\/sessions\/\d{4}\/\d\d\/\d\d\//g, "/sessions/2026/11/22/");
  return `${replaced}\n`;
}
