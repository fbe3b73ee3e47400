/** The Stop hook that version 0.1.0 installed, after an upgrade (docs/upgrading.md). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { doctor } from "@/cli/gauntlet/commands/doctor";
import type { JsonObject } from "@/common/json";
import { repository } from "@test/helpers/built";
import { testContext } from "@test/helpers/cliContext";
import { stopInProcess } from "@test/helpers/gauntlet/stopInProcess";
import { projectWith } from "@test/helpers/hooks/stopHookProject";
import { tempDir } from "@test/helpers/tempDir";

const CLAUDE = JSON.stringify({
  ...{ session_id: "s", transcript_path: "/home/me/.claude/projects/p/s.jsonl", prompt_id: "t" },
  ...{ hook_event_name: "Stop", stop_hook_active: false },
});

function inputOf(host: string, dir: string): string {
  if (host === "claude") return CLAUDE;
  const file = join(repository, "fixtures/agentHosts", host, "firstStop.json");
  return readFileSync(file, "utf8").replaceAll("/project", dir);
}

// One for each form of an answer: with all fields, with few, nested, and by exit code 2.
test.each(["claude", "codex", "vscode", "kimi"])(
  "%s: a stop says that the gates are not trusted, and after doctor --fix it blocks",
  async (host) => {
    const project = await projectWith("", ["src/bad"]);
    const home = await tempDir();
    const stopped = async (): Promise<string> => {
      // Without the options that later versions write.
      const place = { cwd: project.dir, home, args: ["--verify"], untrusted: true };
      const input = JSON.parse(inputOf(host, project.dir)) as JsonObject;
      const { stdout, stderr } = await stopInProcess(input, place);
      return stdout + stderr;
    };
    const before = await stopped();
    expect(before).toContain("not trusted");
    expect(before).toMatch(/mux-stop-hooks(?:\.cjs)? trust/);
    expect(before).not.toContain("check:src:ok");

    const env = { HOME: home, PATH: process.env.PATH };
    const context = testContext({ cwd: project.dir, home }, { env, tty: true });
    context.stdin.end("y\n");
    await doctor({ fix: true }, context);
    expect(context.stdout.text).toContain("Trusted from your next message on");
    expect(await stopped()).toContain("check:src:ok");
  }
);
