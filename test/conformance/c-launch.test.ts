/** Launch and input of a hook (H12 to H15, H19a, H23). */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { ensureBuilt } from "@test/helpers/built";
import {
  group,
  HookProject,
  says,
  stopWith,
  type Hook,
  type ProjectOptions,
} from "@test/helpers/hooks/hookProject";
import { execFileAsync } from "@test/helpers/process/processes";
import { has } from "@scripts/programs.mjs";
import { runBySpawner } from "@test/helpers/process/spawner";
import { WatchedController } from "@test/helpers/hooks/stopController";
import { tempDir } from "@test/helpers/tempDir";
import { whereHooksFind } from "@test/helpers/remote/testRuntime";

async function projectWith(hooks: readonly Hook[], options?: ProjectOptions): Promise<HookProject> {
  const project = await HookProject.create(options);
  return await project.configure({ hooks: { Stop: [group(hooks)] } });
}

describe("working directory and environment", () => {
  const WHERE = 'pwd > "$MUX_PROJECT_DIR/where"; cat > "$MUX_PROJECT_DIR/input"';

  test("case 33: starts a hook in the agent's working directory, which its input names", async () => {
    const project = await projectWith([WHERE]);
    const cwd = project.path("sub");
    await mkdir(cwd);
    await project.stop({ input: { cwd } });
    expect(await project.read("where")).toBe(`${cwd}\n`);
    expect(JSON.parse(await project.read("input"))).toMatchObject({ cwd });
  });

  test("case 33: starts a hook in the project root if that folder no longer exists", async () => {
    const project = await projectWith([WHERE]);
    const { warnings } = await project.stop({ input: { cwd: project.path("gone") } });
    expect(await project.read("where")).toBe(`${project.dir}\n`);
    expect(warnings).toBeUndefined();
  });

  test("case 33: warns if the project no longer exists either", async () => {
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

  test("case 34: sets variables for project, transcript, session, event and state", async () => {
    const project = await projectWith(["env > env.txt; cat > input"]);
    const input = { stop_hook_active: true, effort: { level: "high" } };
    await project.stop({ input, continuation: 2 });
    const told = JSON.parse(await project.read("input")) as { transcript_path: string };
    const lines = (await project.read("env.txt")).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        `MUX_PROJECT_DIR=${project.dir}`,
        `CLAUDE_PROJECT_DIR=${project.dir}`,
        "MUX_STOP_HOOK_ACTIVE=true",
        `MUX_TRANSCRIPT_PATH=${told.transcript_path}`,
        "MUX_SESSION_ID=workspace-1",
        "MUX_HOOK_EVENT=Stop",
        "MUX_CONTINUATION=2",
        "CLAUDE_EFFORT=high",
        `PATH=${process.env.PATH ?? ""}`,
      ])
    );
    await project.stop();
    const first = await project.read("env.txt");
    expect(first).toContain("MUX_STOP_HOOK_ACTIVE=false\n");
    expect(first).toContain("MUX_CONTINUATION=0\n");
    expect(first).not.toContain("CLAUDE_EFFORT=");
  });

  test("case 35: the project folder in a worktree is the worktree", async () => {
    const project = await HookProject.create();
    const worktree = join(project.session, "worktree");
    const git = (...args: string[]) =>
      execFileAsync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
        cwd: project.dir,
      });
    await project.configure({
      hooks: { Stop: [group(['echo "$CLAUDE_PROJECT_DIR" >&2; exit 2'])] },
    });
    await git("init", "--quiet");
    await git("add", ".");
    await git("commit", "--quiet", "--message", "hooks");
    await git("worktree", "add", "--quiet", worktree);
    const workspace = await HookProject.create({ at: worktree });
    expect((await workspace.stop()).continueReason).toBe(worktree);
  });
});

describe("a project path with special characters", () => {
  const HARD = `it's a "$HOME" $& dïr\nwith * and \`x\` ✓`;
  const SCRIPT = '#!/bin/sh\nprintf "%s|" "$0" "$@" >&2\nexit 2\n';

  test("case 36: works if it is quoted in a command line", async () => {
    const project = await projectWith(['"$MUX_PROJECT_DIR"/hook.sh one "$CLAUDE_PROJECT_DIR"'], {
      name: HARD,
    });
    const script = await project.write("hook.sh", SCRIPT, 0o755);
    const result = await project.stop();
    expect(result.continueReason).toBe(`${script}|one|${project.dir}|`);
  });

  test("case 36: is split if it is not quoted, with a warning to quote it", async () => {
    for (const hook of ["$MUX_PROJECT_DIR/hook.sh", "sh $CLAUDE_PROJECT_DIR/hook.sh"]) {
      const project = await projectWith([hook], { name: "my project" });
      await project.write("hook.sh", "exit 0\n", 0o755);
      const { warnings = [] } = await project.stop();
      expect(warnings.join("\n")).toMatch(/_PROJECT_DIR" with the double quotes/);
    }
  });

  test("case 37: is inserted as plain text in exec form, without a shell", async () => {
    const handler = {
      command: "${MUX_PROJECT_DIR}/hook.sh",
      args: ["${CLAUDE_PROJECT_DIR}/x", "$HOME", "a  b", ""],
    };
    const project = await projectWith([handler], { name: HARD });
    const script = await project.write("hook.sh", SCRIPT, 0o755);
    const result = await project.stop();
    expect(result.continueReason).toBe(`${script}|${project.dir}/x|$HOME|a  b||`);
  });
});

describe("standard input", () => {
  test("case 38: is one line of JSON with every documented field, then end of file", async () => {
    const project = await projectWith(["cat > all", 'IFS= read -r line; printf %s "$line" > line']);
    await project.stop({ input: { last_assistant_message: "Zwei\nZeilen" } });
    // Both hooks receive the whole input, each on its own pipe.
    const all = await project.read("all");
    expect(all).toBe(`${await project.read("line")}\n`);
    expect(JSON.parse(all)).toEqual({
      session_id: "workspace-1",
      transcript_path: whereHooksFind(project.transcript),
      cwd: project.dir,
      permission_mode: "default",
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: "Zwei\nZeilen",
      background_tasks: [],
      session_crons: [],
    });
  });

  test("case 38: has an empty final message if there is none", async () => {
    const project = await projectWith(["cat > all"]);
    await project.stop({ input: { last_assistant_message: undefined } });
    expect(JSON.parse(await project.read("all"))).toMatchObject({ last_assistant_message: "" });
  });

  test("case 39: a hook that reads its input to the end returns at once", async () => {
    const { runs } = await stopWith(["cat >/dev/null; echo read"]);
    expect(runs[0]).toMatchObject({ outcome: "pass", stdout: "read" });
  });

  const LONG = { last_assistant_message: "x".repeat(300_000) };

  test("case 40: uses the verdict of a hook that never reads its long input", async () => {
    const hooks = [says({ decision: "block", reason: "R" }), "exec <&-; echo S >&2; exit 2"];
    const result = await stopWith(hooks, { input: LONG });
    expect(result).toMatchObject({ continueReason: "R\n\nS" });
    expect(result.warnings).toBeUndefined();
  });

  test("case 41: a hook that exits before its input is written does not fail", async () => {
    const result = await stopWith(["true", "true #2", "exit 0", ": 4", ": 5"], { input: LONG });
    expect(result.runs.map(({ outcome }) => outcome)).toEqual(Array(5).fill("pass"));
    expect(result.warnings).toBeUndefined();
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
  { what: "a syntax error", program: "bash", hook: { command: "if then", shell: "bash" } },
  { what: "cd", program: "dash", hook: { command: "cd ./missing && true", shell: "dash" } },
  { what: "python3 nope.py", program: "python3", hook: "python3 nope.py" },
  { what: "make lint", program: "make", hook: "make lint" },
];

describe("launch failures", () => {
  const BROKEN: { what: string; hook: Hook; warning: RegExp }[] = [
    { what: "a missing script", hook: "./nope.sh", warning: /exit code 127.*nope\.sh/ },
    {
      what: "a file that is not executable",
      hook: "./plain.sh",
      warning: /exit code 126.*plain\.sh/,
    },
    { what: "a missing interpreter", hook: "./odd.sh", warning: /exit code 12[67].*odd\.sh/ },
    {
      what: "a missing program in exec form",
      hook: { command: "nope-no-such-program", args: [] },
      warning: /could not be started.*nope-no-such-program.*PATH/,
    },
    {
      what: "a file that is not executable, in exec form",
      hook: { command: "./plain.sh", args: [] },
      warning: /could not be started.*plain\.sh.*chmod \+x/,
    },
    {
      what: "a missing interpreter in exec form",
      hook: { command: "./odd.sh", args: [] },
      warning: /could not be started.*odd\.sh.*\/no\/such\/interpreter/,
    },
  ];

  test.each(BROKEN)(
    "case 44: warns about $what, and lets the agent stop",
    async ({ hook, warning }) => {
      const project = await projectWith([hook]);
      await project.write("plain.sh", "#!/bin/sh\nexit 2\n", 0o644);
      await project.write("odd.sh", "#!/no/such/interpreter\nexit 2\n", 0o755);
      const result = await project.stop();
      expect(result.shouldStop).toBe(true);
      expect(result.warnings).toEqual([expect.stringMatching(/^project:Stop\[0\] \(/)]);
      expect(result.warnings?.[0]).toMatch(warning);
    }
  );

  const accidents = ACCIDENTS.filter(({ program }) => has(program));

  test.each(accidents)(
    "case 45: an accidental exit 2 blocks once per turn: $what",
    async ({ hook }) => {
      const project = await projectWith([hook]);
      await project.write("Makefile", "lint:\n\t@false\n");
      const watched = new WatchedController(project);
      await watched.controller.beginTurn();
      expect(await watched.turnEnds()).toMatchObject({ action: "continue", continuation: 1 });
      expect(watched.notices.join("\n")).toContain("looks like a program error");
      expect(await watched.turnEnds()).toMatchObject({ action: "end" });
      expect(watched.notices.join("\n")).toContain("does not block again");

      // A message of the user begins another turn, in which the hook may block once more.
      await watched.controller.beginTurn();
      expect(await watched.turnEnds()).toMatchObject({ action: "continue", continuation: 1 });
    }
  );

  test("case 45: a verdict by exit 2 blocks each time it is given", async () => {
    const watched = new WatchedController(await projectWith(["echo 'Run the tests' >&2; exit 2"]));
    await watched.controller.beginTurn();
    for (const continuation of [1, 2, 3]) {
      expect(await watched.turnEnds()).toMatchObject({ action: "continue", continuation });
    }
    expect(watched.notices).toEqual([]);
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
  const IMPOSSIBLE = [
    {
      what: "arguments beyond the system's limit",
      hook: { command: "echo", args: [HUGE] },
      why: /E2BIG/,
    },
    {
      what: "a missing shell",
      hook: { command: ":", shell: "/no/such/sh" },
      why: /no\/such\/sh/,
    },
    { what: "a NUL byte", hook: { command: "echo", args: ["a\0b"] }, why: /NUL/ },
  ];

  test.each(IMPOSSIBLE)(
    "case 49: warns about $what, and runs the other hooks",
    async ({ hook, why }) => {
      const result = await stopWith([hook, "echo R >&2; exit 2"]);
      expect(result.continueReason).toBe("R");
      expect(result.warnings).toEqual([expect.stringMatching(/could not be started/)]);
      expect(result.warnings?.[0]).toMatch(why);
    }
  );
});

describe("the parent process", () => {
  beforeAll(ensureBuilt, 120_000);

  test("case 50: a hook that kills its parent does not end the host if a spawner starts hooks", async () => {
    const { env } = process;
    const runtime = new LocalRuntime({ env, run: runBySpawner() });
    const result = await stopWith(['kill "$PPID"; echo "of $PPID" >&2; exit 2'], { runtime });
    expect(result.continueReason).toMatch(/^of \d+$/);
    expect(result.continueReason).not.toBe(`of ${process.pid}`);
    expect((await stopWith(['echo "of $PPID" >&2; exit 2'], { runtime })).continueReason).toBe(
      result.continueReason
    );
  });
});

describe("the shell", () => {
  test("case 47: bash runs a command line if it is installed", async () => {
    expect(await findOnPath("bash", process.env.PATH)).toMatch(/\/bash$/);
    const result = await stopWith(["[[ 1 == 1 ]] && a=(x y) && echo ${a[1]} >&2; exit 2"]);
    expect(result.continueReason).toBe("y");
  });

  test("case 47: sh runs it without bash, and `shell` selects another shell", async () => {
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

  test("case 48: treats output with text before its JSON as plain text, and warns the user", async () => {
    const result = await stopWith(['echo Welcome; echo \'{"decision":"block","reason":"R"}\'']);
    expect(result.shouldStop).toBe(true);
    expect(result.warnings).toEqual([expect.stringContaining("text precedes the JSON")]);
  });
});
