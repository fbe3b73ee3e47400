/** The jobs of one run, distributed over two hosts by GNU parallel. */
import { spawnSync } from "node:child_process";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { BuildHosts } from "@test/helpers/host/buildHosts";
import { agentGauntletBin, ensureBuilt } from "@test/helpers/built";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { has } from "@scripts/programs.mjs";
import { hasSshd } from "@test/helpers/remote/sshd";
import { tempDir } from "@test/helpers/tempDir";

const NAMES = ["one", "two", "three", "four", "five", "six"];
const CONFIG = `entry_points:\n  - path: src\n    checks: [${NAMES.join(", ")}]\n`;
const RUN = "MUX_HOOKS_TRUST=always mux-stop-hooks run --job {} --job-total 3 --json ::: 0 1 2";

let env: Record<string, string>;

beforeAll(async () => {
  await ensureBuilt();
  const bin = await tempDir();
  await symlink(agentGauntletBin, join(bin, "mux-stop-hooks"));
  const path = `${bin}:${process.env.PATH ?? ""}`;
  const home = await tempDir();
  env = {
    PATH: path,
    HOME: home,
    PARALLEL_HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    MUX_HOOKS_TRUST: "always",
  };
}, 120_000);

/** Creates a project on branch `work` with everything committed. The check `two` fails. */
async function committedProject(): Promise<GauntletProject> {
  const checks = NAMES.map(
    (name) => [name, `command: ${name === "two" ? "exit 3" : "echo ok"}\n`] as const
  );
  const project = await GauntletProject.create(CONFIG, Object.fromEntries(checks));
  // A clone has the branch only as origin/main.
  await project.write(".gauntlet/config.yml", `base_branch: origin/main\n${CONFIG}`);
  await project.write("src/new.txt", "x");
  await project.commit("work");
  return project;
}

function shell(line: string, more: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", line], {
    env: { ...env, ...more },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function verdictOf(stdout: string) {
  const { status, gates } = JSON.parse(stdout) as RunResult;
  return { status, gates: gates.map(({ jobId, outcome }) => [jobId, outcome]) };
}

/** Returns the verdict of one run in a new clone. */
async function wholeRun({ dir }: GauntletProject) {
  const clone = join(await tempDir(), "whole");
  const { stdout } = shell(
    `git clone -q ${dir} ${clone} && cd ${clone} && mux-stop-hooks run --json`
  );
  return verdictOf(stdout);
}

describe.runIf(has("parallel") && hasSshd)(
  "shards that GNU parallel starts on two hosts over SSH",
  () => {
    let hosts: BuildHosts;
    beforeAll(async () => {
      hosts = await BuildHosts.start(["one", "two"], { PATH: env.PATH ?? "" });
    });
    afterAll(async () => {
      await hosts.dispose();
    });

    const spread = (rest: string) => `parallel --jobs 1 --sshlogin one,two --workdir slug ${rest}`;

    test("run on both hosts, and merge into the verdict of one run", async () => {
      const project = await committedProject();
      await hosts.clone(project.dir, "slug");
      const { status, stdout, stderr } = shell(
        `${spread(RUN)} | mux-stop-hooks merge - --json`,
        hosts.env
      );
      expect(status, stderr).toBe(1);
      expect(verdictOf(stdout)).toEqual(await wholeRun(project));
      expect(stderr).toMatch(/\[FAIL\] {2}check:src:two .* - Exited with code 3\n {6}Log: \//);
      for (const home of hosts.homes) {
        expect(await readdir(join(home, "slug/.git/agent-gauntlet/logs"))).toContain(
          ".execution_state"
        );
      }
    });

    test("are rejected if one host has other files", async () => {
      const [first = ""] = hosts.homes;
      await mkdir(join(first, "slug/src/more"), { recursive: true });
      shell(`echo y > ${first}/slug/src/more/y.txt`);
      const { status, stdout } = shell(
        `${spread(RUN)} 2>/dev/null | mux-stop-hooks merge - --json`,
        hosts.env
      );
      expect(status).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        status: "error",
        errorMessage: expect.stringContaining("checked different files from line") as string,
      });
    });

    test("are reported as missing if the host cannot be reached", () => {
      const line = `parallel --jobs 1 --sshlogin nobody@127.0.0.1 --workdir slug ${RUN}`;
      const { status, stderr } = shell(`${line} 2>/dev/null | mux-stop-hooks merge -`, hosts.env);
      expect(status).toBe(1);
      expect(stderr).toBe("there is no result to merge; the changes were not verified\n");
    });
  }
);
