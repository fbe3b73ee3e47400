import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";

test("git calls run no program that the environment names (H20a)", async () => {
  const project = await GauntletProject.create("entry_points:\n- path: .\n  checks: []\n");
  await project.write(".gitattributes", "* filter=spy\n");
  await project.write("src/a.txt", "changed\n");
  const marker = join(await tempDir(), "ran");
  const startup = join(project.dir, "startup.sh");
  await project.write("startup.sh", `touch '${marker}'\n`);
  const env = {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "filter.spy.clean",
    GIT_CONFIG_VALUE_0: `touch '${marker}'; cat`,
    GIT_CONFIG_PARAMETERS: `'filter.spy.clean'='touch ${marker}; cat'`,
    BASH_ENV: startup,
    ENV: startup,
  };
  const { stdout } = await agentGauntlet(project, ["detect"], { env });
  expect(stdout).toContain("  - src/a.txt");
  expect(existsSync(marker)).toBe(false);
});
