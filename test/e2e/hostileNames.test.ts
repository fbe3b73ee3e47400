/** Every command, with names of a checkout that imitate lines, hide text or move the cursor (H20a). */
import { describe, expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { HookProject } from "@test/helpers/hooks/hookProject";
import { muxHooks, writeTurns } from "@test/helpers/hooks/muxHooks";
import { restoring } from "@test/helpers/restoring";
import { RAW_CHARACTERS } from "@test/helpers/rawCharacters";

const FORGED = "Stop: npm test --silent";
const HOSTILE = `evil\n${FORGED}\n\r\u001b[8m\u001b[2K\u202ename`;

/** Returns the words of each command, with the hostile name in place of `NAME`. */
function words(...lines: readonly string[]): string[][] {
  const commands = lines.flatMap((line) => line.split(", "));
  return commands.map((line) => line.split(" ").map((word) => word.replace("NAME", HOSTILE)));
}

/** Checks that each line is ours and shows everything. */
function expectHonest({ stdout, stderr }: { stdout: string; stderr: string }): void {
  const text = stdout + stderr;
  expect(text).not.toMatch(RAW_CHARACTERS);
  expect(text.split("\n").filter((line) => line.startsWith(FORGED))).toEqual([]);
}

async function hookProject(): Promise<HookProject> {
  const project = await HookProject.create({ name: HOSTILE });
  const hook = { type: "command", command: `: ${HOSTILE}`, statusMessage: HOSTILE };
  const hooks = { Stop: [{ hooks: [hook] }], SubagentStop: [{ matcher: HOSTILE, hooks: [hook] }] };
  await project.write(".mux/settings.json", JSON.stringify({ hooks, [HOSTILE]: HOSTILE }));
  await project.write(".mux/stop", "#!/bin/sh\nexit 0\n", 0o755);
  await project.write(".claude/settings.json", JSON.stringify({ hooks }));
  return project;
}

describe("mux-hooks", () => {
  test.each(
    words(
      "list, list --json, validate, test Stop, test SubagentStop --json, trust --show, trust --yes",
      "trust --revoke, trust, import, import --yes, disable project:Stop[0], disable NAME",
      "enable project:Stop[0], log, log --json, doctor --mux /nowhere, doctor --mux NAME",
      "desktop status --app NAME, list --project /nowhere/NAME, NAME"
    )
  )("%s %s", async (...args) => {
    const project = await hookProject();
    for (const env of [{ MUX_HOOKS_TRUST: "" }, {}]) {
      expectHonest(await muxHooks(project, args, { env }));
    }
  });

  test("each command with settings that do not parse", async () => {
    const project = await hookProject();
    await project.write(".mux/settings.json", `{"${HOSTILE.slice(0, 4)}": ${FORGED}`);
    for (const command of ["list", "validate", "doctor", "import", "log", "trust"]) {
      expectHonest(await muxHooks(project, [command]));
    }
  });

  test("run", async () => {
    const project = await hookProject();
    const script = await writeTurns(project, "turns: [Done.]");
    expectHonest(await muxHooks(project, ["run", "--script", script, "Please."]));
  });
});

const config = `entry_points:\n  - path: src\n    checks: [${JSON.stringify(HOSTILE)}]\n`;

const gauntletProject = restoring(async () => {
  const project = await GauntletProject.create(
    config,
    { ok: "command: exit 3\n" },
    { name: HOSTILE }
  );
  await project.write(`src/${HOSTILE}`, "x");
  await project.git("switch", "--quiet", "--create", "next");
  return project;
});

test.each(
  words(
    "run, run --json, check, review, detect, list, validate, status, health, doctor, clean, skip",
    "undo-fix, pause, resume, known list, known record, plan, init --yes --hook codex",
    "init --dry-run, uninstall, run --gate NAME, NAME"
  )
)("agent-gauntlet %s %s", async (...args) => {
  const project = await gauntletProject();
  expectHonest(await agentGauntlet(project, args));
  await project.write(
    ".gauntlet/config.yml",
    `entry_points:\n  - path: ${JSON.stringify(HOSTILE)}`
  );
  expectHonest(await agentGauntlet(project, args));
});
