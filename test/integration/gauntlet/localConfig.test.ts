import { expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopInProcess } from "@test/helpers/gauntlet/stopInProcess";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { tempDir } from "@test/helpers/tempDir";
import { statusAt, stopAt } from "@test/helpers/gauntlet/stops";
import { restoring } from "@test/helpers/restoring";

const LOCAL = ".gauntlet/config.local.yml";
const CONFIG = `max_retries: 2
checks:
  unit: test ! -e bad
entry_points:
  - path: src
    checks: [lint, { inline: { command: test ! -e worse } }]
`;

const teamProject = restoring(async () => {
  const project = await GauntletProject.create(CONFIG, { lint: "command: echo linted\n" });
  await project.write("src/bad", "x");
  await project.write("bad", "x");
  return project;
});
const env = { ...process.env, CI: undefined, GITHUB_ACTIONS: undefined };
const inTurn = { sessionId: "s", turnId: "1", env };

test("turns a gate off, keeps it unresolved, and says so once in a session (G6a)", async () => {
  const project = await teamProject();
  expect(await statusAt(project, inTurn)).toBe("failed");
  await project.write(LOCAL, "checks:\n  unit: false\n");
  const first = await stopAt(project, { ...inTurn, turnId: "2" });
  expect(first.result).toMatchObject({ status: "no_applicable_gates" });
  expect(first.personMessage).toContain(
    "config.local.yml:1:1: on this machine only, these gates do not run: unit"
  );
  expect(first.personMessage).toContain("check:.:unit was changed in the configuration");
  const second = await stopAt(project, { ...inTurn, turnId: "3" });
  expect(second.personMessage ?? "").not.toContain("on this machine only");
  expect(await project.state()).toMatchObject({ open: ["check:.:unit"] });
  await project.remove(LOCAL);
  expect(await statusAt(project, { ...inTurn, turnId: "4" })).toBe("failed");
});

test("replaces the command of a gate, with a command or a definition (G6a)", async () => {
  const project = await teamProject();
  for (const line of ["unit: 'true'", "unit: { command: 'true', timeout: 9 }"]) {
    await project.write(LOCAL, `checks:\n  ${line}\n`);
    expect(await statusAt(project, inTurn)).toBe("passed");
  }
});

test("changes gates of files and of entry points, adds one, and changes settings (G6a)", async () => {
  const project = await teamProject();
  const text =
    "max_retries: 0\nchecks:\n  unit: false\n  lint: { timeout: 7 }\n  inline: echo mine\n  own: echo own\n";
  await project.write(LOCAL, text);
  const { result, personMessage } = await stopAt(project, inTurn);
  const commands = result.gates.map(({ gate, command }) => `${gate}: ${command ?? ""}`);
  expect(commands.sort()).toEqual(["inline: echo mine", "lint: echo linted", "own: echo own"]);
  expect(personMessage).toContain("these gates do not run: unit; changed: max_retries, ");
  await project.write(LOCAL, "max_retries: 0\n");
  expect(await statusAt(project, { ...inTurn, turnId: "2" })).toBe("retry_limit_exceeded");
});

test("counts only once it is trusted, so an agent cannot turn a gate off by it (G6a, G24a)", async () => {
  const project = await teamProject();
  const home = await tempDir();
  await trustNow(project.dir, home);
  await project.write(LOCAL, "checks:\n  unit: false\n");
  const place = { cwd: project.dir, home, untrusted: true };
  const { stdout } = await stopInProcess({ stop_hook_active: false }, place);
  expect(JSON.parse(stdout)).toMatchObject({ status: "failed" });
});

test("is not read in CI (G6a)", async () => {
  const project = await teamProject();
  await project.write(LOCAL, "checks:\n  unit: 'true'\n");
  expect(await statusAt(project, { ...inTurn, env: { ...env, CI: "true" } })).toBe("failed");
  expect(await statusAt(project, inTurn)).toBe("passed");
});

test("is an error if git tracks it, and a run keeps git from adding it (G6a)", async () => {
  const project = await teamProject();
  await project.write(LOCAL, "checks:\n  unit: false\n");
  expect(await statusAt(project, inTurn)).toBe("passed");
  await project.git("add", "-A");
  expect(await project.git("ls-files", LOCAL)).toBe("");
  await project.git("add", "--force", LOCAL);
  const { result } = await stopAt(project, inTurn);
  expect(result).toMatchObject({ status: "error", message: /git rm --cached/ });
});

test("is validated with its own positions (G6a)", async () => {
  const project = await teamProject();
  for (const [text, message] of [
    ["stop_hook: { enabled: false }", "it turns off every gate"],
    ["max_retries: many", "expected a whole number"],
    ["checks: [unit]", "expected a mapping"],
    ["checks: { unit: { command: 3 } }", "expected a shell command"],
    ["checks: { unit: 3 }", "expected a shell command"],
    ["checks: { other: false }", "the project has no such gate"],
    ["reviews: { other: { num_reviews: 2 } }", "the project has no such gate"],
    ["colour: red", "unknown key"],
  ] as const) {
    await project.write(LOCAL, `${text}\n`);
    const { stderr, stdout } = await agentGauntlet(project, ["validate"]);
    expect(`${stdout}${stderr}`).toMatch(new RegExp(`config\\.local\\.yml:1:\\d+.*${message}`));
  }
});
