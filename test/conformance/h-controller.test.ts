/** Hooks that an agent changes within a turn (H7, H31). */
import { existsSync } from "node:fs";
import { chmod, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadHooks } from "@/node/services/hooks/settingsLoader";
import { trustStorePath } from "@/node/services/hooks/trust/trustRecord";
import { recordTrust, storedTrust } from "@/node/services/hooks/trust/trustDecisions";
import { block, group, HookProject, says, sent, UNTRUSTED } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { putFile } from "@test/helpers/tempDir";

const stopHooks = (...hooks: (string | Record<string, unknown>)[]) => ({
  hooks: { Stop: [group(hooks)] },
});
const script = (reason: string) => `#!/bin/sh\necho ${reason} >&2\nexit 2\n`;
const WAITS = "changed since the turn began";

/** Opens a controller whose turn has begun with these settings. */
async function begin(settings: unknown, scriptHook?: string) {
  const project = await (await HookProject.create()).configure(settings);
  if (scriptHook !== undefined) await project.write(".mux/stop", scriptHook, 0o755);
  return { project, watched: await WatchedController.begin(project) };
}

async function configureUser(project: HookProject, settings: unknown): Promise<void> {
  await putFile(join(project.home, ".mux", "settings.json"), JSON.stringify(settings));
}

describe("a turn keeps the plan that it began with", () => {
  test("case 126: runs a new project hook only after the user's next message (H7)", async () => {
    const { project, watched } = await begin(stopHooks(block("old")));
    await project.configure(stopHooks(block("old"), block("new"), "echo ran > ran"));
    expect(await watched.turnEnds()).toMatchObject(sent("old"));
    await expect(project.read("ran")).rejects.toThrow("ENOENT");
    expect(watched.notices).toEqual([expect.stringMatching(`^.mux/settings.json: ${WAITS}`)]);

    await Promise.all([1, 2].map(() => watched.controller.beginTurn()));
    expect(watched.notices.at(-1)).toMatch(
      /^\.mux\/settings\.json: changed since your last message/
    );
    expect(await watched.turnEnds()).toMatchObject(sent("old\n\nnew"));
    expect(await project.read("ran")).toBe("ran\n");
  });

  test.each<[string, unknown]>([
    ["a progress line", stopHooks({ command: block("strict"), statusMessage: "x" })],
    ["another command", stopHooks("true")],
    ["a disabled hook", stopHooks({ command: block("strict"), enabled: false })],
    ["a time limit", stopHooks({ command: block("strict"), timeout: 0.001 })],
    ["disableAllHooks", { ...stopHooks(block("strict")), disableAllHooks: true }],
    ["no hook at all", {}],
    ["a lower limit (H4)", { ...stopHooks(block("strict")), stopHooks: { maxContinuations: 1 } }],
  ])(
    "case 126: a hook of the checkout runs unchanged if the agent writes %s (H7)",
    async (_, settings) => {
      const { project, watched } = await begin(stopHooks(block("strict")));
      await project.configure(settings);
      expect(await watched.turnEnds()).toMatchObject(sent("strict"));
      expect(await watched.turnEnds()).toMatchObject(sent("strict"));
      expect(watched.notices).toEqual([expect.stringMatching(`^.mux/settings.json: ${WAITS}`)]);
    }
  );

  test("case 126: a checkout cannot disable the user's hooks within the turn (H7)", async () => {
    const { project, watched } = await begin({});
    await configureUser(project, stopHooks(block("mine")));
    await watched.controller.beginTurn();
    await project.configure({ disableAllHooks: true });
    expect(await watched.turnEnds()).toMatchObject(sent("mine"));
  });

  test.each<[string, (project: HookProject) => Promise<unknown>]>([
    ["rewritten", (project) => project.write(".mux/stop", "#!/bin/sh\nexit 0\n", 0o755)],
    ["longer by a byte", (project) => project.write(".mux/stop", `${script("held")}#`, 0o755)],
    ["not executable", (project) => chmod(project.path(".mux/stop"), 0o644)],
    ["removed with its folder", (project) => rm(project.path(".mux"), { recursive: true })],
  ])(
    "case 126: a script hook that is %s runs with its bytes from the start of the turn (H7, H31)",
    async (_, change) => {
      const { project, watched } = await begin({}, script('"held $MUX_HOOK_PATH"'));
      await project.write(".mux/stop", script("held"), 0o755);
      await watched.controller.beginTurn();
      await change(project);
      expect(await watched.turnEnds()).toMatchObject(sent("held"));
      expect(watched.notices.join("\n")).toMatch(WAITS);
    }
  );

  test("case 126: detects a changed script although its size and time are the same (H7, H31)", async () => {
    const { project, watched } = await begin({}, script("aaaa"));
    const path = project.path(".mux/stop");
    const { atime, mtime } = await stat(path);
    expect(await watched.turnEnds()).toMatchObject(sent("aaaa"));
    await writeFile(path, script("bbbb"));
    await utimes(path, atime, mtime);
    expect(await watched.turnEnds()).toMatchObject(sent("aaaa"));
  });

  test("case 126: runs the current version of a project program that a command names, with a notice (H7)", async () => {
    const { project, watched } = await begin(stopHooks('"$MUX_PROJECT_DIR"/check.sh --all'));
    await project.write("check.sh", script("before"), 0o755);
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject(sent("before"));
    await project.write("check.sh", script("after"), 0o755);
    expect(await watched.turnEnds()).toMatchObject(sent("after"));
    expect(watched.notices).toEqual([
      expect.stringMatching(/^check\.sh: .*changed since the turn began/),
    ]);
  });
});

test("case 126: a program that appears within the turn is reported, and one that no hook names any more is not (H7)", async () => {
  const { project, watched } = await begin(stopHooks("./late.sh"));
  await project.write("mine.sh", script("mine"), 0o755);
  await configureUser(project, stopHooks('"$MUX_PROJECT_DIR"/mine.sh'));
  await watched.controller.beginTurn();
  await configureUser(project, {});
  await project.write("late.sh", script("late"), 0o755);
  expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
  expect(watched.notices.join("\n")).toMatch(/late\.sh: .*changed since the turn began/);
  expect(watched.notices.join("\n")).not.toContain("mine.sh:");
});

describe("the user's layer", () => {
  test("case 126: may add a hook at once, which can only block and is reported (H7)", async () => {
    const { project, watched } = await begin(stopHooks(block("strict")));
    await configureUser(
      project,
      stopHooks(
        says({ continue: false, stopReason: "over" }),
        says({ continue: false, decision: "block", reason: "both" }),
        says({ continue: false }, { exit: 2 }),
        block("more")
      )
    );
    const message = (await watched.turnEnds()) as { message: string };
    expect(message.message).toMatch(
      /strict\n\nboth\n\nThe hook user:Stop\[2\] blocked with exit code 2.*\n\nmore/
    );
    const notices = watched.notices.join("\n");
    expect(notices).toContain(
      "was added during this turn; until your next message it can only block the stop (continue: false has no effect)"
    );
    expect(notices).toContain("continue: false has no effect until your next message");
    expect(watched.notices).not.toContain("over");

    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(watched.notices).toContain("over");
  });

  test("case 126: keeps its switches and fields until the next message (H7)", async () => {
    const { project, watched } = await begin({});
    await configureUser(project, stopHooks(block("mine")));
    await watched.controller.beginTurn();
    await configureUser(project, { ...stopHooks(block("mine")), disableAllHooks: true });
    expect(await watched.turnEnds()).toMatchObject(sent("mine"));
    expect(watched.notices.join("\n")).toContain("settings.json: changed since the turn began");
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
  });
});

describe("recorded definitions", () => {
  /** Creates a project that a person has trusted, as by `mux-stop-hooks hooks trust`, and begins a turn. */
  async function trusted(settings: unknown) {
    const project = await (await HookProject.create()).configure(settings);
    const { runtime, dir, load } = project;
    const store = { files: runtime, path: trustStorePath(join(project.home, ".mux")) };
    const trust = async () => {
      const { checkout } = await loadHooks(runtime, dir, load);
      const request = { projectDir: dir, definitions: checkout.definitions };
      (await recordTrust(store, request, new Date(0)))._unsafeUnwrap();
    };
    const session = () =>
      new WatchedController(project, {
        load: { ...load, trust: storedTrust({ ...store, env: {} }) },
      });
    await trust();
    const watched = session();
    await watched.controller.beginTurn();
    return { project, watched, session, trust };
  }

  test("case 126: keep running in later turns and sessions until a person trusts others (H31)", async () => {
    const { project, watched, session, trust } = await trusted(stopHooks(block("strict")));
    await project.write(".mux/settings.local.json", '{"disableAllHooks": true}');
    expect(await watched.turnEnds()).toMatchObject(sent("strict"));
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject(sent("strict"));
    expect(watched.notices).toContainEqual(
      expect.stringMatching(
        /^\.mux\/settings\.local\.json: changed and not trusted yet.*"mux-stop-hooks hooks trust"/
      )
    );

    const later = session();
    await later.controller.beginTurn();
    expect(await later.turnEnds()).toMatchObject(sent("strict"));
    expect(later.notices).toEqual([expect.stringContaining("changed and not trusted yet")]);
    await trust();
    await later.controller.beginTurn();
    expect(await later.turnEnds()).toMatchObject({ action: "end" });
  });

  test("case 126: are the plan after a restart within the turn (H7)", async () => {
    const { project, session } = await trusted(stopHooks(block("strict")));
    await project.configure(stopHooks("true"));
    const restarted = session();
    restarted.controller.restore(1);
    expect(await restarted.turnEnds()).toMatchObject(sent("strict"));
  });

  test("case 126: are missing after a restart of a host that records none, so current ones run with a notice (H7)", async () => {
    const { project } = await begin(stopHooks(block("strict")));
    const restarted = new WatchedController(project);
    restarted.controller.restore(1);
    expect(await restarted.turnEnds()).toMatchObject(sent("strict"));
    expect(restarted.notices).toEqual([expect.stringContaining("run as they are configured now")]);
  });
});

const hooks = (reason: string) => ({
  hooks: { SubagentStop: [group([block(reason)])], Stop: [group([block("main")])] },
});

test.each(["in the same checkout", "in a checkout of its own"])(
  "case 126: a sub-agent %s keeps the plan of the turn in which it was started (H7)",
  async (where) => {
    const { project, watched } = await begin(hooks("strict"));
    await project.configure({});
    const place = where.includes("own") ? await HookProject.create() : project;
    const { turn } = watched.controller;
    const child = new WatchedController(place, { event: "SubagentStop", turn });
    await child.controller.beginTurn();
    const verdict = { message: "[SubagentStop hook requested continuation]\nstrict" };
    expect(await child.turnEnds()).toMatchObject(verdict);
    expect(child.controller.continuations).toBe(1);
    // A message of its parent resets only the count.
    await child.controller.beginTurn();
    expect(child.controller.continuations).toBe(0);
    expect(await child.turnEnds()).toMatchObject(verdict);
  }
);

describe("the reason for the end of a turn", () => {
  test.each<[string, unknown, string]>([
    ["hooks that pass", stopHooks("true"), "the hooks allowed the stop"],
    [
      "a hook that fails",
      stopHooks("exit 1", "true"),
      "project:Stop[1] allowed the stop; project:Stop[0] failed without a decision",
    ],
    ["no hook", {}, "no hook had to run"],
    [
      "background hooks alone",
      stopHooks({ command: "true", async: true }),
      "all hooks run in the background",
    ],
  ])("with %s (H16)", async (_, settings, reason) => {
    const { watched } = await begin(settings);
    const unverified = reason.includes("failed") ? { unverified: true } : {};
    expect(await watched.turnEnds()).toEqual({ action: "end", reason, ...unverified });
    await watched.controller.dispose();
  });

  test("runs no hook after the session was disposed of (H28)", async () => {
    const { watched, project } = await begin(stopHooks("touch ran; exit 2"));
    await watched.controller.dispose();
    const reason = "no hooks ran, because the session has ended";
    expect(await watched.turnEnds()).toEqual({ action: "end", reason });
    expect(existsSync(project.path("ran"))).toBe(false);
  });

  test("does not count untrusted hooks as hooks that allowed the stop (H32)", async () => {
    const project = await (await HookProject.create()).configure(stopHooks("true"));
    const watched = new WatchedController(project, { load: { ...project.load, trust: UNTRUSTED } });
    const reason = "project:Stop[0] did not run";
    expect(await watched.turnEnds()).toEqual({ action: "end", reason, unverified: true });
  });
});
