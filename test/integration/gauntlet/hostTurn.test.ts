/** The default Stop hook of a host over whole turns: trust, and an agent that edits its own gates. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadHookSettings, recordTrust, type TrustRequest } from "@/index";
import { findTrustStore, hookLoadOptions, trustedAs, type UserPlace } from "@/wiring";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopInput } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { restoring } from "@test/helpers/restoring";
import { testHere } from "@test/helpers/remote/testRuntime";

/** One check at `src`, which passes if `src/bad` does not exist. */
const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const OK = "command: test ! -e bad\n";

const COMMAND = { type: "command", command: "agent-gauntlet stop-hook" };
const gauntletHook = (fields: object) => ({
  hooks: { Stop: [{ hooks: [{ type: "builtin", name: "gauntlet", ...fields }] }] },
});

class HostTurn extends WatchedController {
  constructor(
    readonly project: GauntletProject,
    env: NodeJS.ProcessEnv = {}
  ) {
    const { runtime, dir } = project;
    const load = hookLoadOptions(runtime, { env, home: project.path(".git/home") });
    const input = stopInput(dir, project.path(".git/chat.jsonl"));
    super({ runtime, dir, load, input }, { builtins: load.builtins });
    // A record of a continuation may be written after the answer, into a project that the next test resets.
    onTestFinished(() => this.controller.dispose());
  }

  get #place(): UserPlace {
    return { env: {}, home: this.project.path(".git/home") };
  }

  /** Trusts the project as `mux-stop-hooks hooks trust` does. */
  async trust(): Promise<TrustRequest> {
    const { runtime, dir } = this.project;
    let request: TrustRequest | undefined;
    await loadHookSettings(runtime, dir, {
      ...hookLoadOptions(runtime, this.#place),
      trust: {
        decide: (asked) => {
          request = asked;
          return Promise.resolve({ trusted: true });
        },
      },
    });
    if (request === undefined) throw new Error("there is nothing to trust");
    const store = await findTrustStore(runtime, this.#place);
    if (store === undefined) throw new Error("there is no place for a record of trust");
    const named = { ...request, projectDir: trustedAs(runtime, dir) };
    (await recordTrust(store, named, new Date()))._unsafeUnwrap();
    return request;
  }

  /** @param isEdited whether the agent then changes a file */
  async userSays(isEdited = true): Promise<void> {
    this.events.length = 0;
    await this.controller.beginTurn();
    if (isEdited) await this.project.write("src/edited", randomUUID());
  }

  /** @param changed a file that the agent then writes */
  async hostContinues(changed = "src/edited"): Promise<void> {
    this.events.length = 0;
    this.controller.beginHostTurn();
    await this.project.write(changed, randomUUID());
  }
}

/** Makes the commits of the project older than the whole second in which the turn begins. */
const AGE = "sed -i 's/> [0-9]* /> 1600000000 /' .git/logs/HEAD";

const passingProject = restoring(() => GauntletProject.create(CONFIG, { ok: OK }));

const failingProject = restoring(async () => {
  const project = await GauntletProject.create(CONFIG, { ok: OK });
  await project.write("src/bad", "x");
  await project.shell(AGE);
  return project;
});

async function trustedTurn(): Promise<HostTurn> {
  const turn = new HostTurn(await failingProject());
  await turn.trust();
  await turn.userSays();
  return turn;
}

test("failing work from before the session does not block an agent that only checked out a branch, until it changes a file (G20a)", async () => {
  const turn = new HostTurn(await failingProject());
  await turn.project.shell(`git add . && git commit -qm old && ${AGE}`);
  await turn.trust();
  // The clock of a file system may lag behind.
  await setTimeout(50);
  await turn.userSays(false);
  await turn.project.shell("git switch -qc other");
  expect((await turn.turnEnds()).action).toBe("end");
  expect(turn.notices.join("\n")).toContain("these gates fail: check:src:ok");
  await turn.project.shell("echo b > src/a.txt");
  await turn.userSays();
  expect((await turn.turnEnds()).action).toBe("continue");
});

test("checks each turn of the host after the retry limit, and sends the agent back after a pass (G19, H25)", async () => {
  const turn = new HostTurn(await GauntletProject.create(`max_retries: 1\n${CONFIG}`, { ok: OK }));
  await turn.trust();
  await turn.userSays();
  await turn.project.write("src/bad", "x");
  expect((await turn.turnEnds()).action).toBe("continue");
  await turn.project.write("src/bad", "y");
  expect(await turn.turnEnds()).toMatchObject({ action: "end", unverified: true });
  for (const changed of ["src/bad", "src/other"]) {
    await turn.hostContinues(changed);
    expect(await turn.turnEnds()).toMatchObject({ action: "end", unverified: true });
    expect(turn.notices.join("\n")).toMatch(/retry limit exceeded.*check:src:ok/);
    expect(await turn.project.state()).toMatchObject({ gates_run: 1, open: ["check:src:ok"] });
  }
  await turn.project.remove("src/bad");
  await turn.hostContinues();
  expect(await turn.turnEnds()).not.toHaveProperty("unverified");
  expect(await turn.project.state()).toMatchObject({ status: "passed" });
  await turn.hostContinues("src/bad");
  expect((await turn.turnEnds()).action).toBe("continue");
});

describe("trust", () => {
  test("shows the commands of a project, records its configuration, but not a script that a check names, and can then send the agent back (H31)", async () => {
    const project = await GauntletProject.create(CONFIG, { ok: "command: ./test.sh\n" });
    await project.script("src/test.sh", "exit 0");
    const turn = new HostTurn(project);
    const { items, definitions } = await turn.trust();
    const origin = `${project.path(".gauntlet/checks/ok.yml")}:1`;
    expect(items).toEqual([{ text: "gauntlet check ok: ./test.sh", origin }]);
    expect(definitions.builtins.gauntlet).toEqual({
      dir: "",
      files: {
        ".gauntlet/checks/ok.yml": "command: ./test.sh\n",
        ".gauntlet/config.yml": expect.stringContaining(CONFIG) as string,
      },
    });
    await turn.userSays();
    await project.script("src/test.sh", "exit 1");
    const verdict = await turn.turnEnds();
    expect(verdict).toMatchObject({ action: "continue", continuation: 1 });
    expect(verdict).toHaveProperty("message", expect.stringContaining("check:src:ok"));
    const recorded = async () => (await turn.trust()).definitions.builtins.gauntlet;
    expect(await recorded()).toEqual(definitions.builtins.gauntlet);
    await project.write(".gauntlet/checks/ok.yml", "command: ./test.sh now\n");
    expect(await recorded()).not.toEqual(definitions.builtins.gauntlet);
  });

  test("emits no events in a project without a gauntlet (H29)", async () => {
    const project = await passingProject();
    await project.remove(".gauntlet");
    const turn = new HostTurn(project);
    await turn.userSays();
    expect((await turn.turnEnds()).action).toBe("end");
    expect(turn.events).toEqual([]);
  });
});

describe("an agent that edits its own gates (G20a, G24a)", () => {
  test("cannot weaken a check, and the user is warned of the change", async () => {
    const turn = await trustedTurn();
    await turn.project.write(".gauntlet/checks/ok.yml", "command: 'true'\n");
    expect((await turn.turnEnds()).action).toBe("continue");
    expect(turn.notices).toContainEqual(
      expect.stringMatching(/^\.gauntlet\/checks\/ok\.yml: changed since the turn began/)
    );
    // The earlier check also applies in later turns, until a person trusts the new one.
    await turn.userSays();
    expect((await turn.turnEnds()).action).toBe("continue");
    expect(turn.notices).toContainEqual(
      expect.stringContaining(".gauntlet/checks/ok.yml: changed and not trusted yet")
    );
    await turn.trust();
    await turn.userSays();
    expect((await turn.turnEnds()).action).toBe("end");
    expect(turn.notices).toEqual([
      expect.stringContaining(".gauntlet/checks/ok.yml: changed since your last message"),
    ]);
    expect(await turn.project.state()).toMatchObject({ status: "passed" });
  });

  const OFF = { gauntlet: { enabled: false } };

  testHere.each<[string, object]>([
    [
      "a setting, the limit or a time limit",
      { ...OFF, stopHooks: { maxContinuations: 1 }, ...gauntletHook({ timeout: 0.001 }) },
    ],
    ["a command in its place", { hooks: { Stop: [{ hooks: [COMMAND] }] } }],
  ])("cannot turn them off in this turn and the next with %s (H7, H31)", async (_, settings) => {
    const turn = await trustedTurn();
    await turn.project.write(".mux/settings.local.json", JSON.stringify(settings));
    for (let turns = 0; turns < 2; turns++) {
      // The limit of the settings is one continuation.
      for (let attempt = 1; attempt <= 2 - turns; attempt++) {
        await turn.project.write("src/more.txt", `${turns} ${attempt}`);
        expect((await turn.turnEnds()).action).toBe("continue");
        const message = `Gauntlet: 1 of 1 gate failed: check:src:ok, attempt ${attempt} of 4`;
        expect(turn.notices.join("\n")).toContain(message);
      }
      expect(turn.notices.join("\n")).toContain(".mux/settings.local.json: ");
      expect(turn.notices.join("\n")).not.toContain(".gauntlet/config.yml");
      await turn.userSays();
    }
    await turn.project.remove("src/bad");
    expect((await turn.turnEnds()).action).toBe("end");
    expect(await turn.project.state()).toMatchObject({ status: "passed", gates_run: 1 });
  });

  test("is sent back if it breaks the configuration, also without other changes, until it is fixed", async () => {
    const turn = new HostTurn(await passingProject());
    await turn.trust();
    await turn.userSays(false);
    await turn.project.write(".gauntlet/config.yml", "base_branch: main\nentry_points: [\n");
    const verdict = await turn.turnEnds();
    const message = verdict.action === "continue" ? verdict.message : "";
    expect(message).toContain("- config: the gauntlet's configuration became invalid");
    expect(message).toContain(`Log: ${turn.project.path("gauntlet_logs/check_config.1.log")}`);
    expect(message).toContain(".gauntlet/config.yml:");
    expect(await turn.project.state()).toMatchObject({ attempt: 1, open: ["config"] });

    await turn.project.write(".gauntlet/config.yml", `base_branch: main\n${CONFIG}`);
    expect((await turn.turnEnds()).action).toBe("end");
    expect(await turn.project.state()).toMatchObject({ attempt: 0, open: [] });
  });

  test("cannot add gates within the turn, although MUX_HOOKS_TRUST=always skips the prompt", async () => {
    const project = await failingProject();
    await project.remove(".gauntlet");
    const turn = new HostTurn(project, { MUX_HOOKS_TRUST: "always" });
    await turn.userSays();
    await project.write(".gauntlet/config.yml", `base_branch: main\n${CONFIG}`);
    await project.write(".gauntlet/checks/ok.yml", OK);
    expect((await turn.turnEnds()).action).toBe("end");
    expect(turn.notices).toEqual([expect.stringContaining(".gauntlet/config.yml")]);
    await turn.userSays();
    expect((await turn.turnEnds()).action).toBe("continue");
  });
});
