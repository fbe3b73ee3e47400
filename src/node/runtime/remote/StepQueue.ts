import { KIB } from "@/common/limits";
import { readStats } from "@/node/runtime/remote/fileAnswers";
import { PATHS_PER_STEP, statStep, type StatFlavour } from "@/node/runtime/remote/fileScripts";
import {
  LINE_SCRIPT_BYTES,
  runSteps,
  type Loss,
  type Step,
} from "@/node/runtime/remote/fileSession";
import { failureOfConnection } from "@/node/runtime/remote/failures";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { FileStat } from "@/node/runtime/Runtime";

/** All that is asked for at once goes over in one session, where it can: a round trip costs more than the work. */
export class StepQueue {
  #steps: Step[] = [];
  #looks = new Map<string, Look>();
  #isPlanned = false;
  #flavour: StatFlavour | undefined;

  constructor(private readonly shell: RemoteShell) {}

  add(step: Step): void {
    this.#steps.push(step);
    this.#plan();
  }

  /** However often a path is asked for at once, it is looked at once. */
  look(path: string): Promise<FileStat> {
    const asked = this.#looks.get(path) ?? newLook();
    this.#looks.set(path, asked);
    this.#plan();
    return asked.answer;
  }

  /** Waits for whoever is about to ask because of what has just been answered: promises that hang on each other. */
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

interface Look {
  readonly answer: Promise<FileStat>;
  readonly resolve: (found: FileStat) => void;
}

function newLook(): Look {
  let resolve: Look["resolve"] = () => undefined;
  const answer = new Promise<FileStat>((settle) => (resolve = settle));
  return { answer, resolve };
}

function lookSteps(looks: ReadonlyMap<string, Look>, label: string): Step[] {
  return inGroups([...looks.keys()], PATHS_PER_STEP).map((paths) => {
    const tell = (found: readonly FileStat[]): void => {
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
        if (found !== undefined) tell(found);
        return found !== undefined;
      },
      lose: (loss: Loss) => {
        tell(
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

/** One upload a session, since they share standard input; and it needs a script that fits into a line. */
function sessionsOf(steps: readonly Step[]): Step[][] {
  const uploads = steps.filter(({ stdin }) => stdin !== undefined);
  const others = steps.filter(({ stdin }) => stdin === undefined);
  const [first, ...rest] = uploads;
  const sessions = bySize(others, SCRIPT_BYTES);
  if (first !== undefined) {
    const [only = []] = sessions;
    const isShort = sessions.length <= 1 && sizeOf([...only, first]) < LINE_SCRIPT_BYTES;
    if (isShort) return [[...only, first], ...rest.map((upload) => [upload])];
  }
  return [...sessions, ...uploads.map((upload) => [upload])];
}

function bySize(steps: readonly Step[], maxBytes: number): Step[][] {
  const groups: Step[][] = [];
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

const sizeOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, { script }) => sum + Buffer.byteLength(script), 0);

/** To read a longer script takes a shell more than its share of time. */
const SCRIPT_BYTES = 512 * KIB;
