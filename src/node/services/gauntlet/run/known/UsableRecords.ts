/** Finds the records of known failures that count in one run (G44). */
import { ownCommand } from "@/common/ownCommand";
import { visible } from "@/common/text";
import type { Recorded } from "@/node/services/gauntlet/known/judge";
import type { KnownRecord } from "@/node/services/gauntlet/known/record";
import { sinceRecord } from "@/node/services/gauntlet/known/sinceRecord";
import {
  commandDigest,
  isRecordedBefore,
  localRecordPath,
  readFixed,
  readLocalRecord,
  readSharedRecord,
  type RecordPlace,
} from "@/node/services/gauntlet/known/store";
import type { CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import { latestTurn } from "@/node/services/gauntlet/turn/StopSession";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";

/** A record that counts, and what the work changed since. */
export type UsableRecord = Omit<Recorded, "unresolved">;

export class UsableRecords {
  #anchors: Promise<readonly string[]> | undefined;

  constructor(
    private readonly given: GauntletRunContext,
    private readonly place: RecordPlace,
    private readonly snapshot: string
  ) {}

  /** Returns the local record of a check and the shared one, as far as they count. */
  async of(job: CheckJob): Promise<UsableRecord[]> {
    const { context, reporter } = this.given;
    const digest = commandDigest(job);
    const anchors = await (this.#anchors ??= this.#findAnchors());
    const found: { record: KnownRecord; tree: string }[] = [];
    const local = await readLocalRecord(this.place, job.id);
    if (local === "changed") {
      reporter.weaken(
        `the record of known failures ${visible(localRecordPath(context, job.id))} does not count, because it was not written by "${ownCommand()} known record"`
      );
    } else if (local !== undefined && local.command !== digest) {
      reporter.report(
        "warning",
        `the known failures of ${visible(job.id)} do not count, because its definition changed since they were recorded; "${ownCommand()} known record" records them again`
      );
    } else if (local?.command === digest && (await isRecordedBefore(this.place, local, anchors))) {
      found.push({ record: local, tree: local.tree });
    }
    for (const anchor of anchors) {
      const shared = await readSharedRecord(this.place, job.id, anchor);
      if (shared?.command !== digest) continue;
      found.push({ record: shared, tree: anchor });
      break;
    }
    if (found.length === 0) return [];
    const fixed = await readFixed(this.place, job.id);
    const usable: UsableRecord[] = [];
    for (const { record, tree } of found) {
      const since = await sinceRecord(this.place.runtime, context, tree, this.snapshot);
      if (since.isOk()) usable.push({ record, since: since.value, fixed });
      else
        reporter.report(
          "warning",
          `${job.id}: its known failures do not count: ${since.error.message}`
        );
    }
    return usable;
  }

  /** Returns the commits that the current work cannot have made: its base, and HEAD when the user's turn began. */
  async #findAnchors(): Promise<readonly string[]> {
    const { options, context } = this.given;
    const { runtime, stop } = options;
    const store = new TurnStore(runtime, context.gitDir);
    const session = stop?.session ?? (await latestTurn(store))?.session;
    const turnHead = session && (await store.read("turns", session))?.head;
    const own = stop === undefined && turnHead === undefined ? context.head : undefined;
    const all = [context.baseCommit, context.start, turnHead, own];
    return [...new Set(all.filter((commit) => commit !== undefined))];
  }
}
