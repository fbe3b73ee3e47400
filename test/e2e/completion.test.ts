/** Shell completion of `mux-stop-hooks` (G30b). */
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { has } from "@scripts/programs.mjs";
import { agentGauntletBin } from "@test/helpers/freshBuild";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { writeExecutable } from "@test/helpers/gitProject";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

const CONFIG = "entry_points:\n  - path: .\n    checks: [lint, lines, 'a b$(touch x)']\n";
const TRUE = "command: 'true'\n";

async function gates(): Promise<GauntletProject> {
  return await GauntletProject.create(CONFIG, { lint: TRUE, lines: TRUE, "a b$(touch x)": TRUE });
}

test.each([
  [["st"], ["status", "stop-hook"]],
  [
    ["completion", ""],
    ["bash", "zsh"],
  ],
  [["init", "--hook", "kim"], ["kimi"]],
  [["run", "--fo"], ["--force"]],
  [["run", "-b", "st"], []],
  [["help", "known"], ["known"]],
  [["known", "r"], ["record"]],
  [["nothing", ""], []],
])("completes %j", async (words, expected) => {
  const args = ["completion", "candidates", "--", ...words];
  const { code, stdout } = await agentGauntlet({ dir: await tempDir() }, args);
  expect({ code, found: stdout.split("\n").filter(Boolean) }).toEqual({ code: 0, found: expected });
});

test("its script for bash completes the gates that a shell would not change, and a command of hooks", async () => {
  const project = await gates();
  const { stdout: script } = await agentGauntlet(project, "completion bash");
  const folder = await tempDir();
  writeExecutable(`${folder}/mux-stop-hooks`, `exec node "${agentGauntletBin}" "$@"`);
  const complete = `${script}
COMP_WORDS=(mux-stop-hooks run --gate "") COMP_CWORD=3; _mux_stop_hooks; echo "\${COMPREPLY[*]}"
COMP_WORDS=(mux-stop-hooks hooks va) COMP_CWORD=2; _mux_stop_hooks; echo "\${COMPREPLY[*]}"`;
  const env = { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH ?? ""}` };
  const { stdout } = await execFileAsync("bash", ["-c", complete], { cwd: project.dir, env });
  expect(stdout).toBe("lint lines\nvalidate\n");
});

test.skipIf(!has("zsh"))("its script for zsh is valid", async () => {
  const { stdout } = await agentGauntlet({ dir: await tempDir() }, "completion zsh");
  const file = `${await tempDir()}/_mux-stop-hooks`;
  await writeFile(file, stdout);
  await execFileAsync("zsh", ["-n", file]);
});
