import { expect, test } from "vitest";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { muxHooks } from "@test/helpers/hooks/muxHooks";
import { RAW_CHARACTERS } from "@test/helpers/rawCharacters";

const HOSTILE = "(\u001b]0;owned\u0007\u009b2J\u202e\u200b\u{e0041}";

test.each([["list"], ["list", "--json"], ["validate"], ["doctor", "--mux", "/nowhere"]])(
  "mux-hooks %s %s shows a hostile matcher of a checkout as escapes (H20a)",
  async (...args) => {
    const project = await HookProject.create();
    const group = { matcher: HOSTILE, hooks: [{ type: "command", command: HOSTILE }] };
    await project.write(
      ".mux/settings.json",
      JSON.stringify({ hooks: { SubagentStop: [group], Stop: [{ ...group }] } })
    );
    const { stdout, stderr } = await muxHooks(project, args, { env: { MUX_HOOKS_TRUST: "" } });
    expect(`${stdout}${stderr}`).not.toMatch(RAW_CHARACTERS);
  }
);

test.each([["validate"], ["list"], ["detect"], ["status"], ["run"]])(
  "agent-gauntlet %s shows a hostile configuration as escapes (H20a)",
  async (...args) => {
    const project = await HookProject.create();
    await project.write(
      ".gauntlet/config.yml",
      `base_branch: main\nentry_points:\n- path: .\n  checks:\n  - "a\u202e\u200b\u{e0041}": {command: "true"}\n`
    );
    const { stdout, stderr } = await agentGauntlet(project, args);
    expect(`${stdout}${stderr}`).not.toMatch(RAW_CHARACTERS);
  }
);
