/**
 * Writes the status file of a running Mux, which lists its integration points for `mux-stop-hooks hooks doctor`, and
 * removes the files of hosts that were killed. Also finds out from such files whether a `mux acp` with the hooks runs.
 */
import { tryOr } from "@/common/errors";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject, parseObject } from "@/common/json";
import { listMissing } from "@/host/hostLog";
import { readProcess, sendSignal } from "@/node/runtime/process/ProcessTree";
import { type CandidatePlace, userRoots } from "@/host/workspace/mayHaveHooks";

export const STATUS_FOLDER = "attached-hosts";
const WAIT_MS = 500;

/** The content of a status file. The host removes the file on exit. */
export interface HostStatus {
  readonly pid: number;
  /** In ticks since boot; absent if the system has no /proc. */
  readonly startTime?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The version of this package. */
  readonly plugin: string;
  readonly host: { readonly version: string; readonly dist: string };
  /** The state of each integration point: `attached`, or a description of the missing parts. */
  readonly seams: Readonly<Record<string, string>>;
}

export class HostStatusFile {
  readonly #seams: Record<string, string> = {};
  readonly #startedAt = new Date().toISOString();
  #dist = "";
  #isDue = false;
  #isWritten = false;

  constructor(
    private readonly place: CandidatePlace,
    /** A folder of this package. */
    private readonly packageDir: string
  ) {}

  /** Records an integration point and schedules a write. Modules that load within the delay share one write. */
  seamFound(name: string, dist: string, missing: readonly string[]): void {
    this.#seams[name] = missing.length === 0 ? "attached" : listMissing(missing);
    this.#dist ||= dist;
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#write();
    }, WAIT_MS).unref();
  }

  #write(): void {
    try {
      const isFolder = (path: string) =>
        fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
      const root = userRoots(this.place).find(isFolder);
      if (root === undefined) return;
      const folder = join(root, STATUS_FOLDER);
      const file = join(folder, `${process.pid}.json`);
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (!this.#isWritten) {
        runningHostsIn(root);
        process.once("exit", () => {
          // Another process may have removed it.
          tryOr(() => {
            fs.unlinkSync(file);
          }, undefined);
        });
      }
      this.#isWritten = true;
      const status: HostStatus = {
        pid: process.pid,
        startTime: readProcess(process.pid)?.startTime,
        startedAt: this.#startedAt,
        plugin: versionNear(this.packageDir),
        host: { version: versionNear(this.#dist), dist: this.#dist },
        seams: this.#seams,
      };
      // Other processes read the folder at any time.
      const next = `${file}.next`;
      fs.writeFileSync(next, JSON.stringify(status), { mode: 0o600 });
      fs.renameSync(next, file);
    } catch {
      // The file is not needed to run hooks.
    }
  }
}

/** Returns whether a `mux acp` with the hooks runs on this machine. */
export function isEditorAttached(place: CandidatePlace): boolean {
  return userRoots(place)
    .flatMap(runningHostsIn)
    .some(({ seams }) => seams.MuxAgent === "attached");
}

/** Returns the running hosts of a Mux folder, and removes the files of those that were killed. */
export function runningHostsIn(root: string): HostStatus[] {
  const folder = join(root, STATUS_FOLDER);
  return tryOr(() => fs.readdirSync(folder), []).flatMap((name) => {
    const [, pid, isNext] = /^(\d+)\.json(\.next)?$/.exec(name) ?? [];
    if (pid === undefined) return [];
    const file = join(folder, name);
    const status = readObject(file);
    if (isAlive(Number(pid), status.startTime)) {
      return isNext === undefined && isStatus(status) ? [status] : [];
    }
    tryOr(() => {
      fs.unlinkSync(file);
    }, undefined);
    return [];
  });
}

/** Returns the object in a JSON file; empty if it cannot be read. */
function readObject(file: string): JsonObject {
  return parseObject(tryOr(() => fs.readFileSync(file, "utf8"), ""));
}

/** Returns whether the process still runs. Its start time distinguishes it from a later one with the same ID. */
function isAlive(pid: number, startTime: unknown): boolean {
  const found = readProcess(pid);
  if (found === undefined) return sendSignal(pid, 0);
  return !found.isDead && (typeof startTime !== "string" || startTime === found.startTime);
}

function isStatus(value: JsonObject): value is HostStatus & JsonObject {
  return (
    typeof value.pid === "number" &&
    (value.startTime === undefined || typeof value.startTime === "string") &&
    typeof value.startedAt === "string" &&
    typeof value.plugin === "string" &&
    isJsonObject(value.host) &&
    typeof value.host.version === "string" &&
    typeof value.host.dist === "string" &&
    isJsonObject(value.seams)
  );
}

/** Returns the version of the nearest package.json in `dir` or above, or `unknown`. */
function versionNear(dir: string): string {
  for (let folder = dir; folder !== dirname(folder); folder = dirname(folder)) {
    const { version } = readObject(join(folder, "package.json"));
    if (typeof version === "string") return version;
  }
  return "unknown";
}
