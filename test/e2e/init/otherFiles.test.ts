/** `init --hook` and `uninstall` for agent hosts whose file is not a list of handlers by event. */
import { describe, expect, test } from "vitest";
import { EXIT } from "@/cli/context";
import { agentGauntletBin } from "@test/helpers/built";
import { names, projectWithPackage, read, write } from "@test/helpers/gauntlet/hostFiles";
import { InitProject } from "@test/helpers/gauntlet/initProject";

describe.each([
  ["kiro", "Kiro CLI", "~/.kiro/hooks/agent-gauntlet.json"],
  ["kimi", "Kimi Code", "~/.kimi-code/config.toml"],
])("the hook of %s", (name, title, file) => {
  const STOP = `stop-hook --verify --host ${name} --limit 300`;

  test("is installed once, examined, updated and removed without a trace (G29)", async () => {
    const project = await InitProject.create();
    const before = names(project);
    const { code, stdout } = await project.init({ hook: [name] });
    expect([code, stdout]).toEqual([EXIT.ok, expect.stringContaining(`Creating ${file}...`)]);
    const written = read(project, file);
    expect(written.split(STOP)).toHaveLength(2);
    expect(written).toContain("turn-start");

    const second = await project.init({ hook: [name] });
    expect(second.stdout).toContain(`The ${title} Stop hook is already installed: ${file}:`);
    const { stdout: report } = await project.doctor();
    expect(report).toMatch(
      new RegExp(`${title}\\n  yes  Stop hook, in your own settings: ${file}:`)
    );
    expect(report).not.toContain(`${title}\n  no `);

    write(project, file, written.replaceAll(agentGauntletBin, "/moved/bin/agent-gauntlet.cjs"));
    const updated = await project.init({ hook: [name] });
    expect(updated.stdout).toContain("✓ Stop hook updated");
    expect(read(project, file)).toBe(written);

    await project.init({ limit: 2_000 });
    const limit = name === "kimi" ? 600 : 2_000;
    expect(read(project, file)).toContain(`--host ${name} --limit ${limit}`);
    expect(read(project, file)).toMatch(new RegExp(`timeout"?\\s*[:=] ${limit}\\b`));

    await project.uninstall({ hook: [name] });
    expect(names(project)).toEqual(before);
  });
});

test("the hook of Kimi Code keeps the rest of a file of TOML (G29)", async () => {
  const file = "~/.kimi-code/config.toml";
  const project = await InitProject.create();
  const own = `default_model = "k" # mine\n\n[other]\nhooks = true\n\n[[hooks]]\nevent = "Stop"\ncommand = "make check"\n`;
  write(project, file, own);
  await project.init({ hook: ["kimi"] });
  expect(read(project, file)).toContain(`${own}\n[[hooks]]\nevent = "Stop"\ncommand = "`);
  const commented = (text: string) =>
    text.replaceAll(/^(?:event|command|timeout) =.*/gm, "$& # mine");
  write(project, file, commented(read(project, file)));
  expect((await project.init({ hook: ["kimi"] })).stdout).toContain("hook is already installed");
  await project.uninstall();
  expect(read(project, file)).toBe(commented(own));
  write(project, file, "hooks = []\n");
  const { code, stderr } = await project.init({ hook: ["kimi"] });
  expect(code).toBe(EXIT.failure);
  expect(stderr).toContain('it sets "hooks" in one line');
  const shared = await (await projectWithPackage()).init({ hook: ["kimi"], shared: true });
  expect(shared.stderr).toContain("Kimi Code reads hooks only from ");
});
