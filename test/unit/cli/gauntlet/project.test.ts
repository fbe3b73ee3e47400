import { expect, test } from "vitest";
import { EXIT } from "@/cli/context";
import { withPutAwayPlace } from "@/cli/gauntlet/project";
import { testContext } from "@test/helpers/cliContext";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { tempDir } from "@test/helpers/tempDir";

/** Returns the log folder whose files `clean` moves. */
async function placeOf(project: GauntletProject): Promise<string> {
  let logDir = "";
  const context = testContext({ cwd: project.dir, home: await tempDir() });
  const code = await withPutAwayPlace(context, (place) => {
    ({ logDir } = place);
    return Promise.resolve(EXIT.ok);
  });
  expect({ code, stderr: context.stderr.text }).toEqual({ code: EXIT.ok, stderr: "" });
  return logDir;
}

const GATES = "entry_points:\n- path: .\n  checks: []\n";

test("withPutAwayPlace has the log folder of a valid configuration (G24)", async () => {
  const project = await GauntletProject.create(`log_dir: build/logs\n${GATES}`);
  expect(await placeOf(project)).toBe(project.path("build/logs"));
});

test("withPutAwayPlace has the default log folder if the configuration is invalid (G24)", async () => {
  const project = await GauntletProject.create("log_dir: build/logs\nentry_points: 3\n");
  expect(await placeOf(project)).toBe(project.path(".git/agent-gauntlet/logs"));
});
