/** When the records of a stop are on disk (H24). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { BackgroundHooks } from "@/node/services/hooks/stop/BackgroundHooks";
import { type Hook, projectWith } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { expectSoon, latch } from "@test/helpers/soon";
import { tempDir } from "@test/helpers/tempDir";

/** A project whose disk holds the first write until `release`. */
async function slowDisk(hook: Hook) {
  const project = await projectWith([hook]);
  const { host } = project.runtime;
  const { opened: released, open: release } = latch();
  const { opened: begun, open: begin } = latch();
  let isBegun = false;
  const append = host.appendFile.bind(host);
  vi.spyOn(host, "appendFile").mockImplementation(async (...args) => {
    const isFirst = !isBegun;
    isBegun = true;
    begin();
    if (isFirst) await released;
    return await append(...args);
  });
  const root = await tempDir();
  const person = { root, workspace: project.dir, project: project.dir };
  const watched = await WatchedController.begin(project, { person });
  const written = async () => [
    ...(await readdir(project.session)).filter((name) => name.startsWith("hook-runs")),
    ...(await readdir(root)).filter((name) => name.startsWith("hook-log")),
  ];
  return { project, watched, release, begun, written };
}

describe("the records of a turn (H24)", () => {
  test("are on disk when its last verdict is returned, with the line of the log (H47)", async () => {
    const { watched, release, begun, written } = await slowDisk("true");
    let isOver = false;
    const ended = watched.turnEnds().finally(() => (isOver = true));
    await begun;
    await nextTurn();
    expect(isOver).toBe(false);
    release();
    expect(await ended).toMatchObject({ action: "end" });
    expect(await written()).toEqual(["hook-runs.jsonl", "hook-log.jsonl"]);
  });

  test("include those of its continuations, in their order", async () => {
    const { project, watched, release } = await slowDisk(
      "test -e fixed || { echo R >&2; exit 2; }"
    );
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
    await project.write("fixed", "");
    const ended = watched.turnEnds();
    const ends = () => watched.events.filter(({ type }) => type === "hooks-end");
    await expectSoon(ends).toHaveLength(2);
    // Time for a write that does not wait for the first one.
    await readdir(project.session);
    await readdir(project.session);
    release();
    expect(await ended).toMatchObject({ action: "end" });
    const records = await readFile(join(project.session, "hook-runs.jsonl"), "utf8");
    expect(records.match(/"outcome":"\w+"/g)).toEqual(['"outcome":"block"', '"outcome":"pass"']);
  });

  test("are on disk at the limit of continuations", async () => {
    const { watched, release, written } = await slowDisk("exit 2");
    release();
    let verdict = await watched.turnEnds();
    while (verdict.action === "continue") verdict = await watched.turnEnds();
    expect(await written()).toEqual(["hook-runs.jsonl", "hook-log.jsonl"]);
  });

  test("do not delay a continuation, or an interrupt (H22)", async () => {
    const { watched, begun, release } = await slowDisk("exit 2");
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
    const other = await slowDisk("true");
    const ended = other.watched.turnEnds();
    await Promise.all([begun, other.begun]);
    other.watched.controller.cancel();
    expect(await ended).toMatchObject({ action: "end" });
    for (const { release: end } of [{ release }, other]) end();
  });

  test("are not waited for if the disk does not respond", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const background = new BackgroundHooks();
    background.record(new Promise(() => undefined));
    const recorded = background.recorded();
    await vi.advanceTimersByTimeAsync(2_000);
    await recorded;
    vi.useRealTimers();
  });
});
