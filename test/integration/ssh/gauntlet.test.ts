/** The gauntlet of a project on another machine, over a real SSH connection (G1, G17). */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { RemoteSession } from "@/node/runtime/remote/RemoteShell";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import type { Called } from "@test/helpers/cliContext";
import { agentGauntlet, type CallOptions } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { CHECK, CONFIG } from "@test/helpers/gauntlet/projects";
import { farRuntime, LocalShell } from "@test/helpers/remote/localShell";
import { hasSshd } from "@test/helpers/remote/sshd";
import { shareSshd } from "@test/helpers/remote/sshSessions";
import { tempDir } from "@test/helpers/tempDir";
import { pathOf } from "@scripts/programs.mjs";

/** Another machine far away, which counts how often a run waits for an answer: sessions at the same time count once. */
class CountedShell extends LocalShell {
  trips = 0;

  override async open(line: string): Promise<RemoteSession> {
    const trip = this.trips + 1;
    // Whatever is sent at the same time leaves before an answer arrives.
    await delay(50);
    const session = await super.open(line);
    session.stdout.on("data", (answer: Buffer) => {
      if (/(-over| end)\n/.test(answer.toString())) this.trips = Math.max(this.trips, trip);
    });
    return session;
  }
}

const BUG = { file: "src/b.txt", line: 1, issue: "It is a bug.", priority: "high" };

test("the round trips of a run include the second snapshot, the session's count, and the mark of a pass (G19, G20c, G49)", async () => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  const change = async (text: string, time: string) => {
    await project.write("src/new.txt", text);
    await project.shell(`touch -d '${time}' src/new.txt`);
  };
  await change("x", "1 hour ago");
  await project.shell("find .gauntlet src/a.txt -exec touch -d '1 hour ago' {} +");
  await project.run();
  const shell = new CountedShell();
  const runtime = farRuntime(shell);
  const counts: [string, number][] = [];
  const run = async (): Promise<void> => {
    shell.trips = 0;
    const { status } = await executeRun({ runtime, projectDir: project.dir, env: {} });
    counts.push([status, shell.trips]);
  };
  await run();
  // git reads a file again that is as young as its index, and writes the index.
  await change("longer", "1 hour");
  await run();
  expect(counts).toEqual([
    ["no_changes", 12],
    ["passed", 31],
  ]);
});

describe.runIf(hasSshd)("over SSH", () => {
  const sshd = shareSshd({ env: { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null" } });

  /** Creates a project below the home of the other machine. */
  async function farProject(): Promise<GauntletProject> {
    const here = await GauntletProject.create(CONFIG, CHECK);
    await here.write("src/b.txt", "x\n");
    const dir = join(sshd().home, "a project");
    await cp(here.dir, dir, { recursive: true, preserveTimestamps: true });
    return GauntletProject.at(dir);
  }

  /** Calls the command with an ssh that reads the test's ssh_config as the user's own. */
  async function call(args: readonly string[], how: CallOptions = {}): Promise<Called> {
    const bin = await tempDir();
    const ssh = `#!/bin/sh\nexec ${pathOf("ssh")} -F '${sshd().config}' "$@"\n`;
    await writeFile(join(bin, "ssh"), ssh, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env.PATH ?? ""}`, ...how.env };
    return await agentGauntlet({ dir: await tempDir() }, args, { ...how, env });
  }

  test("commands work in a remote project, from a folder inside it (G30b)", async () => {
    const project = await farProject();
    const answer = JSON.stringify({
      ...{ type: "result", result: JSON.stringify({ status: "fail", violations: [BUG] }) },
      usage: { input_tokens: 1_000, output_tokens: 234 },
    });
    await project.script("review.sh", `cat > /dev/null; echo '${answer}'`);
    await project.write(
      ".gauntlet/config.yml",
      "base_branch: main\ncli:\n  default_preference: [mine]\n  commands: {mine: ./review.sh --now}\n" +
        "entry_points:\n  - path: src\n    checks: [ok]\n    reviews: [cq]\n"
    );
    await project.write(".gauntlet/reviews/cq.md", "---\n{}\n---\nLook for trouble.\n");
    const on = ["--workspace", `ssh://box${encodeURI(project.path("src"))}`];
    const reached = `--workspace ssh://box${encodeURI(project.dir)}"`;
    const untrusted = await call(["run", ...on], { env: { MUX_HOOKS_TRUST: "" } });
    expect(untrusted.stderr).toContain(`run "mux-stop-hooks trust ${reached} to see and allow`);
    const paused = await call(["pause", ...on], { tty: true });
    expect(paused.stdout).toContain(`run "mux-stop-hooks resume ${reached}`);
    await call(["resume", ...on]);
    const printed = async (command: string): Promise<string> => {
      const { code, stdout, stderr } = await call([command, ...on]);
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: "" });
      return stdout;
    };
    expect(await printed("validate")).toContain("is valid: 1 entry point, 1 check");
    expect(await printed("health")).toContain(`mine            ${project.path("review.sh")}`);
    expect(await printed("detect")).toContain("- src/b.txt\n");
    const ran = await call(["run", "--json", ...on]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("[PASS]  check:src:ok");
    expect(ran.stderr).toContain("[FAIL]  review:src:cq");
    const log = project.path("gauntlet_logs/check_src_ok.1.log");
    const result = JSON.parse(ran.stdout) as RunResult;
    expect(result).toMatchObject({
      status: "failed",
      consoleLogPath: project.path("gauntlet_logs/console.1.log"),
    });
    expect(result.gates.map(({ logPath }) => logPath)).toContain(log);
    expect(await project.read("gauntlet_logs/check_src_ok.1.log")).toContain("Result: passed");
    const status = await printed("status");
    expect(status).toContain("Last run: failed, 2 gates run");
    expect(status).toContain(project.path("gauntlet_logs/review_src_cq_mine@1.1.json"));
    expect(status).toContain("Calls of reviewers on this branch: mine 1 (1,234 tokens)\n");
    expect(await printed("clean")).toMatch(/^Moved \d files to /);
  });

  test("errors on the other machine are one line, and the exit code is 1", async () => {
    const empty = join(sshd().home, "nothing here");
    await mkdir(empty, { recursive: true });
    for (const [command, url, words] of [
      ["run", "ssh://nobody.invalid/x", /the host name nobody\.invalid cannot be resolved/],
      [
        ...["check", "ssh://box/nowhere/at/all"],
        /^mux-stop-hooks: the folder \/nowhere\/at\/all does not exist on ssh:\/\/box$/,
      ],
      [
        ...["run", `ssh://box${encodeURI(empty)}`],
        /no \.gauntlet\/config\.yml in .*nothing here on ssh:\/\/box/,
      ],
      ["run", "box:/x", /“box:\/x” is not an SSH workspace/],
    ] as const) {
      const { code, stdout, stderr } = await call([command, "--workspace", url]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^mux-stop-hooks: .*\n$/);
      expect(stderr.trimEnd()).toMatch(words);
    }
  });
});
