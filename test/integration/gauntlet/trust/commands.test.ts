/** Commands that run gates by hand, and the command `trust` (G24a). */
import { writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import type { InitCall } from "@test/helpers/gauntlet/initProject";
import { beginTrustLater, runGauntlet, trustNow } from "@test/helpers/gauntlet/trust";
import { restoring } from "@test/helpers/restoring";
import { tempDir } from "@test/helpers/tempDir";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: echo one >> ../.git/ran\n" };

const clone = restoring(async () => {
  const project = await GauntletProject.create(CONFIG, CHECK);
  await project.write("src/new.txt", "x");
  const home = await tempDir();
  // This installation has used trust before.
  await trustNow((await GauntletProject.create(CONFIG, CHECK)).dir, home);
  return { project, home };
});

const ran = (project: GauntletProject): Promise<string> => project.read(".git/ran").catch(() => "");

test.each([["run"], ["check"], ["review"]])(
  "%s without a terminal runs nothing, and names the command (G24a)",
  async (command) => {
    const { project, home } = await clone();
    const { code, stderr } = await runGauntlet(project.dir, home, [command]);
    expect(code).toBe(1);
    expect(stderr).toContain(`mux-stop-hooks trust" in ${project.dir}`);
    expect(await ran(project)).toBe("");
  }
);

test("run --json has the same outcome as data (G24a, G30b)", async () => {
  const { project, home } = await clone();
  const { stdout } = await runGauntlet(project.dir, home, ["run", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "stop_hook_disabled", gatesRun: 0 });
});

test("run asks once in a terminal, and shows every command (G24a)", async () => {
  const { project, home } = await clone();
  await project.write(
    ".gauntlet/checks/ok.yml",
    "command: echo one >> ../.git/ran\nrerun_command: echo two >> ../.git/ran\nfix: true {files}\n"
  );
  const no = await runGauntlet(project.dir, home, ["run"], { typed: "n\n" });
  expect(no.code).toBe(1);
  expect(await ran(project)).toBe("");
  const yes = await runGauntlet(project.dir, home, ["run"], { typed: "y\n" });
  expect(yes).toMatchObject({ code: 0 });
  for (const text of [
    "check ok: echo one",
    "check ok, rerun: echo two",
    "check ok, fix: true {files}",
  ]) {
    expect(yes.stderr).toContain(text);
  }
  expect(await ran(project)).toBe("one\n");
  expect((await runGauntlet(project.dir, home, ["run", "--force"])).code).toBe(0);
});

test("run starts the gates that it showed if they change while it asks (G24a)", async () => {
  const { project, home } = await clone();
  const prepare: InitCall["prepare"] = ({ stderr }) => {
    const write = stderr.write.bind(stderr);
    stderr.write = (text) => {
      if (text.includes("check ok:"))
        writeFileSync(
          project.path(".gauntlet/checks/ok.yml"),
          "command: echo evil >> ../.git/ran\n"
        );
      write(text);
    };
  };
  const { code } = await runGauntlet(project.dir, home, ["run"], { typed: "y\n", prepare });
  expect([code, await ran(project)]).toEqual([0, "one\n"]);
  expect(await project.read(".gauntlet/checks/ok.yml")).toContain("evil");
});

test("run without a terminal runs the old form of changed gates, and says so (G24a)", async () => {
  const { project, home } = await clone();
  await trustNow(project.dir, home);
  await project.write(".gauntlet/checks/ok.yml", "command: echo evil >> ../.git/ran\n");
  const { code, stderr } = await runGauntlet(project.dir, home, ["run"]);
  expect(code).toBe(0);
  expect(stderr).toContain("changed and not trusted yet");
  expect(await ran(project)).toBe("one\n");
});

test("CI needs no trust, but an agent in CI does (G24a)", async () => {
  const { project, home } = await clone();
  const agent = { env: { CI: "true", CLAUDECODE: "1" } };
  expect((await runGauntlet(project.dir, home, ["run", "-b", "main"], agent)).code).toBe(1);
  const ci = { env: { CI: "true" } };
  expect((await runGauntlet(project.dir, home, ["run", "-b", "main"], ci)).code).toBe(0);
});

test("trust is refused in an agent, and needs a terminal or --yes (G24a)", async () => {
  const { project, home } = await clone();
  const agent = { env: { CLAUDECODE: "1" } };
  const refused = await runGauntlet(project.dir, home, ["trust", "--yes"], agent);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("CLAUDECODE is set");
  const call = (...options: string[]) => runGauntlet(project.dir, home, ["trust", ...options]);
  expect((await call()).stderr).toContain("needs a terminal");
  expect((await call("--show")).stdout).toMatch(/check ok: echo one[^]*\nNot trusted\.\n$/);
  expect((await call("--yes")).code).toBe(0);
  expect((await call("--show")).stdout).toMatch(/\nTrusted\.\n$/);
});

test("trust shows the difference to the last set (G24a)", async () => {
  const { project, home } = await clone();
  await trustNow(project.dir, home);
  await project.write(".gauntlet/checks/ok.yml", "command: echo evil");
  const { stdout, code } = await runGauntlet(project.dir, home, ["trust"], { typed: "y\n" });
  expect(code).toBe(0);
  const end = "\\ No newline at end of file";
  expect(stdout).toContain(`-command: echo one >> ../.git/ran\n+command: echo evil\n${end}\n`);
});

test.each(["--revoke", "--never"])(
  "trust %s takes the trust away, and outlasts gates that ran before they needed trust (G24a)",
  async (option) => {
    const { project, home } = await clone();
    await project.git("update-ref", "refs/worktree/agent-gauntlet/start", "HEAD");
    await beginTrustLater(home);
    await trustNow(project.dir, home);
    expect((await runGauntlet(project.dir, home, ["trust", option, "--yes"])).code).toBe(0);
    await project.write(".gauntlet/config.yml", `base_branch: main\n${CONFIG}`);
    expect((await runGauntlet(project.dir, home, ["run"])).code).toBe(1);
    expect(await ran(project)).toBe("");
  }
);

test("trust in a linked worktree names the main checkout, whose decision counts there as well (G24a)", async () => {
  const { project, home } = await clone();
  const linked = join(await tempDir(), "linked");
  await project.shell(`git worktree add --quiet -b linked ${linked}`);
  await trustNow(project.dir, home);
  const call = (dir: string, ...args: string[]) => runGauntlet(dir, home, args);
  const kept = await call(linked, "trust", "--revoke");
  expect(kept).toMatchObject({ code: 1, stdout: "" });
  expect(kept.stderr).toContain(`the trust of ${project.dir} counts`);
  await call(linked, "trust", "--never", "--yes");
  expect((await call(linked, "run")).stderr).toContain("you have decided");
  expect((await call(linked, "trust", "--show")).stdout).toMatch(/\nNot trusted\.\n$/);
  await call(project.dir, "trust", "--never", "--yes");
  expect((await call(linked, "trust", "--yes")).code).toBe(1);
  expect((await call(project.dir, "trust", "--revoke")).code).toBe(0);
  expect((await call(project.dir, "run")).stderr).not.toContain("you have decided");
});

test("trust --all offers the projects whose stops were not checked (G24a)", async () => {
  const { project, home } = await clone();
  const none = await runGauntlet(project.dir, home, ["trust", "--all", "--yes"]);
  expect(none.stdout).toBe("No stop waits for trust.\n");
  const { noteWaiting } = await import("@/node/services/hooks/index");
  const { createRuntime, findTrustStore } = await import("@/wiring");
  const store = await findTrustStore(createRuntime({}), { env: { HOME: home }, home });
  await noteWaiting(store!, project.dir, new Date());
  const { code, stdout } = await runGauntlet("/", home, ["trust", "--all", "--yes"]);
  expect(code).toBe(0);
  expect(stdout).toContain("check ok: echo one");
  expect((await runGauntlet(project.dir, home, ["run"])).code).toBe(0);
  await noteWaiting(store!, "/gone", new Date());
  const all = () => runGauntlet("/", home, ["trust", "--all", "--yes"]);
  expect(await all()).toMatchObject({
    code: 0,
    stdout: "/gone has no configuration, so it does not wait for trust.\n",
  });
  expect((await all()).stdout).toBe("No stop waits for trust.\n");
  await noteWaiting(store!, "ssh://host/p%20(q)", new Date());
  expect((await all()).stdout).toContain(
    `run "mux-stop-hooks trust --workspace 'ssh://host/p%20(q)'"`
  );
});

test("a record that cannot be read stops a run, and stays as it is (G24a)", async () => {
  const { project, home } = await clone();
  const path = join(home, ".mux/hook-trust.json");
  await GauntletProject.at(home).write(".mux/hook-trust.json", "{");
  await chmod(path, 0o600);
  const { code, stderr } = await runGauntlet(project.dir, home, ["run"]);
  expect(code).toBe(1);
  expect(stderr).toContain("cannot be used");
  expect(await GauntletProject.at(home).read(".mux/hook-trust.json")).toBe("{");
});
