import { mkdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { HOOK_NAMES } from "@/cli/gauntlet/options";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";
import { brokenProject, changedProject, CHECK, CONFIG } from "@test/helpers/gauntlet/projects";
import { stopAt } from "@test/helpers/gauntlet/stops";

const COMMANDS = ["run", "check", "clean", "detect", "list", "validate", "status", "health"];

describe("the command line", () => {
  test("prints the help and exits with 2 if no command is given", async () => {
    const { code, stdout, stderr } = await agentGauntlet({ dir: await tempDir() }, []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: mux-stop-hooks <command> [options]");
  });

  test.each([["help"], ["--help"], ["-h"]])(
    "%s describes the ten usual commands, and with --all each command",
    async (word) => {
      const { code, stdout, stderr } = await agentGauntlet({ dir: await tempDir() }, [word]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.match(/^ {2}[a-z]+(?= )/gm)?.map((name) => name.trim())).toEqual(
        "init run status doctor pause known trust hooks uninstall help".split(" ")
      );
      expect(stdout).toContain("More commands: mux-stop-hooks help --all");
      expect(stdout).toContain("128+n  ended by signal n");
      if (word !== "help") return;
      const all = await agentGauntlet({ dir: await tempDir() }, "help --all");
      expect(all.code).toBe(0);
      for (const name of [...COMMANDS, "init", "hooks", "stop-hook", "turn-start", "help"]) {
        expect(all.stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
      }
      expect(all.stdout).not.toContain("help --all");
    }
  );

  test.each([...COMMANDS, "init", "stop-hook", "help"])(
    "help %s needs no project, and prints the same as --help",
    async (name) => {
      const nowhere = { dir: await tempDir() };
      const help = await agentGauntlet(nowhere, ["help", name]);
      expect(help).toMatchObject({ code: 0, stderr: "" });
      expect(help.stdout).toContain(`Usage: mux-stop-hooks ${name}`);
      expect(await agentGauntlet(nowhere, [name, "--help"])).toEqual(help);
    }
  );

  test.each([
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["help", "frobnicate"], "unknown command 'frobnicate'"],
    [["rum"], "unknown command 'rum' (Did you mean run?)"],
    [["run", "--frobnicate"], "unknown option '--frobnicate'"],
    [["run", "--jsno"], "unknown option '--jsno' (Did you mean --json?)"],
    [["detect", "-g", "lint"], "unknown option '-g'"],
    [["run", "test"], "too many arguments for 'run'; name a gate with -g"],
    [["list", "src"], "too many arguments for 'list'. Expected 0 arguments but got 1"],
    [["run", "-b"], "option '-b, --base-branch <ref>' argument missing"],
    [["run", "-b", ""], "argument '' is invalid. Expected the name of a branch"],
    [["check", "-c", "-u"], "argument '-u' is invalid. Expected the ID or the name of a commit"],
    [["run", "-g", "-x"], "argument '-x' is invalid. Expected the name of a gate"],
    [["run", "-c", "HEAD", "-u"], "cannot be used with option '-u, --uncommitted'"],
    [
      ["init", "--hook", "vim"],
      `argument 'vim' is invalid. Expected ${HOOK_NAMES.join(" or ")} or git or none`,
    ],
    [["\u001b[2Jrun"], "unknown command '\\u001b[2Jrun'"],
  ])("%j prints one line and exits with 2", async (args, problem) => {
    const { code, stdout, stderr } = await agentGauntlet({ dir: await tempDir() }, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr).toMatch(/^mux-stop-hooks: .+[^.]; see "mux-stop-hooks help"\n$/);
    expect(stderr).not.toContain("\u001b");
  });

  test.each([...COMMANDS, "review", "plan --job-total 2", "undo-fix", "known list"])(
    "%s prints one line with the next step and exits with 1 outside a project (G30b)",
    async (line) => {
      const dir = await tempDir();
      const { code, stdout, stderr } = await agentGauntlet({ dir }, line.split(" "));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toBe(
        `mux-stop-hooks: not a gauntlet-enabled project: there is no .gauntlet/config.yml in ${dir}, or in a parent folder within the same repository; run "mux-stop-hooks init" to create it\n`
      );
    }
  );

  test.each(["detect", "list", "status"])(
    "%s prints the errors of an invalid configuration and exits with 1 (G5)",
    async (name) => {
      const project = await GauntletProject.create("entry_points: 3\n");
      const { code, stdout, stderr } = await agentGauntlet(project, [name]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`${project.path(".gauntlet/config.yml")}:2:15: entry_points: `);
      expect(stderr).toMatch(
        /\nmux-stop-hooks: the configuration has 1 error; correct the configuration and try again\n$/
      );
    }
  );
});

describe("clean (G18)", () => {
  test("moves logs and state to previous/, lists them, and resets the attempts, but not the failed gate (G20a)", async () => {
    const project = await brokenProject("max_retries: 0\n");
    await agentGauntlet(project, "run");
    const { code, stdout, stderr } = await agentGauntlet(project, "clean");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const moved = [
      ".check_cache.json",
      ".execution_state",
      "check_src_ok.1.log",
      "console.1.log",
      "report.1.json",
    ];
    expect(stdout).toBe(
      [
        `Moved 5 files to ${project.path("gauntlet_logs/previous")}:`,
        ...moved.map((name) => `  - ${name}`),
        "Dropped: check:src:ok failed earlier; this failure no longer counts.",
        "",
      ].join("\n")
    );
    expect(await project.logs()).toEqual(["previous"]);
    expect(await project.logs("gauntlet_logs/previous")).toEqual(moved);
    const again = await agentGauntlet(project, "run");
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("[FAIL]  check:src:ok");
  });

  test("works with an invalid or missing configuration (G24)", async () => {
    const project = await brokenProject();
    await agentGauntlet(project, "run");
    await project.write(".gauntlet/config.yml", "entry_points: 3\n");
    expect((await agentGauntlet(project, "clean")).stdout).toContain("Moved 5 files to ");
    await project.write(".gauntlet/config.yml", `base_branch: main\n${CONFIG}`);
    await agentGauntlet(project, "run");
    await project.remove(".gauntlet");
    expect((await agentGauntlet(project, "clean")).stdout).toContain("Moved 5 files to ");
    expect((await agentGauntlet(project, "clean")).code).toBe(1);
  });

  test.each([
    ["that of a valid configuration", "", "build/logs"],
    [
      "the default one if the configuration is invalid",
      "entry_points: 3\n",
      ".git/agent-gauntlet/logs",
    ],
  ])("moves the files of the log folder: %s (G24)", async (_, broken, logs) => {
    const project = await GauntletProject.create(`log_dir: build/logs\n${broken || CONFIG}`, CHECK);
    await project.write(`${logs}/console.1.log`, "x");
    const { stdout } = await agentGauntlet(project, "clean");
    expect(stdout).toContain(`Moved 1 file to ${project.path(logs)}/previous:\n`);
  });

  test("prints that there is nothing to clean, and creates no folder", async () => {
    const project = await changedProject();
    const nothing = { code: 0, stdout: "There is nothing to clean.\n", stderr: "" };
    expect(await agentGauntlet(project, "clean")).toEqual(nothing);
    expect(await project.logs(".")).not.toContain("gauntlet_logs");
    await mkdir(project.path("gauntlet_logs"));
    await project.write("gauntlet_logs/notes.txt", "mine");
    expect(await agentGauntlet(project, "clean")).toEqual(nothing);
    expect(await project.logs()).toEqual(["notes.txt"]);
    await project.remove("gauntlet_logs");
    await project.write("gauntlet_logs", "mine");
    const { code, stderr } = await agentGauntlet(project, "clean");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^mux-stop-hooks: \S+ cannot be moved: .*\n$/);
    expect(await project.read("gauntlet_logs")).toBe("mine");
  });
});

describe("detect (G30b)", () => {
  test("lists the changes with names that control no terminal, and the gates that would run, and writes nothing (G8)", async () => {
    const project = await GauntletProject.create(CONFIG, CHECK);
    const none = await agentGauntlet(project, "detect");
    expect(none).toMatchObject({ code: 0, stdout: "Found 0 changed files\nNo gate would run.\n" });
    await project.write("README.md", "x");
    const other = await agentGauntlet(project, "detect");
    expect(other.stdout).toBe(
      "Found 1 changed files:\n  - README.md\n\nNo gate would run: no gates match the changed files.\n"
    );
    for (const name of ["a\nb", "\u001b]0;gotcha\u0007", "\u202etxt.exe", "ä 🎉"]) {
      await project.write(`src/${name}`, "x");
    }
    const before = await project.git("status", "--porcelain", "--ignored");
    const exclude = await project.read(".git/info/exclude");
    const { code, stdout, stderr } = await agentGauntlet(project, "detect");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [found, ...files] = stdout.split("\n");
    expect(found).toBe("Found 5 changed files:");
    expect(files.splice(0, 5).sort()).toEqual([
      ...["  - README.md", "  - src/\\u001b]0;gotcha\\u0007", "  - src/\\u202etxt.exe"],
      ...["  - src/a\\nb", "  - src/ä 🎉"],
    ]);
    const gate = "  check:src:ok  test ! -e bad || { echo bad is there; exit 3; }";
    expect(files).toEqual(["", "Would run:", gate, ""]);
    expect(await project.git("status", "--porcelain", "--ignored")).toBe(before);
    expect(await project.read(".git/info/exclude")).toBe(exclude);
    expect(await project.git("for-each-ref", "refs/worktree")).toBe("");
  });

  test("lists an unresolved gate with its rerun_command, also on another branch, and none after a pass (G4, G7a, G19a)", async () => {
    const project = await GauntletProject.create(`max_retries: 0\n${CONFIG}`, {
      ok: "command: test ! -e bad\nrerun_command: test ! -e bad && true\n",
    });
    await project.write("src/bad", "x");
    const detected = async () => (await agentGauntlet(project, "detect")).stdout;
    expect(await detected()).toContain("Would run:\n  check:src:ok  test ! -e bad\n");
    await agentGauntlet(project, "run");
    expect(await detected()).toContain("Would run:\n  check:src:ok  test ! -e bad && true\n");
    await project.git("switch", "--quiet", "--create", "other");
    expect(await detected()).toContain("Would run:\n");
    await project.git("switch", "--quiet", "work");
    await project.remove("src/bad");
    expect(await detected()).toMatch(/^Found 0 changed files\nWould run:\n {2}check:src:ok/);
    await project.write("src/good", "x");
    await agentGauntlet(project, "run");
    expect(await detected()).toBe(
      "Found 1 changed files:\n  - src/good\n\nNo gate would run: every gate has passed on these files.\n"
    );
  });

  test("compares with what -u, -c and -b select (G7)", async () => {
    const project = await changedProject();
    await project.commit("one");
    await project.write("src/two.txt", "x");
    const paths = async (...args: string[]) => {
      const { stdout } = await agentGauntlet(project, ["detect", ...args]);
      return stdout.match(/^ {2}- .*/gm);
    };
    expect(await paths()).toEqual(["  - src/new.txt", "  - src/two.txt"]);
    expect(await paths("-u")).toEqual(["  - src/two.txt"]);
    expect(await paths("-c", "HEAD")).toEqual(["  - src/new.txt"]);
    expect(await paths("-b", "work")).toEqual(["  - src/two.txt"]);
    const unknown = await agentGauntlet(project, "detect -b nope");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('there is no branch or commit "nope"');
  });

  test("prints one line and exits with 1 if the folder is not a repository (G8)", async () => {
    const project = await changedProject();
    await project.remove(".git");
    const { code, stdout, stderr } = await agentGauntlet(project, "detect");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^mux-stop-hooks: .*is not in a git repository.*\n$/);
  });
});

const MORE = `entry_points:
  - path: src
    exclude: ['*.md']
    checks: [ok]
    reviews: [{ cq: { builtin: code-quality, enabled: false } }]
  - path: docs
`;

test("list shows entry points and gates, with their commands and where they are defined (G30b)", async () => {
  const project = await GauntletProject.create(MORE, {
    ok: "command: npm test\nparallel: true\nrun_in_ci: false\nrun_locally: false\n",
  });
  const { code, stdout } = await agentGauntlet(project, "list");
  expect(code).toBe(0);
  expect(stdout.replaceAll(/ {2,}/g, "  ")).toBe(
    `Gauntlet of ${project.dir}
base branch main, logs in gauntlet_logs/, at most 4 attempts per turn

src  excludes *.md
  check  ok  parallel, not in CI, not locally  npm test  .gauntlet/checks/ok.yml:1
  review  cq  turned off, parallel  built-in prompt code-quality  .gauntlet/config.yml:6

docs
  no gates
`
  );
});

describe("validate (G5)", () => {
  test("prints one line with counts if the configuration is valid, and warns about an invalid variable (G6)", async () => {
    const project = await changedProject();
    const stdout = `The configuration of ${project.dir} is valid: 1 entry point, 1 check, 0 reviews.\n`;
    expect(await agentGauntlet(project, "validate")).toEqual({ code: 0, stdout, stderr: "" });
    const env = { GAUNTLET_STOP_HOOK_ENABLED: "perhaps" };
    const warned = await agentGauntlet(project, "validate", { env });
    expect(warned.code).toBe(0);
    expect(warned.stdout).toContain("GAUNTLET_STOP_HOOK_ENABLED is ignored");
  });

  test("treats an unknown key as an error, and a run treats it as a warning", async () => {
    const project = await GauntletProject.create(`max_retrys: 1\n${CONFIG}`, CHECK);
    expect((await agentGauntlet(project, "validate")).code).toBe(1);
    const run = await agentGauntlet(project, "run");
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("max_retrys: unknown key (ignored)");
  });
});

describe("status (G30b)", () => {
  test("reports that there was no run, and no unresolved gates after a pass", async () => {
    const project = await changedProject();
    expect(await agentGauntlet(project, "status")).toEqual({
      code: 0,
      stdout: 'There is no record of a run. Run "mux-stop-hooks run" to check the changed files.\n',
      stderr: "",
    });
    await agentGauntlet(project, "run");
    const { stdout } = await agentGauntlet(project, "status");
    expect(stdout).toMatch(
      /^Last run: passed.*\nAttempts: 0 of 4 used\nNo gates are unresolved\.\n$/
    );
  });

  test("shows time, branch, attempts used, and the unresolved gate with its log of the last run that exists", async () => {
    const project = await brokenProject();
    await agentGauntlet(project, "run");
    const logs = await project.logs();
    const { code, stdout } = await agentGauntlet(project, "status");
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(
        /^Last run: failed, 1 gate run, on branch work, (?:\d+ milliseconds?|\d+ seconds?) ago \(\d{4}-\d\d-\d\dT[\d:.]+Z\)$/
      ),
      "Attempts: 0 of 4 used",
      "Unresolved: 1 gate",
      "  check:src:ok",
      `      Log: ${project.path("gauntlet_logs/check_src_ok.1.log")}`,
      "",
    ]);
    expect(await project.logs()).toEqual(logs);
    await agentGauntlet(project, "run -u -g ok");
    const named = async () => (await agentGauntlet(project, "status")).stdout;
    expect(await named()).toContain("check_src_ok.2.log");
    await project.remove("gauntlet_logs/report.2.json");
    expect(await named()).toContain("check_src_ok.1.log");
    await project.remove("gauntlet_logs/check_src_ok.1.log");
    expect(await named()).toMatch(/\n {2}check:src:ok\n$/);
  });

  test("shows that all attempts are used, that the branch changed, and no last run after a clean", async () => {
    const project = await brokenProject("max_retries: 0\n");
    await stopAt(project);
    const spent = await agentGauntlet(project, "status");
    expect(spent.stdout).toContain("Attempts: 1 of 1 used\n");
    await project.git("switch", "--quiet", "--create", "other");
    const moved = await agentGauntlet(project, "status");
    expect(moved.stdout).toContain(
      "The current branch is other, so the next run moves the results of earlier runs away and starts over.\n"
    );
    await agentGauntlet(project, "clean");
    const cleaned = await agentGauntlet(project, "status");
    expect(cleaned.stdout).toContain("Last run: none since the last clean\n");
  });

  test.each([
    ["a state of the existing tool", '{"last_run_completed_at":"2020-01-01T00:00:00Z"}'],
    ["hostile values", '{"branch":"a\\u001b[2J\\nb","open":["x\\ny"],"attempt":1e9}'],
  ])("shows %s safely", async (_, state) => {
    const project = await changedProject();
    await project.write("gauntlet_logs/.execution_state", state);
    await project.write("gauntlet_logs/report.7.json", '{"gates":[null,{"jobId":3},"x"]}');
    const { code, stdout, stderr } = await agentGauntlet(project, "status");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Last run: unknown status/);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toMatch(/^(y|b)/m);
  });

  test("warns about a state that cannot be read", async () => {
    const project = await changedProject();
    await project.write("gauntlet_logs/.execution_state", "{");
    const { code, stdout, stderr } = await agentGauntlet(project, "status");
    expect(code).toBe(0);
    expect(stdout).toContain("There is no record of a run.");
    expect(stderr).toMatch(
      /^Warning: \S+\.execution_state is ignored, so the results of earlier runs do not count: /
    );
  });
});

test.each(["pause", "resume"])("%s names a record that cannot be changed (G42)", async (name) => {
  const project = await changedProject();
  await project.write(".git/agent-gauntlet", "a file");
  const { code, stderr } = await agentGauntlet(project, name, { tty: true });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^mux-stop-hooks: \S+\/\.git\/agent-gauntlet\/\S+ cannot be changed: /);
});
