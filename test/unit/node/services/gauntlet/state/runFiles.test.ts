import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import * as runFiles from "@/node/services/gauntlet/state/runFiles";
import { putFile, tempDir } from "@test/helpers/tempDir";

const files = new LocalFiles();

function job(entryPoint: string, name: string, kind: "check" | "review" = "check") {
  const gate = { kind, name } as GateDefinition;
  return { id: `${kind}:${entryPoint}:${name}`, entryPoint, gate } as Omit<Job, "logName">;
}

const namesOf = (...jobs: Omit<Job, "logName">[]): string[] =>
  runFiles.withLogNames(jobs).map(({ logName }) => logName);

describe("log names", () => {
  test("are those of the existing tool (G15a)", () => {
    const [check, review] = runFiles.withLogNames([job("src", "c1"), job(".", "cq", "review")]);
    expect(runFiles.checkLogName(check!, 1)).toBe("check_src_c1.1.log");
    const slot = { reviewer: "claude", slot: 1 };
    expect(runFiles.reviewFileName(review!, slot, 1, "json")).toBe("review_._cq_claude@1.1.json");
    expect(runFiles.consoleLogName(3)).toBe("console.3.log");
    expect(runFiles.reportName(3)).toBe("report.3.json");
  });

  test("replace each special character with an underscore (G15a)", () => {
    expect(namesOf(job("packages/a b", "täst:😀/..\n"))).toEqual(["packages_a_b_t_st___.._"]);
  });

  test("add digits of its hash to the later of two jobs with one name (G15a)", () => {
    const names = namesOf(job("a/b", "c"), job("a_b", "c"), job("a", "b_c"), job("d", "c"));
    expect(names[0]).toBe("a_b_c");
    expect(names[1]).toMatch(/^a_b~[0-9a-f]{6}_c$/);
    expect(names[2]).toMatch(/^a~[0-9a-f]{6}_b_c$/);
    expect(names[3]).toBe("d_c");
    expect(namesOf(job("a/b", "c"), job("a_b", "c"))).toEqual(names.slice(0, 2));
  });

  test("may be equal for a check and a review, because their files differ (G15a)", () => {
    expect(namesOf(job("a", "b"), job("a", "b", "review"))).toEqual(["a_b", "a_b"]);
  });

  test("differ for jobs whose names differ only in case (G11)", () => {
    const [first, second] = namesOf(job("a", "Lint"), job("a", "lint"));
    expect(first).toBe("a_Lint");
    expect(second).toMatch(/^a~[0-9a-f]{6}_lint$/);
  });

  test("stay valid file names, and unique, for long names (G11)", () => {
    const deep = "folder/".repeat(60);
    const names = namesOf(job(`${deep}a`, "x"), job(`${deep}b`, "x"), job("s", "g".repeat(300)));
    expect(new Set(names).size).toBe(3);
    for (const logName of names) {
      expect(runFiles.checkLogName({ logName }, 123_456).length).toBeLessThan(220);
    }
  });
});

describe("run numbers", () => {
  test.each([
    ["console.12.log", 12],
    ["check_._a.2.5.log", 5],
    ["review_src_cq_claude@1.7.json", 7],
    ["review_src_cq_claude@1.7.log", 7],
    ["report.4.json", 4],
    ["check_a\nb.3.log", 3],
    ["findings_._a.2.5.txt", 5],
  ])("%j is a file of run %i (G15)", (name, run) => {
    expect(runFiles.runNumberOf(name)).toBe(run);
  });

  test.each([
    ...["console.log", "console.1.log.bak", "my_console.1.log", "check_.1.log.gz", "report.1.log"],
    ...["check_a.1.json", "review_a.1.json", ".execution_state", ".debug.log.1"],
    "console.99999999999999999999.log",
  ])("%j is not a file of a run (G15)", (name) => {
    expect(runFiles.runNumberOf(name)).toBeUndefined();
  });

  test("continue after the highest of any file, and begin with 1 in an empty or missing folder (G15)", async () => {
    const dir = await tempDir();
    const next = async (): Promise<number> =>
      (await runFiles.nextRunNumber(files, join(dir, "logs")))._unsafeUnwrap();
    expect(await next()).toBe(1);
    await putFile(join(dir, "logs", "previous", "console.50.log"), "");
    expect(await next()).toBe(1);
    for (const name of ["console.1.log", "check_src_a.11.log", "report.9.json", "notes.99.txt"]) {
      await writeFile(join(dir, "logs", name), "");
    }
    expect(await next()).toBe(12);
  });

  test("fail for a folder that cannot be read", async () => {
    const file = await putFile(join(await tempDir(), "file"), "");
    expect((await runFiles.nextRunNumber(files, file))._unsafeUnwrap()).toBe(1);
    const failed = await runFiles.nextRunNumber(files, join("/", "x".repeat(300)));
    expect(failed._unsafeUnwrapErr().code).toBe("ENAMETOOLONG");
  });
});
