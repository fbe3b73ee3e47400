import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";

/** Fails on the first run in a folder, and passes afterwards. The counter is not in the repository. */
const FAILS_ONCE = "command: test -e $COUNTER && exit 0; touch $COUNTER; echo lost a race; exit 4";

async function flakyProject(more: string, command = FAILS_ONCE): Promise<GauntletProject> {
  const project = await GauntletProject.create(
    "entry_points:\n  - path: src\n    checks: [flaky, ok]\n",
    {
      flaky: `${command}\nenv: { COUNTER: ../.git/counter }\n${more}`,
      ok: "command: test ! -e bad\nparallel: true\n",
    }
  );
  await project.write("src/new.txt", "x");
  return project;
}

test("a check that passes when it runs again is flaky, and the user is notified (G36)", async () => {
  const project = await flakyProject("retries: 2\n");
  const result = await project.run();
  expect(result).toMatchObject({
    status: "passed_with_warnings",
    message: "all gates passed, 1 flaky check",
    caveat: "check:src:flaky is flaky: it failed, and passed on run 2",
  });
  expect(result.gates[0]).toMatchObject({ outcome: "passed", flaky: true, runs: 2 });
  // It ran alone after the other gate, and each run has its own log.
  const ends = project.events.flatMap((event) =>
    event.type === "gate-end" ? [event.result.gate] : []
  );
  expect(ends).toEqual(["ok", "flaky"]);
  expect(await project.logs("gauntlet_logs/previous")).toEqual(
    expect.arrayContaining(["check_src_flaky.1.log", "check_src_flaky~2.1.log"])
  );
});

test("a run of one gate shows that it is flaky as well (G36)", async () => {
  const project = await flakyProject("retries: 2\n");
  expect(await project.run({ gates: ["flaky"] })).toMatchObject({
    status: "passed_with_warnings",
    caveat: "check:src:flaky is flaky: it failed, and passed on run 2",
  });
});

test("a flaky pass is neither cached nor a baseline, so the next run checks the same files (G36)", async () => {
  const project = await flakyProject("retries: 1\n");
  await project.run();
  const again = await project.run();
  expect(again.status).toBe("passed");
  expect(again.gates.map(({ gate }) => gate)).toEqual(["flaky"]);
  expect(again.gates[0]?.cachedSince).toBeUndefined();
});

test("a check that fails every time fails with the number of its runs, and one that exceeds its time limit does not run again (G36)", async () => {
  const project = await flakyProject("retries: 2\n", "command: exit 3");
  const { status, gates } = await project.run();
  expect(status).toBe("failed");
  expect(gates[0]).toMatchObject({ outcome: "failed", runs: 3, message: "Exited with code 3" });
  const slow = await flakyProject("retries: 2\ntimeout: 0.2\n", "command: sleep 60");
  const [gate] = (await slow.run()).gates;
  expect(gate).toMatchObject({ outcome: "failed", timedOut: true });
  expect(gate).not.toHaveProperty("runs");
});

test("a check fails if its second run has a finding in a file that changed, although a third one would pass (G36)", async () => {
  const command = `command: |
  echo >>$COUNTER
  case $(wc -l <$COUNTER) in *1) exit 3 ;; *2) echo "new.txt:1:1: Bad. [Error/bad]"; exit 3 ;; esac`;
  const { status, gates } = await (await flakyProject("retries: 2\n", command)).run();
  expect(status).toBe("failed");
  expect(gates[0]).toMatchObject({ outcome: "failed", runs: 2, findings: [{ rule: "bad" }] });
});
