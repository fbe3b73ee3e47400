/** Marks the known failures that were fixed, so that they are not known any more (G47). */
import { plural, visible } from "@/common/text";
import { ownCommand } from "@/common/ownCommand";
import { posix } from "node:path";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { CheckRun } from "@/node/services/gauntlet/gates/findings/prepareFindings";
import type { CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import { identify, keyOf, placeOfKey } from "@/node/services/gauntlet/known/identity";
import { readLines } from "@/node/services/gauntlet/known/lineText";
import {
  MAX_RECORD_BYTES,
  parseRecord,
  type KnownRecord,
} from "@/node/services/gauntlet/known/record";
import {
  localRecordPath,
  readFixed,
  readLocalRecord,
  recordName,
  SHARED_FOLDER,
  writeFixed,
  type RecordPlace,
} from "@/node/services/gauntlet/known/store";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";

export class FixedFailures {
  /** Requested before the gates run, so that no gate waits for another round trip. */
  readonly #names: ReturnType<FixedFailures["listRecords"]>;

  constructor(
    private readonly given: Pick<GauntletRunContext, "options">,
    private readonly place: RecordPlace
  ) {
    this.#names = this.listRecords();
  }

  /** Marks all failures of the records as fixed, because the check passed. */
  async markAll(id: string): Promise<void> {
    const names = await this.#names;
    const name = recordName(id);
    const local = names.local.includes(name) ? await readLocalRecord(this.place, id) : undefined;
    const shared = names.shared.includes(name) ? await this.#sharedOfTree(name) : undefined;
    const failures = [local === "changed" ? undefined : local, shared].flatMap(
      (record) => record?.failures ?? []
    );
    if (failures.length === 0) return;
    await this.#add(id, failures.map(keyOf));
  }

  /**
   * Marks failures that a complete run no longer has.
   *
   * @param keys a failure of a file that does not exist is not marked: the file may only be moved away for a while
   */
  async mark(id: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const { runtime, projectDir } = this.given.options;
    const files = keys.map((key) => placeOfKey(key).file ?? ".");
    const stats = await runtime.stat(files.map((file) => `${projectDir}/${file}`));
    await this.#add(
      id,
      keys.filter((_, i) => stats[i]?.kind !== "missing")
    );
  }

  /** In CI, fails a complete run that no longer has a failure of the shared record (G45). */
  async withoutStale(job: CheckJob, { result, evidence }: CheckRun): Promise<GateResult> {
    if (result.outcome !== "passed" && evidence?.exitCode === undefined) return result;
    const name = recordName(job.id);
    const record = await this.#sharedOfTree(name);
    const failures = (record?.failures ?? []).filter((one) => one.flaky !== true);
    if (failures.length === 0) return result;
    const findings = result.outcome === "passed" ? [] : (result.findings ?? []);
    const found = identify(findings, await readLines(this.given.options, findings));
    const now = new Set(found.map(({ failure }) => keyOf(failure)));
    const stale = failures.filter((one) =>
      one.line === undefined ? !now.has(keyOf(one)) : result.outcome === "passed"
    );
    if (stale.length === 0) return result;
    const path = `${SHARED_FOLDER}/${name}`;
    const text = staleShared(stale.length, path, job.gate.name);
    return { ...result, outcome: "failed", explanation: { text } };
  }

  async #add(id: string, added: readonly string[]): Promise<void> {
    if (added.length === 0) return;
    const fixed = await readFixed(this.place, id);
    const keys = new Set([...fixed, ...added]);
    if (keys.size > fixed.size) await writeFixed(this.place, id, keys);
  }

  /** Returns the shared record as it is in the working tree. */
  async #sharedOfTree(name: string): Promise<KnownRecord | undefined> {
    const { runtime, projectDir } = this.given.options;
    const path = posix.join(projectDir, SHARED_FOLDER, name);
    const read = await runtime.readFile(path, { maxBytes: MAX_RECORD_BYTES });
    return read.map((bytes) => parseRecord(new TextDecoder().decode(bytes))).unwrapOr(undefined);
  }

  /** Lists the folders of the records once in a run. */
  private async listRecords() {
    const { runtime, projectDir } = this.given.options;
    const folder = posix.dirname(localRecordPath(this.place.context, ""));
    const [local, shared] = await Promise.all([
      runtime.list(folder),
      runtime.list(posix.join(projectDir, SHARED_FOLDER)),
    ]);
    return {
      local: local.unwrapOr<readonly string[]>([]),
      shared: shared.unwrapOr<readonly string[]>([]),
    };
  }
}

/** A shared record in CI that has failures which no longer occur. */
function staleShared(count: number, path: string, gate: string): string {
  const command = ownCommand();
  return `${plural(count, "failure")} of ${visible(path)} no longer occur${count === 1 ? "s" : ""}; run "${command} run --all --gate ${visible(gate)}", then "${command} known prune --gate ${visible(gate)}", and commit the file`;
}
