/**
 * `mux-stop-hooks init` with the real tools that the tests need in any case. `make test-tools` also installs other tools,
 * and runs the hook.
 */
import { expect, test } from "vitest";
import { TOOL_PROJECTS } from "@scripts/toolProjects.mjs";
import { InitProject } from "@test/helpers/gauntlet/initProject";

/** The others need a program that the tests do not install; `make test-tools` has them. */
const HERE = TOOL_PROJECTS.filter(({ name }) => ["npm", "Make"].includes(name));

test("the projects of this file exist", () => {
  expect(HERE).toHaveLength(2);
});

for (const tool of HERE) {
  test.concurrent(`proposes and tries the checks of ${tool.name}`, async () => {
    const project = await InitProject.create(tool.files);
    const { stdout } = await project.init({ yes: true });
    for (const [name, command] of Object.entries(tool.checks)) {
      expect(stdout).toContain(`✓ ${name}: passed in `);
      const texts = Object.entries(project.files()).flatMap(([path, text]) =>
        path.startsWith(".gauntlet/") ? [text] : []
      );
      expect(texts.join("\n")).toContain(`: ${command}\n`);
    }
  });
}
