/** `mux-stop-hooks health` (G12a). */
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { writeExecutable } from "@test/helpers/gitProject";
import { tempDir } from "@test/helpers/tempDir";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: 'true'\n" };

async function pathWith(...programs: string[]): Promise<string> {
  const bin = await tempDir();
  for (const name of programs) {
    writeExecutable(join(bin, name), `#!/bin/sh\necho ran > "${bin}/ran"\n`);
  }
  return bin;
}

test("resolves each reviewer to its program, and starts none", async () => {
  const bin = await pathWith("claude", "copilot", "agent");
  // They are no programs.
  await mkdir(join(bin, "gemini"));
  await symlink("nowhere", join(bin, "codex"));
  const project = await GauntletProject.create(CONFIG, CHECK);
  const { code, stdout } = await agentGauntlet(project, "health", { env: { PATH: bin } });
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      "Reviewers",
      `  claude          ${bin}/claude`,
      "  codex           not found: codex is not on the PATH",
      "  gemini          not found: gemini is not on the PATH",
      `  github-copilot  ${bin}/copilot`,
      `  cursor          ${bin}/agent`,
      "  opencode        not found: opencode is not on the PATH",
      "  qwen            not found: qwen is not on the PATH",
      "",
    ].join("\n")
  );
  expect(await project.runtime.list(bin).then((names) => names.unwrapOr([]))).not.toContain("ran");
});

test("looks up the first word of a custom command, and lists the reviewers of an invalid configuration", async () => {
  const bin = await pathWith("mine");
  const project = await GauntletProject.create(
    [
      "cli:",
      "  commands:",
      "    own: mine --json",
      "    local: ./tools/review -x",
      "    gone: nope --json",
      "    shell: X=1 mine | cat",
      "    within: cd tools && ./review",
      CONFIG,
    ].join("\n"),
    CHECK
  );
  await project.script("tools/review", "true");
  const { stdout } = await agentGauntlet(project, "health", { env: { PATH: bin } });
  expect(stdout).toContain(`  own             ${bin}/mine\n`);
  expect(stdout).toContain(`  local           ${project.path("tools/review")}\n`);
  expect(stdout).toContain(
    "  gone            not found: nope, which the command nope --json starts"
  );
  expect(stdout).toContain(
    "  shell           X=1 mine | cat (a shell command, not searched for)\n" +
      "  within          cd tools && ./review (a shell command, not searched for)\n"
  );
  await project.write(".gauntlet/config.yml", "entry_points: 3\n");
  const invalid = await agentGauntlet(project, "health");
  expect(invalid.code).toBe(0);
  expect(invalid.stdout).toContain("  claude ");
  expect(invalid.stderr).toContain("the configuration has 1 error");
});
