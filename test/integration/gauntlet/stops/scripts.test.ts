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
  test("makes a pass one with warnings, and is shown with its old and new text, not if another script changed, if it was restored, nor in the next turn", async () => {
    const project = await projectWith({ "package.json": pack({ test: "exit 1" }) }, "npm test");
    await begin(project);
    await project.write("package.json", pack({ test: "exit 1", start: "node ." }));
    const other = await stop(project);
    expect(other.result.status).toBe("failed");
    expect(other.personMessage ?? "").not.toContain("script");
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
    await project.write("package.json", pack({ test: "true" }));
    await begin(project);
    expect((await stop(project)).result.status).toBe("passed");
  });

  test("is compared with the text at the beginning, not with the commit, also in a working directory; it is not shown for a run by hand, nor without turn-start", async () => {
    const files = { "web/package.json": pack({ test: "false" }) };
    const project = await projectWith(files, "npm test\nworking_directory: 'web'");
    await project.write("web/package.json", pack({ test: "true" }));
    expect((await stop(project)).result.status).toBe("passed");
    await begin(project);
    await project.write("web/b.txt", "b\n");
    expect((await stop(project)).result.status).toBe("passed");
    await project.write("web/package.json", pack({ test: "exit 0" }));
    expect((await stop(project)).personMessage).toContain("`true` → `exit 0`");
    await project.write("web/package.json", pack({ test: "exit 00" }));
    expect((await project.run()).status).toBe("passed");
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

  test("is found if a new one replaces it, as a rule of a makefile, in a makefile that make prefers, and by comparison with the commit if the file is too large to record", async () => {
    const large = { large: "x".repeat(300_000) };
    const before = {
      "package.json": pack({ test: "false" }),
      "rule/Makefile": "test: unit\n\nunit:\n\t@false\n",
      "preferred/Makefile": "test:\n\t@false\n",
      "large/package.json": pack({ test: "false", ...large }),
    };
    const now = {
      "package.json": pack({ test: "npm run unit", unit: "true" }),
      "rule/Makefile": "test: unit\n\nunit:\n\t@true\n",
      "preferred/GNUmakefile": "test:\n\t@true\n",
      "large/package.json": pack({ test: "true", ...large }),
    };
    const config = "entry_points:\n  - path: .\n    checks: [test, rule, preferred, large]\n";
    const project = await projectWith(before, "npm test", config);
    const inFolder = (command: string, folder: string): string =>
      `command: ${command}\nworking_directory: ${folder}\n`;
    for (const folder of ["rule", "preferred"]) {
      await project.write(`.gauntlet/checks/${folder}.yml`, inFolder("make test", folder));
    }
    const npm = await project.read(".gauntlet/checks/test.yml");
    await project.write(".gauntlet/checks/large.yml", `${npm}working_directory: large\n`);
    await begin(project);
    for (const [name, text] of Object.entries(now)) await project.write(name, text);
    const { personMessage } = await stop(project);
    for (const shown of [
      "package.json:unit behind check:.:test changed in this turn: not defined → `true`",
      "rule/Makefile:unit behind check:.:rule changed in this turn: `@false` → `@true`",
      "preferred/GNUmakefile:test behind check:.:preferred changed in this turn: `@false` → `@true`",
      "large/package.json:test behind check:.:large changed in this turn: `false` → `true`",
    ]) {
      expect(personMessage).toContain(shown);
    }
  });
});
