import { currentBranch, turnPath } from "@/node/services/gauntlet/turn/readGitFolder";
import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { START_REF } from "@/node/services/gauntlet/change/git/GitContext";
import { ensureStart, withStartingPoint } from "@/node/services/gauntlet/run/plan/runRepository";
import { FIRST_TURN_FILE } from "@/node/services/gauntlet/turn/recordTurnStart";
import { workPointAt } from "@/node/services/gauntlet/turn/headMoves";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { GitProject } from "@test/helpers/gitProject";

function recorded(project: GitProject): string {
  return project.git("for-each-ref", "--format=%(objectname)", START_REF);
}

async function recordFirstTurn({ runtime, dir }: GitProject, text: string): Promise<void> {
  const path = turnPath(`${dir}/.git`, FIRST_TURN_FILE);
  (await runtime.writeFile(path, text))._unsafeUnwrap();
}

describe("ensureStart (G20b)", () => {
  test("records HEAD on the first call, and returns the record later", async () => {
    const project = await GitProject.create();
    const context = await openMain(project);
    const start = context.head;
    expect(await ensureStart(project.runtime, context, false)).toEqual({
      ...{ commit: start, isFirstLook: true },
    });
    expect(recorded(project)).toBe("");
    await ensureStart(project.runtime, context);
    expect(recorded(project)).toBe(start);
    project.commit("later");
    expect(await ensureStart(project.runtime, await openMain(project))).toEqual({
      ...{ commit: start, isFirstLook: false },
    });
  });

  test("records HEAD of the first turn, if git still has it", async () => {
    const project = await GitProject.create();
    const first = project.git("rev-parse", "HEAD");
    const head = project.commit("in the turn");
    const context = await openMain(project);
    const start = () => ensureStart(project.runtime, context, false);
    await recordFirstTurn(project, `${first}\n`);
    expect(await start()).toEqual({ commit: first, isFirstLook: false });
    for (const text of ["f".repeat(40), "main", ""]) {
      await recordFirstTurn(project, text);
      expect(await start()).toEqual({ commit: head, isFirstLook: true });
    }
    const line = `${head} ${head} A <a> 2000000000 +0000\tcommit: caf\u{e9}\n`;
    appendFileSync(project.at(".git/logs/HEAD"), line, "latin1");
    const point = await workPointAt(project.runtime, project.at(".git"), new Date(0));
    expect(point).toMatchObject({ head: "0".repeat(40), moves: 0 });
    project.write({ ".git/HEAD": "ref: refs/heads/.invalid\n" });
    expect(await currentBranch(project.runtime, project.dir)).toBeUndefined();
  });

  test("returns undefined if there is no commit", async () => {
    const project = await GitProject.create({});
    expect(await ensureStart(project.runtime, await openMain(project))).toBeUndefined();
  });
});

describe("withStartingPoint (G20b)", () => {
  test("compares with nothing, once, if the record cannot be read", async () => {
    const project = await GitProject.create();
    const head = project.git("rev-parse", "HEAD");
    const blob = project.git("rev-parse", "HEAD:a.txt");
    for (const text of ["", "\0\u0001\n", "0".repeat(40), "1234567890".repeat(4), blob]) {
      project.write({ [`.git/${START_REF}`]: text });
      const context = await openMain(project);
      const { baseCommit, warnings } = await withStartingPoint(project.runtime, context, true);
      expect(baseCommit).toBe(context.emptyTree);
      expect(warnings).toEqual([expect.stringContaining("could not be read")]);
      expect(recorded(project)).toBe(head);
    }
  });

  test("changes nothing on another branch, and records the starting commit", async () => {
    const project = await GitProject.create();
    project.git("switch", "--quiet", "--create", "work");
    const head = project.commit("work");
    const context = await openMain(project);
    expect(await withStartingPoint(project.runtime, context, true)).toBe(context);
    expect(recorded(project)).toBe(head);
  });
});
