import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { openLogs } from "@/node/services/gauntlet/run/logs/findGateLogs";
import { tempDir } from "@test/helpers/tempDir";

const A = "check:.:a";
const B = "check:.:b";
let dir: string;
beforeEach(async () => {
  dir = await tempDir();
});

/** Writes the log of a gate in a run. */
async function log(name: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, "log");
  return path;
}

async function report(run: number | string, content: unknown): Promise<void> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  await writeFile(join(dir, `report.${run}.json`), text);
}

async function find(...ids: string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await openLogs(new LocalFiles(), dir, ids));
}

test("finds the log of the last run that each gate was in, by the number of the run", async () => {
  const [a2, a10, b2] = [await log("a.2.log"), await log("a.10.log"), await log("b.2.log")];
  await report(2, {
    gates: [
      { jobId: A, logPath: a2 },
      { jobId: B, logPath: b2 },
    ],
  });
  await report(10, { gates: [{ jobId: A, logPath: a10 }] });
  expect(await find(A, B)).toEqual({ [A]: a10, [B]: b2 });
  expect(await find(B)).toEqual({ [B]: b2 });
  expect(await find()).toEqual({});
});

test("omits a gate without a log, and a missing log", async () => {
  await report(1, { gates: [{ jobId: A, logPath: await log("a.1.log") }, { jobId: B }] });
  await report(2, { gates: [{ jobId: A, logPath: join(dir, "gone.log") }] });
  expect(await find(A, B)).toEqual({});
});

test.each<[string, unknown]>([
  ["not JSON", "{"],
  ["not an object", "[]"],
  ["without gates", {}],
  ["with gates that are not a list", { gates: { jobId: A, logPath: "/x" } }],
  ["with gates of other types", { gates: [null, 1, { jobId: 1, logPath: "/x" }, { jobId: A }] }],
])("continues with an earlier report if one is %s", async (_, content) => {
  const path = await log("a.1.log");
  await report(1, { gates: [{ jobId: A, logPath: path }] });
  await report(2, content);
  expect(await find(A)).toEqual({ [A]: path });
});

test("reads only files with the name of a report, and the latest 50 of them", async () => {
  const gates = [{ jobId: A, logPath: await log("a.1.log") }];
  await report("01", { gates });
  await report("latest", { gates });
  expect(await find(A)).toEqual({});
  await report(1, { gates });
  for (let run = 2; run <= 50; run++) await report(run, {});
  expect(Object.keys(await find(A))).toEqual([A]);
  await report(51, {});
  expect(await find(A)).toEqual({});
});

test("finds none in a missing folder", async () => {
  expect((await openLogs(new LocalFiles(), join(dir, "none"), [A])).size).toBe(0);
});
