import { symlink, utimes } from "node:fs/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import {
  LONG_MS,
  statusAt,
  stopAt,
  type StopOptions,
  untilOver,
} from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - path: .\n    checks: [test]\n";
/** Counts its runs outside of the working tree, and never writes the same report twice. */
const REPORTS =
  'command: "echo >> .git/runs; mkdir -p reports; echo \\"<testsuite n=\'$(date +%N)\'/>\\" | tee reports/unit.xml > reports/twin.xml"\nfindings: junit:reports/*.xml\n';
const session: StopOptions = { sessionId: "s", turnId: "t" };

const project = restoring(async (check: string = REPORTS) => {
  const created = await GauntletProject.create(CONFIG, { test: check });
  await created.write("src/a.txt", "b\n");
  return created;
});

async function runs(of: GauntletProject): Promise<number> {
  const text = await of.read(".git/runs").catch(() => "");
  return text.split("\n").length - 1;
}

/** A check that counts its runs, and runs a command. */
const counted = (command: string): string => `command: |\n  echo >> .git/runs\n  ${command}\n`;

describe("a report is not a change (G20c)", () => {
  test("records a pass after one run, and ignores edits, removals and new reports of the agent", async () => {
    const at = await project();
    const { result, personMessage } = await stopAt(at, session);
    expect(result.status).toBe("passed");
    expect(personMessage).toBe(
      'the check "test" writes reports/twin.xml, which git does not ignore; add "reports/*.xml" to .gitignore'
    );
    expect(await at.state()).toMatchObject({
      ...{ baselines: { "check:.:test": {} }, passed: {}, partial: false },
    });
    await at.remove("reports/twin.xml");
    for (const name of ["unit.xml", "other.xml"]) await at.write(`reports/${name}`, "edited");
    expect(await statusAt(at, session)).toBe("no_changes");
    expect(await runs(at)).toBe(1);
    await at.remove("reports");
    await at.write("src/a.txt", "c\n");
    const next = await stopAt(at, session);
    expect(next.result.status).toBe("passed");
    // It was named once in the session.
    expect(next.personMessage).toBeUndefined();
    expect(await runs(at)).toBe(2);
    await at.write(".gitignore", "reports/*.xml\n");
    expect(await at.run()).toMatchObject({ status: "passed", warnings: [] });
  });

  test("makes no other check due, and does not change the tree of a failed stop (G38)", async () => {
    const config = CONFIG.replace("[test]", "[test, lint]");
    const at = await GauntletProject.create(config, {
      test: `${REPORTS.trim().replace('n.xml"', 'n.xml; test ! -e bad"')}\n`,
      lint: "command: echo >> .git/lints\n",
    });
    await at.write("bad", "");
    expect(await statusAt(at, session)).toBe("failed");
    expect((await stopAt(at, session)).result).toMatchObject({ isRepeated: true });
    expect((await at.read(".git/lints")).length).toBe(1);
  });

  test("supports timestamps in names, two checks with one report, links and many files", async () => {
    const many = `mkdir -p reports; date > reports/$(date +%N).xml; ln -sf nothing reports/link.xml; cd reports; seq -f "%g.xml" 500 | xargs touch`;
    const config = CONFIG.replace("[test]", "[test, twin]");
    const check = `${counted(many)}findings: junit:reports/*.xml\n`;
    const at = await GauntletProject.create(config, { test: check, twin: check });
    await at.write("src/a.txt", "b\n");
    expect(await statusAt(at)).toBe("passed");
    expect(await statusAt(at)).toBe("no_changes");
    expect(await runs(at)).toBe(2);
  });

  test("does not count as removed when a setting begins to match it", async () => {
    // The configuration is not part of the change, so that only the report could make the check due.
    const config =
      "entry_points:\n  - path: .\n    exclude: [.gauntlet/**]\n    checks: [test, lint]\n";
    const at = await GauntletProject.create(config, {
      test: counted("true"),
      lint: "command: echo >> .git/lints\n",
    });
    await at.write("reports/unit.xml", "old");
    await at.write("src/a.txt", "b\n");
    await stopAt(at);
    const before = (await at.read(".git/lints")).length;
    await at.write(
      ".gauntlet/checks/test.yml",
      `${counted("true")}findings: junit:reports/*.xml\n`
    );
    expect((await stopAt(at)).result.gates.map(({ gate }) => gate)).toEqual(["test"]);
    expect((await at.read(".git/lints")).length).toBe(before);
  });

  test("uses the folder of the check", async () => {
    const config = "entry_points:\n  - path: packages/*\n    checks: [test]\n";
    const write = "mkdir -p reports; date +%N > reports/unit.xml; date +%N > ../../unit.xml";
    const check = `command: ${write}\nfindings: junit:reports/*.xml\n`;
    const at = await GauntletProject.create(config, { test: check });
    await at.write("packages/a/index.ts", "b\n");
    const { personMessage } = await stopAt(at, session);
    expect(personMessage).toContain('add "packages/*/reports/*.xml" to .gitignore');
    expect(await statusAt(at)).toBe("no_changes");
  });

  test("is not read through a folder that is a link", async () => {
    const at = await project(`${counted("true")}findings: junit:reports/*.xml\n`);
    await symlink("/tmp", at.path("reports"));
    expect(await statusAt(at)).toBe("passed");
    expect(await statusAt(at)).toBe("no_changes");
  });

  test("takes no git process more if nothing changed", async () => {
    const at = await project();
    // git compares the content of files that are as new as the index.
    for (const file of [".gauntlet/config.yml", ".gauntlet/checks/test.yml", "src/a.txt"]) {
      await utimes(at.path(file), 1e9, 1e9);
    }
    await at.run();
    for (const name of ["twin.xml", "unit.xml"]) await utimes(at.path("reports", name), 1e9, 1e9);
    const started = vi.spyOn(at.runtime, "exec");
    expect(await at.run()).toMatchObject({ status: "no_changes" });
    const commands = started.mock.calls.map(([{ command }]) =>
      "file" in command ? command.args.find((arg) => /^[a-z][a-z-]+$/.test(arg)) : ""
    );
    expect(commands).toEqual(["rev-parse", "status"]);
  });
});

describe("a report setting that matches tracked files (G20c)", () => {
  test("is an error of the gate, which does not run, until git no longer tracks them", async () => {
    const at = await project(`${counted("true")}findings: junit:reports/*.xml\n`);
    await at.write("reports/old.xml", "");
    await at.commit("reports");
    await at.write("reports/large.xml", "x".repeat(2_000_000));
    const { result } = await stopAt(at);
    expect(result).toMatchObject({ status: "failed", gates: [{ outcome: "error" }] });
    expect(await runs(at)).toBe(0);
    const sizes = await at.git("cat-file", "--batch-all-objects", "--batch-check=%(objectsize)");
    expect(Math.max(...sizes.split("\n").map(Number))).toBeLessThan(1_000_000);
    const reason = await stopReason(at.runtime, result);
    expect(reason).toContain(
      '"junit:reports/*.xml" in its "findings" matches files that git tracks'
    );
    expect(reason).toContain("reports/old.xml");
    await at.git("rm", "--quiet", "--cached", "reports/old.xml");
    expect(await statusAt(at)).toBe("passed");
  });

  test("hides no change of these files from other gates", async () => {
    const config = `entry_points:\n  - path: docs\n    checks: [test]\n  - path: .\n    checks: [lint]\n`;
    const at = await GauntletProject.create(config, {
      test: `command: "true"\nworking_directory: .\nfindings: junit:src/*.txt\n`,
      lint: counted("! grep -q BAD src/*.txt"),
    });
    await at.write("src/a.txt", "b\n");
    expect(await statusAt(at)).toBe("passed");
    await at.write("src/a.txt", "BAD\n");
    expect(await statusAt(at)).toBe("failed");
    await at.write("src/a.txt", "c\n");
    await at.write("src/new.txt", "BAD\n");
    expect(await statusAt(at)).toBe("failed");
  });
});

describe("a file that a check wrote twice (G20c)", () => {
  test("is an output, with other or the same content each time, until the check changes", async () => {
    const at = await project(
      counted("mkdir -p coverage; date +%N > coverage/lcov.info; cat src/a.txt > coverage/same")
    );
    const { result, personMessage } = await stopAt(at, session);
    expect(result).not.toHaveProperty("unstable");
    expect(personMessage).toBe(
      'the check "test" writes coverage/lcov.info, coverage/same, which git does not ignore; add "coverage/lcov.info", "coverage/same" to .gitignore'
    );
    expect(await runs(at)).toBe(2);
    await at.write("src/a.txt", "c\n");
    expect((await stopAt(at, session)).personMessage).toBeUndefined();
    expect(await runs(at)).toBe(3);
    await at.remove("coverage");
    expect(await statusAt(at, session)).toBe("no_changes");
    await at.write(".gauntlet/checks/test.yml", counted("true"));
    expect(await statusAt(at)).toBe("passed");
    await at.write("coverage/same", "edited");
    expect(await statusAt(at)).toBe("passed");
    expect(await runs(at)).toBe(5);
  });

  test("is a change again when git tracks it", async () => {
    const at = await project(counted("date +%N > .eslintcache"));
    await stopAt(at);
    expect(await runs(at)).toBe(2);
    await at.git("add", ".eslintcache");
    expect((await stopAt(at)).personMessage).toContain("files changed again while the checks ran");
    expect(await at.state()).toMatchObject({ outputs: { "check:.:test": { paths: [] } } });
  });
});

/** Creates a project with a change, whose check counts its runs and may write a file of the last commit. */
async function projectWith(command: string): Promise<GauntletProject> {
  const files = { "README.md": "old\n" };
  const at = await GauntletProject.create(CONFIG, { test: counted(command) }, { files });
  await at.write("src/a.txt", "b\n");
  return at;
}

test("a check that does not end when it runs again has not failed (G20c)", async () => {
  const at = await projectWith(
    "test -e .git/late && sleep 400; touch .git/late; date +%N > README.md"
  );
  const { status, caveat } = await untilOver(
    async () => (await runs(at)) === 2,
    () => at.run({ limitMs: LONG_MS })
  );
  expect(status).toBe("passed");
  expect(caveat).toContain("1 file has changed since");
});

/** Advances the clocks of this process whenever a check ends, as if it had taken so long. */
function lengthenChecks(at: GauntletProject, ms: number): void {
  let spentMs = 0;
  const exec = at.runtime.exec.bind(at.runtime);
  const now = performance.now.bind(performance);
  const bigint = process.hrtime.bigint.bind(process.hrtime);
  vi.spyOn(at.runtime, "exec").mockImplementation(async (request) => {
    const result = await exec(request);
    // Of all commands, only checks write a log.
    if (request.logTo !== undefined) spentMs += ms;
    return result;
  });
  const clocks = [
    vi.spyOn(performance, "now").mockImplementation(() => now() + spentMs),
    vi
      .spyOn(process.hrtime, "bigint")
      .mockImplementation(() => bigint() + BigInt(spentMs) * 1_000_000n),
  ];
  onTestFinished(() => {
    for (const clock of clocks) clock.mockRestore();
  });
}

test("a check that takes more than half of the time does not run again, and passes; what it writes twice in a row is an output (G20c)", async () => {
  const at = await projectWith("date +%N > report.xml");
  lengthenChecks(at, 400_000);
  const stop = () => stopAt(at, { limitMs: 600_000, sessionId: "s" });
  const first = await stop();
  expect(first.result).toMatchObject({ status: "passed", unstable: ["report.xml"] });
  expect(first.personMessage).toMatch(
    /^all gates passed: verified at \d\d:\d\d:\d\d; 1 file has changed since, which the next stop checks\nfiles that changed while the checks ran: report\.xml$/
  );
  expect(await runs(at)).toBe(1);
  expect(await at.state()).toMatchObject({ open: [], baselines: {} });
  const { result, personMessage } = await stop();
  expect(result).not.toHaveProperty("unstable");
  expect(personMessage).toContain('the check "test" writes report.xml');
  expect(await runs(at)).toBe(2);
  expect((await stop()).result.status).toBe("no_changes");
});
