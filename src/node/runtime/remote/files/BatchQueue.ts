import { KIB } from "@/common/limits";
import { readStats } from "@/node/runtime/remote/files/parseReplies";
import { PATHS_PER_STEP, statStep, type StatFlavour } from "@/node/runtime/remote/files/fileOps";
import {
  UPLOAD_SCRIPT_BYTES,
  runSteps,
  type ConnectionLoss,
  type FileOp,
} from "@/node/runtime/remote/files/runBatch";
import { failureOfConnection } from "@/node/runtime/remote/errors";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { FileStat } from "@/node/runtime/HookRuntime";

/** Sends all requests made at once in one session if it can: a round trip costs more than the work. */
export class BatchQueue {
  #steps: FileOp[] = [];
  #looks = new Map<string, StatRequest>();
  #isPlanned = false;
  #flavour: StatFlavour | undefined;

  constructor(private readonly shell: RemoteShell) {}

  add(step: FileOp): void {
    this.#steps.push(step);
    this.#plan();
  }

  /** Requests the stat of a path. A path requested several times at once is only read once. */
  look(path: string): Promise<FileStat> {
    const request = this.#looks.get(path) ?? newLook();
    this.#looks.set(path, request);
    this.#plan();
    return request.answer;
  }

  /** Defers the batch until pending promises have run, so that requests triggered by a reply join it. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      process.nextTick(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const steps = [...lookSteps(this.#looks, this.shell.label), ...this.#steps];
    this.#steps = [];
    this.#looks = new Map();
    this.#isPlanned = false;
    await Promise.all(
      sessionsOf(steps).map(async (session) => {
        this.#flavour = await runSteps(this.shell, session, this.#flavour);
      })
    );
  }
}

interface StatRequest {
  readonly answer: Promise<FileStat>;
  readonly resolve: (found: FileStat) => void;
}

function newLook(): StatRequest {
  let resolve: StatRequest["resolve"] = () => undefined;
  const answer = new Promise<FileStat>((settle) => (resolve = settle));
  return { answer, resolve };
}

function lookSteps(looks: ReadonlyMap<string, StatRequest>, label: string): FileOp[] {
  return inGroups([...looks.keys()], PATHS_PER_STEP).map((paths) => {
    const resolveAll = (found: readonly FileStat[]): void => {
      for (const [index, path] of paths.entries()) {
        const stat = found[index];
        if (stat !== undefined) looks.get(path)?.resolve(stat);
      }
    };
    return {
      script: statStep(paths),
      answerBytes: 0,
      read: (answers) => {
        const found = readStats(answers, paths, label);
        if (found !== undefined) resolveAll(found);
        return found !== undefined;
      },
      lose: (loss: ConnectionLoss) => {
        resolveAll(
          paths.map((path) => ({
            kind: "failed",
            failure: failureOfConnection({ path, label }, loss),
          }))
        );
      },
    };
  });
}

function inGroups<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
    all.slice(n * size, (n + 1) * size)
  );
}

/**
 * Groups steps into sessions. The steps of a session share its standard input, so each session has at most one upload.
 * The script of a session with an upload is short, because it is read byte by byte.
 */
function sessionsOf(steps: readonly FileOp[]): FileOp[][] {
  const uploads = steps.filter(({ stdin }) => stdin !== undefined);
  const others = steps.filter(({ stdin }) => stdin === undefined);
  const [first, ...rest] = uploads;
  const sessions = bySize(others, SCRIPT_BYTES);
  if (first !== undefined) {
    const [only = []] = sessions;
    const isShort = sessions.length <= 1 && sizeOf([...only, first]) < UPLOAD_SCRIPT_BYTES;
    if (isShort) return [[...only, first], ...rest.map((upload) => [upload])];
  }
  return [...sessions, ...uploads.map((upload) => [upload])];
}

function bySize(steps: readonly FileOp[], maxBytes: number): FileOp[][] {
  const groups: FileOp[][] = [];
  let room = 0;
  for (const step of steps) {
    const size = sizeOf([step]);
    if (size > room) {
      groups.push([]);
      room = maxBytes;
    }
    groups.at(-1)?.push(step);
    room -= size;
  }
  return groups;
}

const sizeOf = (steps: readonly FileOp[]): number =>
  steps.reduce((sum, { script }) => sum + Buffer.byteLength(script), 0);

/** The maximum script of a session: a shell takes disproportionately long to read a longer one. */
const SCRIPT_BYTES = 512 * KIB;
