import { readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { ignoreLogDir } from "@/node/services/gauntlet/change/git/excludeFromGit";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, GitProject } from "@test/helpers/gitProject";

/** Returns what is added to `.git/info/exclude`, and how many git processes that takes. */
async function added(logDir: string, files: Record<string, string> = {}, prefix = "") {
  const project = await GitProject.create();
  project.write({ ".git/info/exclude": "", ...files });
  const exclude = project.at(".git/info/exclude");
  const before = readFileSync(exclude, "utf8");
  const { runtime, calls } = await countGit();
  project.write({ [`${prefix}here`]: "" });
  const context = { ...(await openMain(project)), projectDir: project.at(prefix), prefix };
  (await ignoreLogDir(runtime, context, logDir))._unsafeUnwrap();
  const text = readFileSync(exclude, "utf8");
  expect(text.startsWith(before)).toBe(true);
  return [text.slice(before.length), calls().length];
}

test.each<[string, [string, Record<string, string>?, string?], string, number]>([
  ["a folder of a project below the root", ["./logs/", {}, "app/"], "/app/logs/\n", 1],
  ["special characters", ["logs [1]/*x", {}, "app/"], "/app/logs \\[1\\]/\\*x/\n", 1],
  ["a folder after an open line", ["logs", { ".git/info/exclude": "*.bak" }], "\n/logs/\n", 1],
  ["a folder that is excluded already", ["logs/", { ".git/info/exclude": "/logs/\n" }], "", 0],
  ["a folder of .gitignore", ["logs", { ".gitignore": "logs/\r\n" }], "", 0],
  ["an anchored folder of .gitignore", ["logs", { ".gitignore": "/logs/\n" }], "", 0],
  ["a folder that a pattern ignores", ["logs", { ".gitignore": "l*\n" }], "", 1],
  ["a folder with an exception", ["logs", { ".gitignore": "logs\n!logs\n" }], "/logs/\n", 1],
])("ignoreLogDir for %s (G20)", async (_, given, text, processes) => {
  expect(await added(...given)).toEqual([text, processes]);
});

test("ignoreLogDir refuses a line break, and reports the next step if the file cannot be written (G9a, G20)", async () => {
  const project = await GitProject.create();
  const context = await openMain(project);
  const problemOf = async (logDir: string): Promise<string> =>
    (await ignoreLogDir(project.runtime, context, logDir))._unsafeUnwrapErr().message;
  expect(await problemOf("a\nb")).toContain("line break");
  rmSync(project.at(".git/info"), { recursive: true, force: true });
  project.write({ ".git/info": "" });
  expect(await problemOf("logs")).toContain("add /logs/ to .gitignore");
});
