/** Removes the lines with the default log folder that an earlier `init` wrote (G29). */
import { expect, test } from "vitest";
import { InitProject, typing } from "@test/helpers/gauntlet/initProject";

const OLD = {
  ".gauntlet/config.yml":
    'base_branch: main\n\n# The folder of the logs. Git ignores it.\nlog_dir: gauntlet_logs\n\n# The gates\nentry_points:\n  - path: "."\n    checks: [test, mine]\n',
  ".gauntlet/checks/test.yml":
    "# package.json\ncommand: mkdir -p gauntlet_logs && npm test -- --test-reporter-destination=gauntlet_logs/test.junit.xml\nfindings: junit:gauntlet_logs/test.junit.xml\n",
  ".gauntlet/checks/mine.yml":
    "command: cp a.xml gauntlet_logs/\nfindings: junit:gauntlet_logs/*.xml\n",
};
const NEW = {
  ".gauntlet/config.yml":
    'base_branch: main\n\n# The gates\nentry_points:\n  - path: "."\n    checks: [test, mine]\n',
  ".gauntlet/checks/test.yml":
    '# package.json\ncommand: npm test -- --test-reporter-destination="${GAUNTLET_REPORT:-/dev/null}"\nfindings: junit\n',
  ".gauntlet/checks/mine.yml": OLD[".gauntlet/checks/mine.yml"],
};

test("the log folder that an earlier init wrote is removed by --fix, with the reports there, and nothing else; init asks, or names the command (G29)", async () => {
  const project = await InitProject.create(OLD);
  const named = /wrote into .gauntlet\/config.yml that .* doctor --fix" to remove that/;
  expect((await project.doctor()).stdout).toMatch(named);
  expect((await project.init({ yes: true })).stdout).toContain('doctor --fix" to remove that');
  expect(project.files()).toMatchObject(OLD);
  await project.doctor({ fix: true });
  expect(project.files()).toMatchObject(NEW);
  const again = await project.doctor({ fix: true });
  expect(again.stdout).toContain("--fix found nothing to update.");
  expect(again.stdout).not.toContain("gauntlet_logs");
  project.write(OLD);
  await project.init({ hook: ["none"] }, typing("\r", "(y/n)", "y\n"));
  expect(project.files()).toMatchObject(NEW);
});
