/** The line for agents in AGENTS.md or CLAUDE.md (G29). */
import { expect, test } from "vitest";
import { editSettings } from "@/cli/settingsFile";
import { noteRemovals, planNote } from "@/cli/gauntlet/init/agentNote";
import { InitProject } from "@test/helpers/gauntlet/initProject";

const NOTE =
  "To check your work, run `mux-stop-hooks run`. If it passes and no file changes after it, your next stop does not run the gates again.";

test.each([
  ["a new file", {}, "AGENTS.md", `${NOTE}\n`],
  ["AGENTS.md", { "AGENTS.md": "# A\n", "CLAUDE.md": "# C\n" }, "AGENTS.md", `# A\n\n${NOTE}\n`],
  ["CLAUDE.md", { "CLAUDE.md": "# C" }, "CLAUDE.md", `# C\n\n${NOTE}\n`],
  ["CRLF", { "CLAUDE.md": "# C\r\n" }, "CLAUDE.md", `# C\r\n\r\n${NOTE}\r\n`],
] as const)("goes to %s, and uninstall restores it (G29)", async (_, files, name, text) => {
  const project = await InitProject.create({ "a.txt": "a\n", ...files });
  const before = project.files();
  const note = await planNote(project.place(), false);
  await editSettings(project.place().runtime, note!, project.dir);
  expect(project.read(name)).toBe(text);
  expect(await planNote(project.place(), false)).toBeUndefined();

  const { stdout } = await project.uninstall();
  expect(stdout).toContain(`${name}...\n`);
  // A missing end of the last line was added.
  expect(Object.keys(project.files())).toEqual(Object.keys(before));
  if (name in files) expect(project.read(name).trimEnd()).toBe(text.split(/\r?\n/)[0]);
  expect(await noteRemovals(project.place())).toEqual([]);
});

test("names npx if the project has the package, and is not offered beside a text that names a run (G29)", async () => {
  const project = await InitProject.create({ "CLAUDE.md": "# C\n" });
  const note = await planNote(project.place(), true);
  expect(note?.edit("", "").unwrapOr("")).toContain("run `npx mux-stop-hooks run`.");
  project.write({ "CLAUDE.md": "Run agent-gauntlet run first.\n" });
  expect(await planNote(project.place(), true)).toBeUndefined();
  project.write({ "CLAUDE.md": "# C\n", "AGENTS.md/a.txt": "a\n" });
  expect(await planNote(project.place(), true)).toBeUndefined();
});
