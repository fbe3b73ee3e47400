/** Runs that compete for one lock, with interleaved steps, at any of which a run may die or fail. */
import fc from "fast-check";
import { err, ok, type Result } from "neverthrow";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import type { FileFailure, FileStat } from "@/node/runtime/HookRuntime";
import { type LockFiles, RunLock } from "@/node/services/gauntlet/state/lock/RunLock";

type Fate = "goes on" | "dies" | "fails";
const LOCK = "/logs/.gauntlet-run.lock";
const NOW = new Date();

/** A disk, the processes that use it, and the order of their steps. */
class World {
  readonly disk = new Map<string, string>();
  readonly dead = new Set<number>();
  readonly owners = new Set<number>();
  readonly overlaps: string[] = [];
  readonly #waiting: { readonly pid: number; readonly go: (isFailing: boolean) => void }[] = [];

  /** Resolves when it is the process's turn, with whether its step fails. Never resolves once the process is dead. */
  turn(pid: number): Promise<boolean> {
    return new Promise((go) => this.#waiting.push({ pid, go }));
  }

  async play(steps: readonly { readonly pick: number; readonly fate: Fate }[]): Promise<void> {
    for (let n = 0; ; n++) {
      await nextTurn();
      if (this.#waiting.length === 0) return;
      const { pick, fate } = steps[n] ?? { pick: 0, fate: "goes on" };
      const [next] = this.#waiting.splice(pick % this.#waiting.length, 1);
      if (fate === "dies") {
        this.dead.add(next!.pid);
        this.owners.delete(next!.pid);
      } else {
        next!.go(fate === "fails");
      }
    }
  }

  /** Returns the disk as one process sees it, with the other processes in /proc. */
  filesOf(pid: number): LockFiles {
    const { disk } = this;
    const act = async <T>(
      path: string,
      work: () => T | undefined,
      code = "ENOENT"
    ): Promise<Result<T, FileFailure>> => {
      const fail = (why: string) => err({ path, code: why, message: why });
      if (await this.turn(pid)) return fail("EIO");
      const done = work();
      return done === undefined ? fail(code) : ok(done);
    };
    const write = (path: string, data: string | Uint8Array): null => {
      disk.set(path, String(data));
      return null;
    };
    const done = <T>(result: Result<T, FileFailure>): Result<void, FileFailure> =>
      result.map(() => undefined);
    const files = {
      stat: (paths: readonly string[]) =>
        Promise.resolve(
          paths.map((path): FileStat => {
            if (!disk.has(path)) return { kind: "missing" };
            const mtimeMs = NOW.getTime();
            return {
              kind: "file",
              size: 1,
              mtimeMs,
              ctimeMs: mtimeMs,
              identity: "1:1",
              executable: false,
            };
          })
        ),
      readFile: (path: string) =>
        act(path, () => {
          const other = /^\/proc\/(\d+)\/stat$/.exec(path)?.[1];
          const text = other === undefined ? disk.get(path) : this.#statOf(Number(other));
          return text === undefined ? undefined : Buffer.from(text);
        }),
      createFile: async (path: string, data: string | Uint8Array) =>
        done(await act(path, () => (disk.has(path) ? undefined : write(path, data)), "EEXIST")),
      rename: async (from: string, to: string) =>
        done(
          await act(from, () => {
            const data = disk.get(from);
            disk.delete(from);
            return data === undefined ? undefined : write(to, data);
          })
        ),
      remove: async (path: string) => done(await act(path, () => disk.delete(path) || null)),
      list: () => act("/logs", () => [...disk.keys()].map((path) => path.slice("/logs/".length))),
      writeFile: () => Promise.reject(new Error("a lock is never written in place")),
      appendFile: () => Promise.reject(new Error("a lock is never written in place")),
    };
    return Object.assign(files, { host: files, isRemote: false });
  }

  #statOf(pid: number): string {
    const state = this.dead.has(pid) ? "Z" : "S";
    return `${pid} (name) ${state} ${"0 ".repeat(18)}${pid} 0`;
  }
}

const identityOf = (pid: number) => ({ pid, startTime: String(pid), boot: "boot", host: "box" });

async function contend(world: World, pid: number, attempts: number): Promise<void> {
  const files = world.filesOf(pid);
  for (let n = 0; n < attempts; n++) {
    const acquired = await RunLock.acquire(files, "/logs", identityOf(pid), NOW);
    if (acquired.isErr()) continue;
    if (world.owners.size > 0) world.overlaps.push(`${pid} beside ${[...world.owners].join()}`);
    world.owners.add(pid);
    await world.turn(pid);
    world.owners.delete(pid);
    await acquired.value.release();
  }
}

const step = fc.record({
  pick: fc.nat(5),
  fate: fc.oneof(
    { weight: 12, arbitrary: fc.constant<Fate>("goes on") },
    { weight: 2, arbitrary: fc.constant<Fate>("dies") },
    { weight: 1, arbitrary: fc.constant<Fate>("fails") }
  ),
});

beforeEach(() => {
  // The processes are fake; /proc decides which of them are alive.
  vi.spyOn(process, "kill").mockReturnValue(true);
});

afterAll(() => {
  vi.restoreAllMocks();
});

test("gives the lock to one process at a time in any order, despite deaths and failures (G17)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      const world = new World();
      world.dead.add(99);
      const lock = { ...identityOf(99), token: "9".repeat(32), since: NOW.toISOString() };
      world.disk.set(LOCK, JSON.stringify({ ...lock, start_time: "99" }));
      for (let pid = 1; pid <= 6; pid++) void contend(world, pid, 3);
      await world.play(steps);
      expect(world.overlaps).toEqual([]);
      // Files that a failure left belong to their process until it has ended, so all of them end first.
      for (let pid = 1; pid <= 6; pid++) world.dead.add(pid);
      const last = RunLock.acquire(world.filesOf(7), "/logs", identityOf(7), NOW);
      await world.play([]);
      expect((await last).isOk()).toBe(true);
      expect([...world.disk.keys()]).toEqual([LOCK]);
    }),
    { numRuns: 600 }
  );
});
