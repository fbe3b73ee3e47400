import { expect, test } from "vitest";
import { command, listProblems, SettingsProject } from "@test/helpers/hooks/settingsProject";

test("an event beside hooks is a warning with the next step (H2)", async () => {
  const project = await SettingsProject.create({ project: { Stop: [{ hooks: [command("x")] }] } });
  const settings = await project.load();
  expect(settings.hooks).toEqual([]);
  expect(listProblems(project, settings)).toEqual([
    'warning project/.mux/settings.json:2:3: Stop: "Stop" has no effect here; move it into "hooks", as in {"hooks": {"Stop": […]}}',
  ]);
});
