/** `mux-stop-hooks undo-fix` (G35). */
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { main } from "@/cli/gauntlet/program";
import { testContext } from "@test/helpers/cliContext";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { stopAt } from "@test/helpers/gauntlet/stops";

/** The check rejects files with a blank at the end of a line, and the fix removes it. */
const CHECK = [
  "command: '! grep -n \" $\" {files}'",
  "fix: sed -i.tmp 's/ *$//' {files} && rm -f *.tmp",
  "files: ['**/*.txt']",
].join("\n");
const CONFIG = "entry_points:\n  - path: src\n    checks: [blanks]\n";

const untidyProject = restoring(
  async (check?: string): Promise<GauntletProject> => {
    const project = await GauntletProject.create(CONFIG, { blanks: `${check ?? CHECK}\n` });
    await project.write("src/new.txt", "one \ntwo\n");
    await project.write("src/note.md", "not a text \n");
    return project;
  },
  ({ dir }) => [dir]
);

/** A project whose check has run its fix. */
const fixedProject = restoring(
  async (): Promise<GauntletProject> => {
    const project = await untidyProject();
    await project.write("src/other.txt", "three \n");
    await project.run(READY);
    return project;
  },
  ({ dir }) => [dir]
);

const FIXES = ".git/agent-gauntlet/fixes";

/** Changes the record of the only fixes, and returns its folder. */
async function changeRecord(project: GauntletProject, change: object): Promise<string> {
  const [entry = ""] = (await project.logs(FIXES)).filter((file) => /^\d+$/.test(file));
  const record = `${FIXES}/${entry}/record.json`;
  const fix = JSON.parse(await project.read(record)) as object;
  await project.write(record, JSON.stringify({ ...fix, ...change }));
  return `${FIXES}/${entry}`;
}

async function undo(project: GauntletProject): Promise<{ code: number; text: string }> {
  const context = testContext({ cwd: project.dir, home: project.dir });
  const code = await main(["undo-fix"], context);
  return { code, text: context.stdout.text + context.stderr.text };
}

const READY = { fix: true };

describe("undo-fix (G35)", () => {
  test("restores the files, but not those that were changed again", async () => {
    const project = await fixedProject();
    await project.write("src/other.txt", "my own words\n");
    const { code, text } = await undo(project);
    expect(code).toBe(0);
    expect(text).toBe(
      "Restored 1 file:\n  - src/new.txt\nNot restored, because it was changed after the fix:\n  - src/other.txt\n"
    );
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    expect(await project.read("src/other.txt")).toBe("my own words\n");
    expect((await undo(project)).text).toBe("There is no fix to undo.\n");
  });

  test("touches no file outside of the project or in .git that only its record names", async () => {
    const project = await fixedProject();
    const names = ["../victim", "src/../../victim2", ".git/victim", "src/../ours"];
    for (const name of names) await writeFile(project.path(name), "mine");
    await changeRecord(project, { files: names });
    await undo(project);
    for (const name of names) expect(await readFile(project.path(name), "utf8")).toBe("mine");
  });

  test("removes a file that the fix created, and restores one that it deleted", async () => {
    const project = await untidyProject(
      "command: 'true'\nfix: rm -f new.txt; echo made > made.txt\nfix_scope: all"
    );
    expect((await project.run(READY)).gates[0]?.fixedFiles).toEqual([
      "src/made.txt",
      "src/new.txt",
    ]);
    expect((await undo(project)).code).toBe(0);
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    await expect(project.read("src/made.txt")).rejects.toThrow("ENOENT");
  });

  test("restores the files of every stop of the turn, also after a stop without a fix", async () => {
    const project = await untidyProject(`${CHECK}\n`);
    const turn = { sessionId: "s", turnId: "t" };
    await stopAt(project, turn);
    await project.write("src/more.txt", "more \n");
    await stopAt(project, turn);
    await project.write("src/fine.txt", "fine\n");
    await stopAt(project, turn);
    expect((await undo(project)).text).toBe(
      "Restored 2 files:\n  - src/more.txt\n  - src/new.txt\n"
    );
    expect(await project.read("src/more.txt")).toBe("more \n");
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
  });

  test("restores bytes and modes, and needs no valid configuration", async () => {
    const project = await untidyProject();
    await project.shell("git config core.autocrlf true");
    await project.write("src/new.txt", "one \r\ntwo \r\n\0\xff");
    await chmod(project.path("src/new.txt"), 0o600);
    const before = await readFile(project.path("src/new.txt"));
    await project.write(
      ".gauntlet/checks/blanks.yml",
      "command: ': {files}'\nfix: \"printf 'one\\n' > new.txt; : {files}\"\nfiles: ['**/*.txt']\n"
    );
    await project.run(READY);
    expect(await project.read("src/new.txt")).toBe("one\n");
    await project.write(".gauntlet/config.yml", "entry_points: [");
    expect((await undo(project)).text).toContain("src/new.txt");
    expect(await readFile(project.path("src/new.txt"))).toEqual(before);
    expect((await stat(project.path("src/new.txt"))).mode & 0o777).toBe(0o600);
  });

  test("leaves restored files alone in the session", async () => {
    const project = await untidyProject();
    const turn = { sessionId: "s", turnId: "t" };
    await stopAt(project, turn);
    await undo(project);
    expect((await stopAt(project, turn)).result.status).toBe("failed");
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    await stopAt(project, { ...turn, sessionId: "other" });
    expect(await project.read("src/new.txt")).toBe("one\ntwo\n");
  });

  test("restores what a killed fix changed, and keeps what it replaced", async () => {
    const project = await fixedProject();
    const folder = await changeRecord(project, { files: ["src/new.txt"], isWhole: false });
    await project.remove(`${folder}/after`);
    const { text } = await undo(project);
    expect(await project.read("src/new.txt")).toBe("one \ntwo\n");
    const [, kept = ""] = /is in (.*)\.\n/.exec(text) ?? [];
    const [copy = ""] = await project.logs(kept.slice(project.dir.length + 1));
    expect(await readFile(`${kept}/${copy}`, "utf8")).toBe("one\ntwo\n");
  });
});
