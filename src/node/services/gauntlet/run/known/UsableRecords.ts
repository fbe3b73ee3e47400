/**
 * Reads the records of known failures that apply to a run's checks (G44), and marks recorded failures that no longer
 * occur as fixed (G47). In CI, a record with such a failure is out of date and fails the check (G45).
 */
import * as checkFacts from "@/node/services/gauntlet/known/failureStore";
import { posix } from "node:path";
import { shownCommand } from "@/common/ownCommandName";
import { plural, visible } from "@/common/safeText";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { CheckRun, CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import * as identity from "@/node/services/gauntlet/known/failureIdentity";
import type { Recorded } from "@/node/services/gauntlet/known/compareWithRecord";
import { sinceRecord } from "@/node/services/gauntlet/known/sinceRecord";
import { latestTurn } from "@/node/services/gauntlet/turn/StopHistory";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import { readText } from "@/node/runtime/fileContents";

/** A record that applies to this run, the changes since it was made, and the keys of its fixed failures. */
export type UsableRecord = Omit<Recorded, "unresolved">;

export class UsableRecords {
  #anchors: Promise<readonly string[]> | undefined;
  /** Requested before the gates run, so that no gate waits for another round trip. */
  readonly #names: ReturnType<UsableRecords["listRecords"]>;

  constructor(
    private readonly given: GauntletRunContext,
    private readonly place: checkFacts.RecordPlace,
    private readonly snapshot: string
  ) {
    this.#names = this.listRecords();
  }

  /** Returns the local and the shared record of a check, if they are older than the work and for its definition. */
  async of(job: CheckJob): Promise<UsableRecord[]> {
    const { context, reporter } = this.given;
    const digest = checkFacts.commandDigest(job);
    const anchors = await (this.#anchors ??= this.#findAnchors());
    const found: { record: checkFacts.KnownRecord; tree: string }[] = [];
    const local = await checkFacts.readLocalRecord(this.place, job.id);
    if (local === "changed") {
      reporter.weaken(
        `the record of known failures ${visible(checkFacts.localRecordPath(context, job.id))} does not count, because it was not written by "${shownCommand()} known record"`
      );
    } else if (local !== undefined && local.command !== digest) {
      reporter.warn(
        `the known failures of ${visible(job.id)} do not count, because its definition changed since they were recorded; "${shownCommand()} known record" records them again`
      );
    } else if (local && (await checkFacts.isRecordedBefore(this.place, local, anchors))) {
      found.push({ record: local, tree: local.tree });
    }
    for (const anchor of anchors) {
      const shared = await checkFacts.readSharedRecord(this.place, job.id, anchor);
      if (shared?.command !== digest) continue;
      found.push({ record: shared, tree: anchor });
      break;
    }
    if (found.length === 0) return [];
    const fixed = await checkFacts.readFixed(this.place, job.id);
    const usable: UsableRecord[] = [];
    for (const { record, tree } of found) {
      const since = await sinceRecord(this.place.runtime, context, tree, this.snapshot);
      if (since.isOk()) usable.push({ record, since: since.value, fixed });
      else reporter.warn(`${job.id}: its known failures do not count: ${since.error.message}`);
    }
    return usable;
  }

  /** Returns the commits that the current work cannot have made: its base, and HEAD when the user's turn began. */
  async #findAnchors(): Promise<readonly string[]> {
    const { options, context } = this.given;
    const { runtime, stop } = options;
    const turns = new TurnStore(runtime, context.gitDir);
    const session = stop?.session ?? (await latestTurn(turns))?.session;
    const turnHead = session && (await turns.read("turns", session))?.head;
    const own = stop === undefined && turnHead === undefined ? context.head : undefined;
    const all = [context.baseCommit, context.start, turnHead, own];
    return [...new Set(all.filter((commit) => commit !== undefined))];
  }

  /** Marks all failures of the records as fixed, because the check passed. */
  async markAll(id: string): Promise<void> {
    const names = await this.#names;
    const name = checkFacts.recordName(id);
    const local = names.local.includes(name)
      ? await checkFacts.readLocalRecord(this.place, id)
      : undefined;
    const shared = names.shared.includes(name) ? await this.#sharedOfTree(name) : undefined;
    const failures = [local === "changed" ? undefined : local, shared].flatMap(
      (record) => record?.failures ?? []
    );
    await this.#add(id, failures.map(identity.keyOf));
  }

  /**
   * Marks failures that a complete run no longer has.
   *
   * @param keys a failure of a file that does not exist is not marked: the file may only be moved away for a while
   */
  async mark(id: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const { runtime, projectDir } = this.given.options;
    const files = keys.map((key) => identity.placeOfKey(key).file ?? ".");
    const stats = await runtime.stat(files.map((file) => `${projectDir}/${file}`));
    const present = keys.filter((_, i) => stats[i]?.kind !== "missing");
    await this.#add(id, present);
  }

  async #add(id: string, added: readonly string[]): Promise<void> {
    if (added.length === 0) return;
    const fixed = await checkFacts.readFixed(this.place, id);
    const all = new Set([...fixed, ...added]);
    if (all.size > fixed.size) await checkFacts.writeFixed(this.place, id, all);
  }

  /** Returns the result of a check in CI: failed if a failure of the shared record no longer occurs (G45). */
  async failIfStale(job: CheckJob, { result, evidence }: CheckRun): Promise<GateResult> {
    if (result.outcome !== "passed" && evidence?.exitCode === undefined) return result;
    const name = checkFacts.recordName(job.id);
    const record = await this.#sharedOfTree(name);
    const failures = (record?.failures ?? []).filter((one) => one.flaky !== true);
    if (failures.length === 0) return result;
    const findings = result.outcome === "passed" ? [] : (result.findings ?? []);
    const lineText = await identity.readLines(this.given.options, findings);
    const found = identity.identify(findings, lineText);
    const now = new Set(found.map(({ failure }) => identity.keyOf(failure)));
    const stale = failures.filter((one) => {
      if (one.line !== undefined) return result.outcome === "passed";
      return !now.has(identity.keyOf(one)) && evidence?.unique.has(one.test ?? "") !== true;
    });
    if (stale.length === 0) return result;
    const path = `${checkFacts.SHARED_FOLDER}/${name}`;
    const [command, gate] = [shownCommand(), visible(job.gate.name)];
    const text = `${plural(stale.length, "failure")} of ${visible(path)} no longer occur${stale.length === 1 ? "s" : ""}; run "${command} run --all --gate ${gate}", then "${command} known prune --gate ${gate}", and commit the file`;
    return { ...result, outcome: "failed", explanation: { text } };
  }

  /** Returns the shared record as it is in the working tree. */
  async #sharedOfTree(name: string): Promise<checkFacts.KnownRecord | undefined> {
    const { runtime, projectDir } = this.given.options;
    const path = posix.join(projectDir, checkFacts.SHARED_FOLDER, name);
    const text = await readText(runtime, path, { maxBytes: checkFacts.MAX_RECORD_BYTES });
    return checkFacts.parseRecord(text ?? "");
  }

  /** Lists the files in the folders of the records, once in a run. */
  private async listRecords() {
    const { runtime, projectDir } = this.given.options;
    const folders = [
      posix.dirname(checkFacts.localRecordPath(this.place.context, "")),
      posix.join(projectDir, checkFacts.SHARED_FOLDER),
    ];
    const lists = await Promise.all(folders.map((folder) => runtime.list(folder)));
    const [local = [], shared = []] = lists.map((list) => list.unwrapOr<readonly string[]>([]));
    return { local, shared };
  }
}
