/** Checks as real processes: their results, their logs, and their cost for the host. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { KIB, MIB } from "@/common/limits";
import type { CheckDefinition, GateResult } from "@/node/services/gauntlet/domain/gate";
import * as checkRuns from "@/node/services/gauntlet/gates/runCheck";
import { scheduleJobs } from "@/node/services/gauntlet/gates/scheduleJobs";
import { childScript } from "@test/helpers/process/childScript";
import { runInFreshNode } from "@test/helpers/process/freshNode";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import { livingInSession } from "@test/helpers/process/processGroups";
import { killGroup, makeGate } from "@test/helpers/process/processes";
import { folderWith, tempDir } from "@test/helpers/tempDir";
import { createTestRuntime, testHere } from "@test/helpers/remote/testRuntime";
import { expectSoon } from "@test/helpers/soon";

const NOON = new Date("2026-01-02T12:00:00.000Z");
const runtime = createTestRuntime();

async function run(job: checkRuns.CheckJob, context: Partial<checkRuns.CheckContext> = {}) {
  const projectDir = context.projectDir ?? (await tempDir());
  const logPath = join(projectDir, "check.1.log");
  const { result } = await checkRuns.runCheck(runtime, job, {
    projectDir,
    rerun: false,
    env: {},
    logPath,
    now: () => NOON,
    ...context,
  });
  const log = await readFile(logPath, "utf8").catch(() => "");
  /** The output of the check, without the header and the footer. */
  const printed = /Folder: .*\n([^]*)\[[^[]*Result: .*\n$/.exec(log)?.[1] ?? "no log";
  return { result, log, printed, projectDir };
}

const check = (
  command: string,
  gate?: Partial<CheckDefinition>,
  more?: Partial<checkRuns.CheckContext>
) => run(checkJob(command, gate), more);

describe("the result of a check (G11)", () => {
  testHere.each([
    ["exit 3", "Exited with code 3"],
    ["no-such-command-anywhere", "Exited with code 127"],
    ["if", "Exited with code 2"],
    ["kill -SEGV $$", "Killed by SIGSEGV"],
  ])("%j fails", async (command, message) => {
    const { result } = await check(command);
    expect(result).toMatchObject({ outcome: "failed", message });
  });

  test("fails past its time limit, and logs all output up to the end", async () => {
    const words = "trap 'seq 1 20000; echo tidied up; exit 0' TERM; echo $$; sleep 600 & wait";
    const { result, printed, log } = await check(words, { timeoutS: 2 });
    expect(result).toMatchObject({ outcome: "failed", message: "Timed out after 2 s" });
    expect(printed).toMatch(/^\d+\n1\n2\n[^]*\n20000\ntidied up\n$/);
    expect(log).toMatch(/Result: failed \(\d+\.\d\ds\) - Timed out after 2 s\n$/);
    expect(await livingInSession(parseInt(printed))).toEqual([]);
  });

  test("is an error with the cause if the check cannot start", async () => {
    const { result, log, projectDir } = await check("true", { workingDirectory: "gone" });
    const message = `Could not be started: the working directory ${projectDir}/gone does not exist`;
    expect(result).toMatchObject({ outcome: "error", message });
    expect(log).toMatch(/Result: error \(\d+\.\d\ds\)/);
    expect(log.endsWith(` - ${message}\n`)).toBe(true);
  });
});

describe("a check runs with (G11)", () => {
  test("empty standard input, no terminal, and bash if it is installed", async () => {
    const { printed } = await check("cat; [[ -t 0 ]] || echo $((1 + 1)) \"$'x'\" `echo y`");
    expect(printed).toBe("2 $'x' y\n");
  });

  testHere(
    "the environment of the run, its own variables, and the recursion marker, in this order (G24)",
    async () => {
      const { printed } = await check(
        'echo "$RUN $BOTH $OWN $GAUNTLET_STOP_HOOK_ACTIVE"',
        { env: { BOTH: "own", OWN: "a  b", GAUNTLET_STOP_HOOK_ACTIVE: "0" } },
        { env: { RUN: "run", BOTH: "run" } }
      );
      expect(printed).toBe(`run own a  b ${process.pid}\n`);
    }
  );

  testHere("its entry point as its folder, or its own working directory", async () => {
    const projectDir = await tempDir();
    for (const folder of ["src", "a b"]) await mkdir(join(projectDir, folder));
    const inEntryPoint = await run(checkJob("pwd", {}, "src"), { projectDir });
    expect(inEntryPoint.printed).toBe(`${projectDir}/src\n`);
    const job = checkJob("pwd", { workingDirectory: "a b" }, "src");
    const logPath = join(projectDir, "other.log");
    await run(job, { projectDir, logPath });
    expect(await readFile(logPath, "utf8")).toContain(`\n${projectDir}/a b\n`);
  });

  testHere("its rerun command in a rerun, if it has one (G4)", async () => {
    const gate = { rerunCommand: "echo again" };
    expect((await check("echo first", gate)).printed).toBe("first\n");
    expect((await check("echo first", gate, { rerun: true })).printed).toBe("again\n");
    expect((await check("echo first", {}, { rerun: true })).printed).toBe("first\n");
  });
});

describe("the log of a check (G30a)", () => {
  test("begins with a header and ends with a footer, and has the unchanged output between them", async () => {
    const { log, projectDir } = await check("printf 'a\\r\\n\\033[1m\\377'; exit 1");
    const bytes = await readFile(join(projectDir, "check.1.log"));
    expect(bytes.includes(Buffer.from("a\r\n\u001b[1m\xff\n[2026", "latin1"))).toBe(true);
    expect(log.replace(/\d+\.\d\ds/, "TIME").split("\n")).toEqual([
      "[2026-01-02T12:00:00.000Z] check:.:it",
      "[2026-01-02T12:00:00.000Z] Command: printf 'a\\r\\n\\033[1m\\377'; exit 1",
      `[2026-01-02T12:00:00.000Z] Folder: ${projectDir}`,
      "a\r",
      "\u001b[1m\ufffd",
      "[2026-01-02T12:00:00.000Z] Result: failed (TIME) - Exited with code 1",
      "",
    ]);
    expect((await stat(join(projectDir, "check.1.log"))).mode & 0o777).toBe(0o600);
  });

  test("keeps a command of several lines, and has both streams, also of a check that passes (G11)", async () => {
    const { result, log, printed, projectDir } = await check(
      "\necho a\n\necho FAILED: 3 errors >&2\n"
    );
    expect(log).toContain("Command: \n    echo a\n\n    echo FAILED: 3 errors >&2\n[");
    expect(printed.split("\n").sort()).toEqual(["", "FAILED: 3 errors", "a"]);
    expect(result).toMatchObject({
      jobId: "check:.:it",
      kind: "check",
      gate: "it",
      entryPoint: ".",
      outcome: "passed",
      logPath: join(projectDir, "check.1.log"),
    });
    expect(result.message).toBeUndefined();
  });

  test("is an error if it cannot be created, and the check does not run", async () => {
    const projectDir = await folderWith({ file: "" });
    const logPath = join(projectDir, "file", "check.log");
    const { result } = await check("touch ran", {}, { projectDir, logPath });
    expect(result.outcome).toBe("error");
    expect(result.message).toMatch(/^Could not be started: its log cannot be written: E/);
    await expect(stat(join(projectDir, "ran"))).rejects.toThrow("ENOENT");
  });

  testHere("does not change the result if a full disk cuts it off", async () => {
    const args = [await tempDir(), "yes | head -c 10M; exit 3"];
    const ran = await runInFreshNode("checkCost", args, "ulimit -f 4096");
    const message = "Exited with code 3 (its log is incomplete: EFBIG: file too large, write)";
    expect(ran).toMatchObject({ result: { outcome: "failed", message } });
  });

  testHere(
    "is complete on a slow disk, even if the check ends before its output is written",
    async () => {
      const dir = await tempDir();
      await makeGate(dir, "ready");
      await makeGate(dir);
      const args = [dir, "seq 1 190000"];
      const ran = await runInFreshNode("slowDisk", args, "export UV_THREADPOOL_SIZE=2");
      expect(ran).toMatchObject({
        end: { kind: "exited", code: 0 },
        stdout: { text: "", bytes: 1_218_895, truncated: true },
        stderr: { text: "", bytes: 0, truncated: false },
      });
      expect((await readFile(join(dir, "log"), "utf8")).endsWith("\n189999\n190000\n")).toBe(true);
      expect((await stat(join(dir, "log"))).size).toBe(1_218_895);
    }
  );

  testHere("is readable up to the moment when the host was killed", async () => {
    const dir = await tempDir();
    const script = "echo $$; seq 1 100000; sleep 600; echo over";
    const host = spawn(process.execPath, [await childScript("checkCost"), dir, script]);
    const log = (): Promise<string> => readFile(join(dir, "it.log"), "utf8").catch(() => "");
    await expectSoon(log).toMatch(/\n100000\n$/);
    host.kill("SIGKILL");
    await once(host, "exit");
    const [ours, , , leader, ...lines] = (await log()).trim().split("\n");
    killGroup(Number(leader));
    expect(ours).toMatch(/^\[\d{4}-.*\] check:\.:it$/);
    expect(lines).toEqual(Array.from({ length: 100_000 }, (_, n) => String(n + 1)));
  });
});

interface Cost {
  readonly result: GateResult;
  readonly peakMiB: number;
  readonly cpuMs: number;
}

testHere(
  "100 MB of output cost less than 16 MiB, and its log has their head and tail (G11)",
  async () => {
    const dir = await tempDir();
    const logPath = join(dir, "it.log");
    const costOf = async (script: string): Promise<Cost> =>
      (await runInFreshNode("checkCost", [dir, script])) as Cost;

    // The peak also depends on the garbage collector, so the lowest measurement is the cost of the output.
    let extraMiB = Infinity;
    for (let round = 0; round < 6 && extraMiB >= 16; round++) {
      const silent = await costOf("true");
      await writeFile(logPath, "");
      const { result, peakMiB } = await costOf("yes | head -c 100M; echo last");
      expect(result).toMatchObject({ outcome: "passed", logPath });
      extraMiB = Math.min(extraMiB, peakMiB - silent.peakMiB);
    }
    expect(extraMiB).toBeLessThan(16);

    const { size } = await stat(logPath);
    expect(size).toBeGreaterThan(64 * MIB);
    expect(size).toBeLessThan(64 * MIB + 4 * KIB);
    const file = await open(logPath);
    onTestFinished(() => file.close());
    const part = async (position: number): Promise<string> =>
      (await file.read(Buffer.alloc(KIB), 0, KIB, position)).buffer.toString();
    const [, , , ...first] = (await part(0)).split("\n");
    expect(first.slice(0, 100)).toEqual(Array<string>(100).fill("y"));
    expect(await part(32 * MIB)).toMatch(/^y\n\[… \d+ bytes left out …\]\n\n?y$/m);
    expect(await part(size - KIB)).toMatch(/\ny\ny\nlast\n\[.*Result: passed.*\n$/);
  }
);

test("several checks end on an interrupt, and no other one starts (G10)", async () => {
  const projectDir = await tempDir();
  const ready = [await makeGate(projectDir, "ready1"), await makeGate(projectDir, "ready2")];
  const user = new AbortController();
  const { signal } = user;
  const logPath = (name: string): string => join(projectDir, `check_${name}.1.log`);
  const started: string[] = [];
  const running = scheduleJobs(
    [
      checkJob("echo $$; sleep 600 & echo > ready1; wait", { name: "s1" }),
      checkJob("touch ran", { name: "s2" }),
      checkJob("echo $$; sleep 600 & echo > ready2; wait", { name: "p1", parallel: true }),
    ],
    {
      ...{ allowParallel: true, maxParallel: 2, signal },
      logPath: ({ gate }) => logPath(gate.name),
      emit: (event) => {
        if (event.type === "gate-start") started.push(event.job.gate.name);
      },
      runJob: async (job) => {
        if (!checkRuns.isCheckJob(job)) throw new Error("not a check");
        const context = { projectDir, rerun: false, env: {}, now: () => NOON, signal };
        const log = { logPath: logPath(job.gate.name) };
        return (await checkRuns.runCheck(runtime, job, { ...context, ...log })).result;
      },
    }
  );
  for (const { path } of ready) await readFile(path);
  user.abort();
  const outcomes = (await running).map(({ gate, outcome }) => `${gate} ${outcome}`);
  expect(outcomes).toEqual(["s1 cancelled", "s2 cancelled", "p1 cancelled"]);
  expect(started).not.toContain("s2");
  for (const name of ["s1", "p1"]) {
    const log = await readFile(logPath(name), "utf8");
    expect(log).toMatch(/Result: cancelled .* - Cancelled\n$/);
    const leader = Number(/^\d+$/m.exec(log)?.[0]);
    expect(await livingInSession(leader)).toEqual([]);
  }
  await expect(stat(join(projectDir, "ran"))).rejects.toThrow("ENOENT");
});
