/** Files that change while the checks of a stop run (G20c). */
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";

const limitMs = 10_000;
const stop = (project: GauntletProject) => stopAt(project, { limitMs, sessionId: "s" });

/** Creates a project whose check counts its starts, with a change that is not checked. */
async function projectWith(command: string, entryPoint = "."): Promise<GauntletProject> {
  const config = `entry_points:\n  - path: ${entryPoint}\n    checks: [suite]\n`;
  const text = `cd "$(git rev-parse --show-toplevel)"; echo start >> .git/starts; ${command}`;
  const project = await GauntletProject.create(config, {
    suite: `command: ${JSON.stringify(text)}\n`,
  });
  await project.write("README.md", "old\n");
  await project.commit("readme");
  await project.write("src/a.txt", "b\n");
  return project;
}

const starts = async (project: GauntletProject): Promise<number> =>
  (await project.read(".git/starts")).split("\n").length - 1;

test("a check that does not end when it runs again has not failed (G20c)", async () => {
  const project = await projectWith(
    "test -e .git/late && sleep 400; touch .git/late; date +%N > README.md"
  );
  const { result, personMessage } = await stop(project);
  expect(result.status).toBe("passed");
  expect(personMessage).toContain("1 file has changed since");
  expect(await starts(project)).toBe(2);
});

test("a check that takes more than half of the time does not run again, and passes; what it writes twice in a row is an output (G20c)", async () => {
  const project = await projectWith("date +%N > report.xml; sleep 6");
  const first = await stop(project);
  expect(first.result).toMatchObject({ status: "passed", unstable: ["report.xml"] });
  expect(first.personMessage).toMatch(
    /^all gates passed: verified at \d\d:\d\d:\d\d; 1 file has changed since, which the next stop checks\nfiles that changed while the checks ran: report\.xml$/
  );
  expect(await starts(project)).toBe(1);
  expect(await project.state()).toMatchObject({ open: [], baselines: {} });
  const { result, personMessage } = await stop(project);
  expect(result).not.toHaveProperty("unstable");
  expect(personMessage).toContain('the check "suite" writes report.xml');
  expect(await starts(project)).toBe(2);
  expect((await stop(project)).result.status).toBe("no_changes");
});
