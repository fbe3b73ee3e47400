/** The Stop hook in real agent command lines, whose model is a script. `make test-hosts` prints a table of the results. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isAlive } from "@test/helpers/process/processes";
import { readRecord, recording } from "@test/hosts/rig/HookRecord";
import { HostRig } from "@test/hosts/rig/HostRig";
import { testedDrivers } from "@test/hosts/rig/drivers";
import { expectSoon } from "@test/helpers/soon";

/** Some hosts need a minute to start on a busy machine. */
const HOST_STARTED_MS = 100_000;
const DONE = { text: "I am done (1)." };
const DONE_AGAIN = { text: "I am done (2)." };
const SENT_BACK = /Gauntlet gates did not pass\.[^]*check:src:ok/;
const LIMIT = "Gauntlet: retry limit exceeded";

describe.each(testedDrivers())("%s", (_, driver) => {
  test("is sent back once with the reason of a check that takes seconds by the hook that `init --shared` installed, stops when its own tool has fixed the file, and contacts nothing but the model", async () => {
    const rig = await HostRig.create(driver, {
      scopes: ["team"],
      check: "sleep 4; ! grep bad note.txt",
      replies: ({ breaks, fixes }) => [...breaks, DONE, ...fixes, DONE_AGAIN],
    });
    const end = await rig.say();
    expect(await rig.gauntlet.read("src/note.txt"), end.stderr).toBe("good\n");
    expect(rig.model.said).toEqual([
      expect.stringContaining("Do it."),
      expect.stringMatching(SENT_BACK),
    ]);
    expect(rig.model.said[0]).not.toMatch(SENT_BACK);
    expect(await rig.gauntlet.logs()).not.toContain("console.1.log");
    expect([end.code, end.stdout]).toEqual([0, expect.stringContaining("I am done (2).")]);
    expect(rig.network.wanted).toEqual([]);
  });

  test("ends at the retry limit, although it used tools, and the user sees its last message", async () => {
    const last = { text: "It fails:\nsee the note.", times: 9 };
    const rig = await HostRig.create(driver, {
      config: "max_retries: 2\n",
      replies: ({ breaks, attempts }) => [...breaks, DONE, ...attempts, last],
    });
    const end = await rig.say();
    expect(await rig.gauntlet.read("src/note.txt")).toBe("bad again\n");
    expect(timesSentBack(rig)).toBe(2);
    const shown = `${end.stdout}${end.stderr}`;
    for (const text of [LIMIT, "the agent's last message: It fails: see the note."]) {
      expect(shown.includes(text), shown).toBe(driver.shows === "message");
    }
    expect(end.code).toBe(0);
  });

  test("reports a stop whose hook the host has ended at its time limit", async () => {
    const rig = await HostRig.create(driver, {
      check: "test -e ../.git/go || sleep 100",
      endsHooksAfterS: 20,
      commands: async (installed, home) => {
        const { turnStart } = await recording(join(home, "record"), installed);
        return { stop: installed.stop, turnStart };
      },
      replies: ({ breaks, fixes }) => [...breaks, DONE, ...fixes, DONE_AGAIN],
    });
    expect((await rig.say()).code).toBe(0);
    expect(timesSentBack(rig)).toBe(0);
    await rig.gauntlet.write(".git/go", "");
    const { stdout, stderr } = await rig.sayMore("Do more.");
    const answers = (await readRecord(join(rig.home, "record"))).map(({ answer }) => answer);
    expect([stdout, stderr, ...answers].join("\n")).toContain("was ended before it had answered");
  });

  // Both hooks run at each stop, which is one attempt (G40).
  test("with a personal hook and a team's has as many attempts as with one", async () => {
    const rig = await HostRig.create(driver, {
      config: "max_retries: 2\n",
      scopes: ["user", "project"],
      replies: ({ breaks, attempts }) => [...breaks, DONE, ...attempts, { ...DONE, times: 9 }],
    });
    const end = await rig.say();
    expect(timesSentBack(rig), end.stderr).toBe(2);
    expect(await rig.gauntlet.logs()).toContain("console.3.log");
    expect(end.code).toBe(0);
  });

  test("gives a new message new attempts", async () => {
    const rig = await HostRig.create(driver, {
      config: "max_retries: 1\n",
      replies: ({ breaks, attempts }) => [
        ...breaks,
        { ...DONE, times: 2 },
        // Only what changes in a turn is the agent's.
        ...attempts,
        { ...DONE_AGAIN, times: 9 },
      ],
    });
    await rig.say();
    expect(rig.model.said.length).toBe(2);
    await rig.sayMore("Do more.");
    expect(rig.model.said.map((said) => SENT_BACK.test(said))).toEqual([false, true, false, true]);
    expect(rig.model.said[2]).toContain("Do more.");
  });

  test("leaves no check after an interrupt, and no lock that holds up the next run", async () => {
    const rig = await HostRig.create(driver, {
      check: "test ! -e ../.git/check.pid || exit 1; echo $$ > ../.git/check.pid; exec sleep 60",
      replies: ({ breaks }) => [...breaks, { ...DONE, times: 9 }],
    });
    const { child, end } = rig.start(...driver.begin("Do it."));
    const pidFile = rig.gauntlet.path(".git/check.pid");
    await expectSoon(() => existsSync(pidFile), HOST_STARTED_MS).toBe(true);
    // A terminal interrupts all processes of the group.
    process.kill(-child.pid!, "SIGINT");
    await end;
    const pid = Number(await readFile(pidFile, "utf8"));
    await expectSoon(() => isAlive(pid)).toBe(false);
    const lock = rig.gauntlet.path("gauntlet_logs/.gauntlet-run.lock");
    if (!driver.killsHooks) {
      await expectSoon(() => existsSync(lock)).toBe(false);
    }
    expect(rig.model.said.length).toBe(1);
    expect((await rig.gauntlet.run()).status).toBe("failed");
    expect(existsSync(lock)).toBe(false);
  });
});

function timesSentBack({ model }: HostRig): number {
  return model.said.filter((said) => SENT_BACK.test(said)).length;
}
