/** The user sees at a stop that a script behind a check changed in the turn (G20d). */
import { describe, expect, test } from "vitest";
import type { StopDecision } from "@/node/services/gauntlet/hook/stopDecision";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { beginTurn } from "@test/helpers/gauntlet/projects";
import { folderWith } from "@test/helpers/tempDir";

const TURN = { sessionId: "s" };

const pack = (scripts: Record<string, string>): string => `${JSON.stringify({ scripts })}\n`;

/** Runs a script of `package.json` as npm does, without the time that npm takes to start. */
const NPM = String.raw`#!/bin/sh
for name; do :; done
exec sh -c "$(sed -n "s/.*\"$name\":\"\([^\"]*\)\".*/\1/p" package.json)"
`;
let path: Promise<string> | undefined;

async function pathWithNpm(): Promise<string> {
  const folder = await folderWith({ npm: NPM }, 0o755);
  return `${folder}:${process.env.PATH!}`;
}

/** Creates a project whose commit has these files. No turn has begun. */
async function projectWith(
  files: Record<string, string>,
  command: string,
  config = "entry_points:\n  - path: .\n    checks: [test]\n"
): Promise<GauntletProject> {
  path ??= pathWithNpm();
  const test = `command: ${command}\nenv: { PATH: "${await path}" }\n`;
  return await GauntletProject.create(config, { test }, { files });
}

const begin = async (project: GauntletProject) => await beginTurn(project, TURN);
const stop = async (project: GauntletProject): Promise<StopDecision> => await stopAt(project, TURN);

describe("a script behind a check that changed in the turn (G20d)", () => {
  test("makes a pass one with warnings, and is shown with its old and new text", async () => {
    const project = await projectWith({ "package.json": pack({ test: "exit 1" }) }, "npm test");
    await begin(project);
    await project.write("src/b.txt", "b\n");
    expect((await stop(project)).result.status).toBe("failed");
    await project.write("package.json", pack({ test: "true" }));
    const { result, personMessage } = await stop(project);
    expect(result.status).toBe("passed_with_warnings");
    expect(personMessage).toBe(
      "the script package.json:test behind check:.:test changed in this turn: `exit 1` → `true`; if you did not want this, restore it"
    );
    await project.write("package.json", pack({ test: "exit 1" }));
    const restored = await stop(project);
    expect(restored.result.status).toBe("failed");
    expect(restored.personMessage ?? "").not.toContain("script");
  });

  test("is not shown in the next turn, nor if another script changed", async () => {
    const project = await projectWith({ "package.json": pack({ test: "true" }) }, "npm test");
    await begin(project);
    await project.write("package.json", pack({ test: "true", start: "node ." }));
    expect((await stop(project)).result.status).toBe("passed");
    await project.write("package.json", pack({ test: "exit 0" }));
    expect((await stop(project)).result.status).toBe("passed_with_warnings");
    await begin(project);
    await project.write("src/b.txt", "b\n");
    expect((await stop(project)).result.status).toBe("passed");
  });

  test("is compared with the text at the beginning, not with the commit, also in a working directory", async () => {
    const files = { "web/package.json": pack({ test: "false" }) };
    const project = await projectWith(files, "npm test\nworking_directory: 'web'");
    await project.write("web/package.json", pack({ test: "true" }));
    await begin(project);
    await project.write("web/b.txt", "b\n");
    expect((await stop(project)).result.status).toBe("passed");
    await project.write("web/package.json", pack({ test: "exit 0" }));
    expect((await stop(project)).personMessage).toContain("`true` → `exit 0`");
  });

  test("is compared with the commit if the file is too large to record", async () => {
    const large = { large: "x".repeat(300_000) };
    const files = { "package.json": pack({ test: "false", ...large }) };
    const project = await projectWith(files, "npm test");
    await begin(project);
    await project.write("package.json", pack({ test: "true", ...large }));
    expect((await stop(project)).personMessage).toContain("`false` → `true`");
  });

  test("is compared with the commit in a folder that turn-start does not know", async () => {
    const project = await projectWith(
      { "packages/a/package.json": pack({ test: "false" }) },
      "npm test",
      "entry_points:\n  - path: packages/*\n    checks: [test]\n"
    );
    await begin(project);
    await project.write("packages/a/package.json", pack({ test: "true" }));
    // The agent may also commit it.
    await project.commit("weaker");
    expect((await stop(project)).personMessage).toContain(
      "packages/a/package.json:test behind check:packages/a:test changed in this turn: `false` → `true`"
    );
  });

  test.each([
    [
      "a script that a new one replaces",
      { "package.json": pack({ test: "false" }) },
      { "package.json": pack({ test: "npm run unit", unit: "true" }) },
      "package.json:unit behind check:.:test changed in this turn: not defined → `true`",
    ],
    [
      "a rule of a makefile",
      { Makefile: "test: unit\n\nunit:\n\t@false\n" },
      { Makefile: "test: unit\n\nunit:\n\t@true\n" },
      "Makefile:unit behind check:.:test changed in this turn: `@false` → `@true`",
    ],
    [
      "a makefile that make prefers",
      { Makefile: "test:\n\t@false\n" },
      { GNUmakefile: "test:\n\t@true\n" },
      "GNUmakefile:test behind check:.:test changed in this turn: `@false` → `@true`",
    ],
  ])("is found: %s", async (_, before: object, now: object, shown) => {
    const command = "package.json" in before ? "npm test" : "make test";
    const project = await projectWith({ ...before }, command);
    await begin(project);
    for (const [path, text] of Object.entries(now)) await project.write(path, String(text));
    expect((await stop(project)).personMessage).toContain(shown);
  });

  test("is not shown for a run by hand, nor without turn-start", async () => {
    const project = await projectWith({ "package.json": pack({ test: "exit 0" }) }, "npm test");
    await project.write("package.json", pack({ test: "true" }));
    expect((await stop(project)).result.status).toBe("passed");
    await begin(project);
    await project.write("package.json", pack({ test: "exit 0" }));
    expect((await project.run()).status).toBe("passed");
  });
});
