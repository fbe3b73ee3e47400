/** Launch and input of a hook (H12 to H15, H19a, H23). */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { findOnPath } from "@/node/runtime/process/startFailure";
import "@test/helpers/freshBuild";
import {
  group,
  type Hook,
  HookProject,
  projectWith,
  says,
  stopWith,
} from "@test/helpers/hooks/hookProject";
import { execFileAsync } from "@test/helpers/process/processes";
import { has } from "@scripts/programs.mjs";
import { runBySpawner } from "@test/helpers/process/spawner";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { tempDir } from "@test/helpers/tempDir";
import { describeHere, testHere, whereHooksFind } from "@test/helpers/remote/testRuntime";

describe("the working directory", () => {
  const WHERE = 'pwd > "$MUX_PROJECT_DIR/where"; cat > "$MUX_PROJECT_DIR/input"';

  test("case 33: starts a hook in the agent's working directory, or in the project root if that no longer exists", async () => {
    const project = await projectWith([WHERE]);
    const cwd = project.path("sub");
    await mkdir(cwd);
    await project.stop({ input: { cwd } });
    expect(await project.read("where")).toBe(`${cwd}\n`);
    expect(JSON.parse(await project.read("input"))).toMatchObject({ cwd });
    const { warnings } = await project.stop({ input: { cwd: project.path("gone") } });
    expect(await project.read("where")).toBe(`${project.dir}\n`);
    expect(warnings).toBeUndefined();
  });

  testHere("case 33: warns if the project no longer exists either", async () => {
    const project = await HookProject.create();
    await mkdir(join(project.home, ".mux"));
    const settings = JSON.stringify({ hooks: { Stop: [group(["exit 2"])] } });
    await writeFile(join(project.home, ".mux", "settings.json"), settings);
    await rm(project.dir, { recursive: true });
    const result = await project.stop();
    expect(result.shouldStop).toBe(true);
    expect(result.warnings).toEqual([
      expect.stringMatching(/could not be started.*does not exist/),
    ]);
  });

  testHere("case 35: the project folder in a worktree is the worktree", async () => {
    const project = await projectWith(['echo "$CLAUDE_PROJECT_DIR" >&2; exit 2']);
    const worktree = join(project.session, "worktree");
    const git = (...args: string[]) =>
      execFileAsync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        cwd: project.dir,
      });
    await git("init", "--quiet");
    await git("add", ".");
    await git("commit", "--quiet", "--message", "hooks");
    await git("worktree", "add", "--quiet", worktree);
    const workspace = await HookProject.create({ at: worktree });
    expect((await workspace.stop()).continueReason).toBe(worktree);
  });
});

describeHere("a project path with special characters", () => {
  const HARD = `it's a "$HOME" $& dïr\nwith * and \`x\` ✓`;
  const SCRIPT = '#!/bin/sh\nprintf "%s|" "$0" "$@" >&2\nexit 2\n';

  test("case 36, 37: works if it is quoted in a command line, and in exec form without a shell", async () => {
    const quoted = '"$MUX_PROJECT_DIR"/hook.sh one "$CLAUDE_PROJECT_DIR"';
    const inExecForm = {
      command: "${MUX_PROJECT_DIR}/hook.sh",
      args: ["${CLAUDE_PROJECT_DIR}/x", "$HOME", "a  b", ""],
    };
    const project = await projectWith([quoted, inExecForm], { name: HARD });
    const script = await project.write("hook.sh", SCRIPT, 0o755);
    const { runs } = await project.stop();
    expect(runs.map(({ reason }) => reason)).toEqual([
      `${script}|one|${project.dir}|`,
      `${script}|${project.dir}/x|$HOME|a  b||`,
    ]);
  });

  test("case 36: is split if it is not quoted, with a warning to quote it", async () => {
    const hooks = [
      ...["$MUX_PROJECT_DIR/hook.sh", "sh $CLAUDE_PROJECT_DIR/hook.sh"],
      ...["${MUX_PROJECT_DIR}/hook.sh", "cd . && $CLAUDE_PROJECT_DIR/hook.sh"],
    ];
    const project = await projectWith(hooks, { name: "my project" });
    await project.write("hook.sh", "exit 0\n", 0o755);
    const { runs } = await project.stop();
    for (const { warnings } of runs) {
      expect(warnings.join("\n")).toMatch(/_PROJECT_DIR" with the double quotes/);
    }
  });
});

describe("standard input and environment", () => {
  test("case 34, 38: has one line of JSON with every documented field, then end of file, beside variables for project, transcript, session, event and state", async () => {
    const project = await projectWith([
      "env > env.txt; cat > all",
      'IFS= read -r line; printf %s "$line" > line',
    ]);
    const last_assistant_message = "Zwei\nZeilen";
    await project.stop({ input: { last_assistant_message } });
    // Both hooks receive the whole input, each on its own pipe.
    const all = await project.read("all");
    expect(all).toBe(`${await project.read("line")}\n`);
    const told = JSON.parse(all) as { transcript_path: string };
    expect(told).toEqual({
      session_id: "workspace-1",
      transcript_path: whereHooksFind(project.transcript),
      cwd: project.dir,
      permission_mode: "default",
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message,
      background_tasks: [],
      session_crons: [],
    });
    const env = await project.read("env.txt");
    const always = [
      `MUX_PROJECT_DIR=${project.dir}`,
      `CLAUDE_PROJECT_DIR=${project.dir}`,
      "MUX_SESSION_ID=workspace-1",
      "MUX_HOOK_EVENT=Stop",
      `PATH=${process.env.PATH ?? ""}`,
    ];
    const first = [
      `MUX_TRANSCRIPT_PATH=${told.transcript_path}`,
      "MUX_STOP_HOOK_ACTIVE=false",
      "MUX_CONTINUATION=0",
    ];
    expect(env.split("\n")).toEqual(expect.arrayContaining([...always, ...first]));
    expect(env).not.toContain("CLAUDE_EFFORT=");

    const input = {
      ...{ stop_hook_active: true, effort: { level: "high" } },
      last_assistant_message: undefined,
    };
    await project.stop({ input, continuation: 2 });
    expect(JSON.parse(await project.read("all"))).toMatchObject({ last_assistant_message: "" });
    const second = ["MUX_STOP_HOOK_ACTIVE=true", "MUX_CONTINUATION=2", "CLAUDE_EFFORT=high"];
    expect((await project.read("env.txt")).split("\n")).toEqual(
      expect.arrayContaining([...always, ...second])
    );
  });

  test("case 39, 40, 41: uses the verdicts of hooks that read all of their long input or none of it", async () => {
    const hooks = [
      says({ decision: "block", reason: "R" }),
      "exec <&-; echo S >&2; exit 2",
      ...["true", "true #2", "exit 0", "cat >/dev/null; echo read"],
    ];
    const input = { last_assistant_message: "x".repeat(300_000) };
    const result = await stopWith(hooks, { input });
    expect(result).toMatchObject({ continueReason: "R\n\nS" });
    expect(result.warnings).toBeUndefined();
    expect(result.runs.slice(2).map(({ outcome }) => outcome)).toEqual(Array(4).fill("pass"));
    expect(result.runs[5]?.stdout).toBe("read");
  });

  test("case 42: passes lone surrogates, NUL, emoji and five megabytes unchanged", async () => {
    const project = await projectWith(["cat > all"]);
    const last_assistant_message = `\uD800 \0 😀 ${"long ".repeat(1_000_000)}`;
    await project.stop({ input: { last_assistant_message } });
    const got = JSON.parse(await project.read("all")) as Record<string, unknown>;
    expect(got.last_assistant_message === last_assistant_message).toBe(true);
  });

  test("case 43: a hook leads its own session, without a terminal", async () => {
    const own =
      'read -r pid _ _ _ _ session tty _ < /proc/$$/stat; echo "$((pid == session)) $tty"';
    const { runs } = await stopWith([
      "cat < /dev/tty",
      ...(process.platform === "linux" ? [own] : []),
    ]);
    expect(runs[0]).toMatchObject({ outcome: "failed", end: { kind: "exited", code: 1 } });
    if (process.platform === "linux") expect(runs[1]?.stdout).toBe("1 0");
  });
});

/** Programs that exit with 2 if they cannot do their work. */
const ACCIDENTS = [
  { program: "bash", hook: { command: "if then", shell: "bash" } },
  { program: "dash", hook: { command: "cd ./missing && true", shell: "dash" } },
  { program: "python3", hook: "python3 nope.py" },
  { program: "make", hook: "make lint" },
];

describeHere("launch failures", () => {
  test("case 44: warns about hooks that cannot be launched, and lets the agent stop", async () => {
    const broken: [Hook, RegExp][] = [
      ["./nope.sh", /exit code 127.*nope\.sh/],
      ["./plain.sh", /exit code 126.*plain\.sh/],
      ["./odd.sh", /exit code 12[67].*odd\.sh/],
      [{ command: "nope-no-such-program", args: [] }, /not be started.*nope-no-such-program.*PATH/],
      [{ command: "./plain.sh", args: [] }, /could not be started.*plain\.sh.*chmod \+x/],
      [{ command: "./odd.sh", args: [] }, /not be started.*odd\.sh.*\/no\/such\/interpreter/],
    ];
    const project = await projectWith(broken.map(([hook]) => hook));
    await project.write("plain.sh", "#!/bin/sh\nexit 2\n", 0o644);
    await project.write("odd.sh", "#!/no/such/interpreter\nexit 2\n", 0o755);
    const { shouldStop, warnings = [] } = await project.stop();
    expect(shouldStop).toBe(true);
    expect(warnings).toEqual(
      broken.map(
        ([, text], i) =>
          expect.stringMatching(new RegExp(`^project:Stop\\[${i}\\] \\(.*${text.source}`)) as string
      )
    );
  });

  test("case 45: an accidental exit 2 blocks once per turn", async () => {
    const accidents = ACCIDENTS.filter(({ program }) => has(program));
    const project = await projectWith(accidents.map(({ hook }) => hook));
    await project.write("Makefile", "lint:\n\t@false\n");
    const watched = await WatchedController.begin(project);
    const count = (text: string) => watched.notices.filter((one) => one.includes(text)).length;
    expect(await watched.turnEnds()).toMatchObject({ action: "continue", continuation: 1 });
    expect(count("looks like a program error")).toBe(accidents.length);
    expect(await watched.turnEnds()).toMatchObject({ action: "end" });
    expect(count("does not block again")).toBe(accidents.length);

    // A message of the user begins another turn, in which the hooks may block once more.
    await watched.controller.beginTurn();
    expect(await watched.turnEnds()).toMatchObject({ action: "continue", continuation: 1 });
  });

  test("case 46: warns about a hook killed by a signal, and never treats it as exit 0", async () => {
    const json = '{"decision":"block","reason":"R"}';
    const result = await stopWith([`echo '${json}'; kill -SEGV $$`, "kill -KILL $$"]);
    expect(result.shouldStop).toBe(true);
    expect(result.runs.map(({ end }) => end)).toEqual([
      { kind: "signaled", signal: "SIGSEGV" },
      { kind: "signaled", signal: "SIGKILL" },
    ]);
    expect(result.warnings?.[0]).toContain("killed by SIGSEGV");
  });

  /** Fits into a settings file, but exceeds the limit of one argument. */
  const HUGE = "x".repeat(200_000);
  test("case 49: warns about hooks that cannot be started, and runs the other hooks", async () => {
    const impossible: [Hook, RegExp][] = [
      [{ command: "echo", args: [HUGE] }, /could not be started.*E2BIG/],
      [{ command: ":", shell: "/no/such/sh" }, /could not be started.*no\/such\/sh/],
      [{ command: "echo", args: ["a\0b"] }, /could not be started.*NUL/],
    ];
    const result = await stopWith([...impossible.map(([hook]) => hook), "echo R >&2; exit 2"]);
    expect(result.continueReason).toBe("R");
    expect(result.warnings).toEqual(
      impossible.map(([, why]) => expect.stringMatching(why) as string)
    );
  });
});

testHere(
  "case 50: a hook that kills its parent does not end the host if a spawner starts hooks",
  async () => {
    const { env } = process;
    const runtime = new LocalRuntime({ env, run: runBySpawner() });
    const result = await stopWith(['kill "$PPID"; echo "of $PPID" >&2; exit 2'], { runtime });
    expect(result.continueReason).toMatch(/^of \d+$/);
    expect(result.continueReason).not.toBe(`of ${process.pid}`);
    expect((await stopWith(['echo "of $PPID" >&2; exit 2'], { runtime })).continueReason).toBe(
      result.continueReason
    );
  }
);

describe("the shell", () => {
  test("case 47: bash runs a command line, or sh without bash, and `shell` selects another shell", async () => {
    const result = await stopWith(["[[ 1 == 1 ]] && a=(x y) && echo ${a[1]} >&2; exit 2"]);
    expect(result.continueReason).toBe("y");
    const command = 'echo "run by $0" >&2; exit 2';
    const bash = (await findOnPath("bash", process.env.PATH)) ?? "";
    const project = await projectWith([command, { command, shell: bash }], {
      env: { PATH: join(await tempDir(), "missing") },
    });
    expect((await project.stop()).continueReason).toBe(`run by /bin/sh\n\nrun by ${bash}`);
  });

  test("case 48: output of a shell profile does not get into the hook's output", async () => {
    const project = await HookProject.create();
    const noise = await project.write("noise.sh", "echo NOISE\n");
    const noisy = await projectWith([says({ decision: "block", reason: "R" })], {
      // Without SHLVL, as in a program started from a desktop, bash takes our pipes for network connections.
      env: { BASH_ENV: noise, ENV: noise, SHLVL: undefined },
    });
    for (const name of [".bashrc", ".profile", ".bash_profile"]) {
      await writeFile(join(noisy.home, name), "echo NOISE\n");
    }
    const result = await noisy.stop();
    expect(result.continueReason).toBe("R");
    expect(result.runs[0]?.stdout).not.toContain("NOISE");
  });
});
