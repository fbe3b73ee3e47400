/** Commands in a clone that the user has not trusted yet: they start no program of it (G29, H31). */
import { chmodSync, existsSync } from "node:fs";
import { delimiter } from "node:path";
import { expect, test } from "vitest";
import { main as gauntlet } from "@/cli/gauntlet/program";
import { main as muxHooks } from "@/cli/muxHooks";
import "@test/helpers/freshBuild";
import { testContext } from "@test/helpers/cliContext";
import { restoring } from "@test/helpers/restoring";
import { InitProject } from "@test/helpers/gauntlet/initProject";

const NAMES = ["agent-gauntlet", "codex", "claude", "node", "npx", "npm", "ps"];
const FOLDERS = ["bin", "node_modules/.bin"];
const PROGRAM = "agent-gauntlet stop-hook --verify --host codex --limit 300";

function settings(program: string): string {
  const handler = { type: "command", command: program, timeout: 300 };
  return JSON.stringify({ hooks: { Stop: [{ hooks: [handler] }] } });
}

/** Creates a clone with its own programs, which leave the file `ran`, and hooks that start them. */
const clone = restoring(async (program: string) => {
  const project = await InitProject.create({
    "package.json": '{"devDependencies": {"mux-stop-hooks": "1.0.0"}}',
    ".npmrc": "script-shell=./bin/npx\nnode-options=--require ./ran.cjs\n",
    "ran.cjs": 'require("node:fs").writeFileSync(__dirname + "/ran", "")',
    "node_modules/mux-stop-hooks/package.json": '{"name": "mux-stop-hooks", "version": "1.2.3"}',
    // A build of Mux, whose modules `doctor` loads.
    "bin/mux": "#!/usr/bin/env node\n",
    "dist/node/services/agentSession.js": 'require("node:fs").writeFileSync("../ran", "")',
    ".gauntlet/config.yml": "entry_points: []\n",
    ".mux/settings.json": settings(`touch ran; ${program}`),
    ".codex/hooks.json": settings(program),
    ".claude/settings.json": settings(program.replace("codex", "claude")),
  });
  for (const path of FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`))) {
    project.write({ [path]: `#!/bin/sh\necho "$0 $*" >> ${project.dir}/ran\necho --verify\n` });
    chmodSync(project.at(path), 0o755);
  }
  chmodSync(project.at("bin/mux"), 0o755);
  return project;
});

test.each([
  ...[`./node_modules/.bin/${PROGRAM}`, `npx --no-install ${PROGRAM}`, PROGRAM].flatMap((program) =>
    ["doctor", "doctor --fix", "init --dry-run --hook codex --shared"].map(
      (args) => [args, program] as const
    )
  ),
  ...["init --dry-run --hook claude", "status", "list", "validate", "health", "uninstall"].map(
    (args) => [args, PROGRAM] as const
  ),
])("agent-gauntlet %s runs nothing of a project with the hook %s", async (args, program) => {
  const project = await clone(program);
  await gauntlet(args.split(" "), contextOf(project));
  expect(existsSync(project.at("ran")) && project.read("ran")).toBe(false);
});

test.each(["doctor", "list", "validate", "trust --show", "import --dry-run"])(
  "mux-hooks %s runs nothing of the project",
  async (args) => {
    const project = await clone(PROGRAM);
    const context = contextOf(project);
    await muxHooks(args.split(" "), context);
    expect(context.stdout.text).not.toBe("");
    expect(existsSync(project.at("ran")) && project.read("ran")).toBe(false);
  }
);

test("doctor reads the version of the program that a shared hook starts (G29)", async () => {
  const project = await clone(`./node_modules/.bin/${PROGRAM}`);
  const context = contextOf(project);
  await gauntlet(["doctor"], context);
  expect(context.stdout.text).toContain("its program is installed in the project, version 1.2.3");
});

test("init finds the package in a folder above, which only npx does (G29)", async () => {
  const project = await clone(PROGRAM);
  project.write({ "packages/a/.gauntlet/config.yml": "entry_points: []\n" });
  project.write({ "packages/a/package.json": '{"dependencies": {"mux-stop-hooks": "1.0.0"}}' });
  const context = { ...contextOf(project), cwd: project.at("packages/a") };
  await gauntlet(["init", "--dry-run", "--hook", "gemini", "--shared"], context);
  expect(context.stdout.text).toContain("npx --no-install agent-gauntlet stop-hook");
  expect(existsSync(project.at("ran"))).toBe(false);
});

/** Returns a context whose PATH begins with the folders of the project. */
function contextOf(project: InitProject) {
  const own = FOLDERS.map((folder) => project.at(folder));
  const PATH = [...own, process.env.PATH ?? ""].join(delimiter);
  return testContext({ cwd: project.dir, home: project.home }, { env: { PATH } });
}
