/**
 * `agent-gauntlet init` with the real tools that this machine has. `make test-tools` also installs tools, and runs the
 * hook.
 */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "@scripts/programs.mjs";
import { TOOL_PROJECTS, type ToolProject } from "@scripts/toolProjects.mjs";
import { InitProject } from "@test/helpers/gauntlet/initProject";

/** Returns whether the project needs no preparation, and its programs exist. */
function canRun({ programs, probe, linked, setup, python = [] }: ToolProject): boolean {
  if (linked !== undefined || setup !== undefined || python.includes("pytest")) return false;
  const hasPrograms = programs.every((name) => findProgram({ name }) !== undefined);
  return hasPrograms && (probe === undefined || spawnSync("sh", ["-c", probe]).status === 0);
}

/** The home of a test has no toolchain of Rust. */
const RUSTUP_HOME = process.env.RUSTUP_HOME ?? join(homedir(), ".rustup");

for (const tool of TOOL_PROJECTS) {
  test.runIf(canRun(tool)).concurrent(`proposes and tries the checks of ${tool.name}`, async () => {
    const project = await InitProject.create(tool.files);
    const { stdout } = await project.init({ yes: true }, { env: { RUSTUP_HOME } });
    for (const [name, command] of Object.entries(tool.checks)) {
      expect(stdout).toContain(`✓ ${name}: passed in `);
      expect(project.read(`.gauntlet/checks/${name}.yml`)).toContain(`\ncommand: ${command}\n`);
    }
  });
}
