/** Edits of settings files by several processes at once, and of files that are write-protected (G29). */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentGauntletBin } from "@test/helpers/freshBuild";
import { InitProject } from "@test/helpers/gauntlet/initProject";
import { gitEnv } from "@test/helpers/gitProject";
import { childScript } from "@test/helpers/process/childScript";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

const CLAUDE = ".claude/settings.local.json";
const atOnce = (count: number) => Array.from({ length: count }, (_, i) => i);

test("of three processes are all kept, also through a link", async () => {
  const folder = await tempDir();
  const file = join(folder, "settings.json");
  const script = await childScript("settingsEditor");
  const link = join(await tempDir(), "link.json");
  writeFileSync(file, "{}");
  symlinkSync(file, link);
  const names = ["a", "b", "c"];
  await Promise.all(
    names.map((name) => {
      const path = name === "c" ? link : file;
      return execFileAsync(process.execPath, [script, path, name, "10"]);
    })
  );
  const { hooks } = JSON.parse(await readFile(file, "utf8")) as {
    hooks: { Stop: { hooks: { command: string }[] }[] };
  };
  const commands = hooks.Stop.flatMap((group) => group.hooks.map(({ command }) => command));
  const expected = names.flatMap((name) => atOnce(10).map((i) => `${name} ${i}`));
  expect(commands.sort()).toEqual(expected.sort());
  expect(readdirSync(folder)).toEqual(["settings.json"]);
});

test("init of the same host, twice at once, installs one hook (G29)", async () => {
  const project = await InitProject.create();
  const env = { ...gitEnv(), HOME: project.home };
  const line = [agentGauntletBin, "init", "--hook", "claude"];
  await Promise.all(
    atOnce(2).map(() => execFileAsync(process.execPath, line, { cwd: project.dir, env }))
  );
  expect(project.json(CLAUDE)).toMatchObject({
    hooks: { Stop: { length: 1, 0: { hooks: { length: 1 } } }, UserPromptSubmit: { length: 1 } },
  });
});

test.each(["init", "uninstall"])(
  "%s leaves a write-protected file as it is, also of a link and for root (G29)",
  async (action) => {
    const project = await InitProject.create();
    if (action === "init") {
      mkdirSync(project.at(".claude"));
      writeFileSync(project.at("linked.json"), "{}\n");
      symlinkSync("../linked.json", project.at(CLAUDE));
    } else {
      await project.init({ hook: ["claude"] });
    }
    chmodSync(project.at(CLAUDE), 0o400);
    const before = project.read(CLAUDE);
    const { code, stderr } = await (action === "init"
      ? project.init({ hook: ["claude"] })
      : project.uninstall());
    expect(code).toBe(1);
    expect(stderr).toContain(`${CLAUDE} is write-protected, so it was not changed`);
    expect(stderr).toContain(`run "chmod u+w ${project.at(CLAUDE)}" and try again`);
    expect(project.read(CLAUDE)).toBe(before);
    expect(statSync(project.at(CLAUDE)).mode & 0o777).toBe(0o400);
  }
);
