import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt, hookProgram } from "@test/helpers/built";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";
import {
  agentGauntlet,
  badProject,
  expectApproved,
  goodProject,
  sendToHook,
  stop,
  stopInOwnProcess,
} from "@test/requirements/rig";

beforeAll(ensureBuilt);

describe("Design of the command", () => {
  test("Installed for one user, with 300 seconds and no matcher", async () => {
    const project = await badProject();
    const { code } = await agentGauntlet(project, ["init", "--yes", "--hook", "claude"]);
    expect(code).toBe(0);
    const stop = {
      ...{
        type: "command",
        command: `${hookProgram} stop-hook --verify --host claude --limit 300`,
      },
      ...{ timeout: 300, statusMessage: "gauntlet: ok" },
    };
    const turnStart = { type: "command", command: `${hookProgram} turn-start` };
    expect(JSON.parse(await project.read(".claude/settings.local.json"))).toEqual({
      hooks: {
        Stop: [{ hooks: [stop] }],
        UserPromptSubmit: [{ hooks: [turnStart] }],
      },
    });
    expect(await project.logs(".claude")).toEqual(["settings.local.json"]);
  });

  test("Input ends with a complete object, even if stdin stays open", async () => {
    const project = await badProject();
    const input = JSON.stringify({ cwd: project.dir, stop_hook_active: false }, null, 2);
    for (const stdin of [input, `${input}\n`, `\n${input}\r\n`]) {
      await project.write("src/new.txt", stdin);
      const { response } = await sendToHook(project, stdin, { endsStdin: false });
      expect(response.decision).toBe("block");
    }
  });

  test("Input ends with stdin, even without a newline", async () => {
    const project = await badProject();
    const { response } = await sendToHook(project, '{"stop_hook_active": false}');
    expect(response.decision).toBe("block");
    expectApproved(await sendToHook(project, '{"cwd": "/'), "invalid_input", /./);
  });

  test("Waits at most 5 seconds for input on stdin", async () => {
    const project = await badProject();
    const stopped = await sendToHook(project, "", { endsStdin: false });
    expectApproved(stopped, "invalid_input", /could not be parsed/);
  });

  test("Messages for users go to stderr, with a prefix on each line", async () => {
    const project = await badProject("stop_hok: {}\n");
    const { stdout, stderr, response } = await stopInOwnProcess(project);
    expect(stdout).toBe(`${JSON.stringify(response)}\n`);
    const lines = stderr.trimEnd().split("\n");
    for (const line of lines) expect(line).toMatch(/^\[gauntlet\] /);
    expect(stderr).toContain('did you mean "stop_hook"?');
    expect(lines.at(-1)).toBe(`[gauntlet] ${response.message}`);
  });

  test("Logs the steps of a stop on stderr", async () => {
    const stepsOf = async (project: GauntletProject, input = {}): Promise<string[]> => {
      const lines = (await stop(project, input)).stderr.trimEnd().split("\n");
      return lines.slice(0, -1).map((line) => line.replace("[gauntlet] ", ""));
    };
    const [started, running] = ["Starting gauntlet validation...", "Running gauntlet gates..."];
    const bad = await badProject();
    expect(await stepsOf(bad)).toEqual([started, running, "Gauntlet failed, blocking stop"]);
    expect(await stepsOf(await goodProject())).toEqual([started, running, "Gauntlet passed!"]);
    const active = "Stop hook already active, allowing stop";
    expect(await stepsOf(bad, { stop_hook_active: true })).toEqual([started, active]);
    const last = await badProject("max_retries: 0\n");
    const limit = "Termination condition met, allowing stop";
    expect(await stepsOf(last)).toEqual([started, running, limit]);
    await last.remove(".git");
    const broken = "Infrastructure error detected, allowing stop";
    expect(await stepsOf(last)).toEqual([started, broken]);
    const none = GauntletProject.at(await tempDir());
    expect(await stepsOf(none)).toEqual([started, "No gauntlet config found, allowing stop"]);
  });

  test("Three retries, and then the agent may stop", async () => {
    const project = await badProject();
    const decisions: string[] = [];
    for (let run = 1; run <= 5; run++) {
      await project.write("src/new.txt", `${run}`);
      decisions.push((await stop(project)).response.decision);
    }
    expect(decisions).toEqual(["block", "block", "block", "approve", "approve"]);
    const unchanged = await badProject();
    for (const expected of ["block", "block", "approve", "approve"]) {
      const { response } = await stop(unchanged);
      expect(response.decision).toBe(expected);
      if (expected === "approve") expect(response.status).toBe("retry_limit_exceeded");
    }
  });

  test("An unexpected failure never blocks", async () => {
    const project = GauntletProject.at(await tempDir());
    await project.write(".gauntlet/config.yml/a-folder", "x");
    const { response } = await stopInOwnProcess(project, { cwd: 3 });
    expect(response.decision).toBe("approve");
    const gone = project.path("gone");
    expect((await stopInOwnProcess(project, { cwd: gone })).response.decision).toBe("approve");
  });
});
